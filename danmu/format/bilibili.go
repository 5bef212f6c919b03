package format

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza/danmu"
)

// bilibili is <i><d p="…">text</d>…</i>. The fields of p are position in
// seconds, mode, size, colour, when it was sent in seconds since 1970, pool,
// hash of the sender, id and, in newer files, weight.
type bilibili struct{}

// parseXML reads a comment from its attributes and its content.
func (r *Reader) parseXML(c *danmu.Comment, attributes, content []byte) error {
	var fields []byte
	var extra kept
	for {
		name, value, rest, err := nextAttribute(attributes)
		if err != nil {
			return err
		}
		if name == nil {
			break
		}
		attributes = rest
		if string(name) == "p" && plain(value) {
			fields = value
			continue
		}
		decoded, repaired := xmlText(value)
		r.stats.Repaired += repaired
		if string(name) == "p" {
			fields = []byte(decoded)
		} else if err := extra.set(string(name), decoded); err != nil {
			return err
		}
	}
	beyond, err := parseFields(c, fields, r.senders)
	if err != nil {
		return err
	}
	if len(beyond) > 0 {
		if err := extra.set("p", beyond); err != nil {
			return err
		}
	}
	var repaired int64
	c.Text, repaired = xmlText(content)
	r.stats.Repaired += repaired
	if c.Text == "" {
		return refuse("Text", "is empty")
	}
	if len(extra) > 0 {
		c.Extra, err = keep(Bilibili, extra)
	}
	return err
}

// nextAttribute returns the first attribute. name is nil if there is none.
func nextAttribute(b []byte) (name, value, rest []byte, err error) {
	const field = "Attributes"
	for len(b) > 0 && (space(b[0]) || b[0] == '/') {
		b = b[1:]
	}
	if len(b) == 0 {
		return nil, nil, nil, nil
	}
	n := bytes.IndexByte(b, '=')
	if n < 0 {
		return nil, nil, nil, refuse(field, "have one without a value")
	}
	name = bytes.TrimSpace(b[:n])
	if !isName(name) {
		return nil, nil, nil, refuse(field, "have one without a name")
	}
	b = bytes.TrimSpace(b[n+1:])
	if len(b) == 0 || b[0] != '"' && b[0] != '\'' {
		return nil, nil, nil, refuse(field, "have one without quotes")
	}
	value, rest, ok := bytes.Cut(b[1:], b[:1])
	if !ok {
		return nil, nil, nil, refuse(field, "have one without an end")
	}
	return name, value, rest, nil
}

func isName[T text](s T) bool {
	if len(s) == 0 || !nameStart(s[0]) {
		return false
	}
	for i := range len(s) {
		if !nameByte(s[i]) {
			return false
		}
	}
	return true
}

// parseFields reads p and returns the fields behind the known ones. The first four are
// required.
func parseFields(c *danmu.Comment, p []byte, senders bool) (beyond []string, err error) {
	for i := 0; ; i++ {
		field, rest, more := bytes.Cut(p, []byte{','})
		switch i {
		case 0:
			c.Progress, err = parseProgress(field, time.Second)
		case 1:
			c.Mode, err = parseMode(field)
		case 2:
			c.Size, err = parseSize(field)
		case 3:
			c.Color, err = parseColor(field)
		case 4:
			c.Sent, err = parseSent(field)
		case 5:
			c.Pool, err = parseInt("Pool", field)
		case 6:
			if senders {
				c.User = named(string(field))
			}
		case 7:
			c.Key = named(string(field))
		case 8:
			c.Weight, err = parseInt("Weight", field)
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

func (bilibili) begin(dst []byte, tags []Tag) []byte {
	dst = append(dst, `<?xml version="1.0" encoding="UTF-8"?>`+"\n<i"...)
	for _, t := range tags {
		if t.Name == "i" {
			dst = append(append(dst, ' '), t.Attributes...)
		}
	}
	dst = append(dst, ">\n"...)
	for _, t := range tags {
		if t.Name != "i" {
			dst = append(appendElement(dst, t), '\n')
		}
	}
	return dst
}

func (bilibili) checkTags(tags []Tag) error {
	roots := 0
	for _, t := range tags {
		if err := checkElement(t); err != nil {
			return err
		}
		if t.Name == "i" {
			roots++
		}
	}
	if roots > 1 {
		return refuse("Tags", "have two roots")
	}
	return nil
}

func (bilibili) append(dst []byte, c danmu.Comment, _ bool) ([]byte, error) {
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
	text := len(dst)
	if dst = appendText(dst, c.Text); len(dst) == text {
		return nil, refuse("Text", "has no character that XML has")
	}
	return append(dst, "</d>\n"...), nil
}

func (bilibili) end(dst []byte, _ int64) []byte { return append(dst, "</i>\n"...) }

// checkElement refuses a Tag that is not one element, or that would be read as
// something else.
func checkElement(t Tag) error {
	const field = "Tags"
	if t.Name == "d" || t.Name == "i" && t.Value != "" {
		return refuse(field, "has an element that is not a tag")
	}
	var open []xml.Name
	d := xml.NewDecoder(strings.NewReader(string(appendElement(nil, t))))
	for first := true; ; first = false {
		token, err := d.RawToken() // Token would replace prefixes by name spaces
		if errors.Is(err, io.EOF) && !first && len(open) == 0 {
			return nil
		}
		if err != nil {
			return refuse(field, "has an element that is not well formed")
		}
		switch e := token.(type) {
		case xml.StartElement:
			name := elementName(e.Name)
			if first != (len(open) == 0) || first && name != t.Name {
				return refuse(field, "has more than one element")
			}
			if !first && (name == "d" || name == "i") {
				return refuse(field, "has an element inside a tag that is not a tag")
			}
			open = append(open, e.Name)
		case xml.EndElement:
			last := len(open) - 1
			if last < 0 || e.Name != open[last] {
				return refuse(field, "has an element that is not well formed")
			}
			open = open[:last]
		case xml.Directive:
			return refuse(field, "has a document type")
		default:
			if len(open) == 0 {
				return refuse(field, "has text outside the element")
			}
		}
	}
}

func elementName(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

func appendElement(dst []byte, t Tag) []byte {
	dst = append(append(dst, '<'), t.Name...)
	if t.Attributes != "" {
		dst = append(append(dst, ' '), t.Attributes...)
	}
	dst = append(append(dst, '>'), t.Value...)
	return append(append(append(dst, "</"...), t.Name...), '>')
}
