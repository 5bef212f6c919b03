package format

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza/danmu"
)

// dandanplay's {"count":1,"comments":[{"cid":1,"p":"time,mode,color,uid","m":"text"}]}:
// time in seconds, modes as Bilibili's. Other members stay in Extra, and so do
// the fields after the fourth, as its "p".
const dandanplayFields = 4

func parseDandanplay(r *Reader, raw []byte) (danmu.Comment, error) {
	var c danmu.Comment
	k, err := members(raw)
	if err != nil {
		return c, err
	}
	var p string
	if err := cmp.Or(k.take("m", &c.Text), k.take("p", &p)); err != nil {
		return c, err
	}
	if c.Text == "" {
		return c, refuse("Text", "is missing or empty")
	}
	if c.Key, err = k.takeKey("cid"); err != nil {
		return c, err
	}
	fields := strings.Split(p, ",")
	if len(fields) < dandanplayFields-1 {
		return c, refuse("p", "has fewer than three fields")
	}
	if c.Progress, err = parseProgress(fields[0], time.Second); err != nil {
		return c, err
	}
	c.Mode = guess(r, fields[1], parseMode)
	c.Color = guess(r, fields[2], parseColor)
	if len(fields) >= dandanplayFields && r.senders {
		c.User = named(fields[3])
	}
	if len(fields) > dandanplayFields {
		if err := k.set("p", fields[dandanplayFields:]); err != nil {
			return c, err
		}
	}
	if len(k) > 0 {
		c.Extra, err = keep(Dandanplay, k)
	}
	return c, err
}

func assembleDandanplay(c danmu.Comment) (any, error) {
	k := kept{}
	if err := keptOf(c, Dandanplay, &k); err != nil {
		return nil, err
	}
	var beyond []string
	if err := k.take("p", &beyond); err != nil {
		return nil, err
	}
	fields := append([]string{
		string(seconds(c.Progress)),
		strconv.FormatInt(modeNumber(c.Mode), 10),
		strconv.FormatUint(uint64(rgbOf(c.Color)), 10),
		fieldName(c.User),
	}, beyond...)
	if err := k.putKey("cid", c.Key); err != nil {
		return nil, err
	}
	return k.with(map[string]any{"p": strings.Join(fields, ","), "m": c.Text})
}
