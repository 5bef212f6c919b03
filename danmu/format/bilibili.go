package format

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza/danmu"
)

// Bilibili's <i><d p="…">text</d>…</i>. The fields of p are position in seconds, mode,
// size, colour, when it was sent in seconds since 1970, pool, hash of the sender, id
// and, in newer files, weight.
func parseBilibili(r *Reader, attributes, content []byte) (danmu.Comment, error) {
	var c danmu.Comment
	var fields []byte
	var extra kept
	if err := eachAttribute(attributes, func(name, value []byte) error {
		if string(name) != "p" {
			return extra.set(string(name), r.xmlText(value))
		}
		if fields = value; !plain(value) {
			fields = []byte(r.xmlText(value))
		}
		return nil
	}); err != nil {
		return c, err
	}
	beyond, err := r.parseFields(&c, fields)
	if err != nil {
		return c, err
	}
	if len(beyond) > 0 {
		if err := extra.set("p", beyond); err != nil {
			return c, err
		}
	}
	if c.Text = r.xmlText(content); c.Text == "" {
		return c, refuse("Text", "is empty")
	}
	if len(extra) > 0 {
		c.Extra, err = keep(Bilibili, extra)
	}
	return c, err
}

// parseFields reads p and returns the fields after the known ones. The first four are
// required.
func (r *Reader) parseFields(c *danmu.Comment, p []byte) (beyond []string, err error) {
	for i := 0; ; i++ {
		field, rest, more := bytes.Cut(p, []byte{','})
		switch i {
		case 0:
			c.Progress, err = parseProgress(field, time.Second)
		case 1:
			c.Mode = guess(r, field, parseMode)
		case 2:
			c.Size = guess(r, field, parseSize)
		case 3:
			c.Color = guess(r, field, parseColor)
		case 4:
			c.Sent = guess(r, field, parseSent)
		case 5:
			c.Pool = guess(r, field, parseInt)
		case 6:
			if r.senders {
				c.User = named(string(field))
			}
		case 7:
			c.Key = named(string(field))
		case 8:
			c.Weight = guess(r, field, parseInt)
		default:
			return strings.Split(string(p), ","), nil
		}
		switch {
		case err != nil:
			return nil, err
		case !more && i < 3:
			return nil, refuse("Record", "has fewer than four fields")
		case !more:
			return nil, nil
		}
		p = rest
	}
}

func assembleBilibili(dst []byte, c danmu.Comment) ([]byte, error) {
	var extra kept
	if err := keptOf(c, Bilibili, &extra); err != nil {
		return nil, err
	}
	var beyond []string
	if err := extra.take("p", &beyond); err != nil {
		return nil, err
	}
	dst = append(dst, `<d p="`...)
	dst = appendSeconds(dst, c.Progress)
	size := int64(c.Size)
	if size == 0 {
		size = usualSize
	}
	for _, n := range [...]int64{modeNumber(c.Mode), size, int64(rgbOf(c.Color)), unixSeconds(c.Sent), int64(c.Pool)} {
		dst = strconv.AppendInt(append(dst, ','), n, 10)
	}
	for _, name := range [...]string{c.User, c.Key} {
		dst = appendQuoted(append(dst, ','), fieldName(name))
	}
	if c.Weight != 0 || len(beyond) > 0 {
		dst = strconv.AppendInt(append(dst, ','), int64(c.Weight), 10)
	}
	for _, field := range beyond {
		dst = appendQuoted(append(dst, ','), field)
	}
	dst = append(dst, '"')
	for _, name := range extra.names() {
		var value string
		if err := extra.take(name, &value); err != nil {
			return nil, err
		}
		if !isName(name) {
			return nil, refuse("Extra", "has an attribute whose name is not XML")
		}
		dst = appendQuoted(append(append(append(dst, ' '), name...), `="`...), value)
		dst = append(dst, '"')
	}
	dst = append(dst, '>')
	return appendContent(dst, c.Text, "</d>")
}
