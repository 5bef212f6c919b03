package format

import (
	"encoding/json"
	"html"
	"time"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/jsontext"
)

// DPlayer's {"code":0,"data":[[time,type,color,author,text],…]}: time in
// seconds, colour a number or "#ffffff". The player puts text into the page as
// HTML, so the file has it escaped. Further elements of a record stay in Extra, as
// an array.
const dplayerFields = 5

func parseDPlayer(r *Reader, raw []byte) (danmu.Comment, error) {
	var c danmu.Comment
	var fields []json.RawMessage
	if jsontext.Unmarshal(raw, &fields) != nil || len(fields) < dplayerFields {
		return c, refuse("Record", "is not an array of at least five")
	}
	var err error
	if c.Progress, err = parseProgress(bare(fields[0]), time.Second); err != nil {
		return c, err
	}
	c.Mode = guess(r, bare(fields[1]), dplayerMode)
	c.Color = guess(r, bare(fields[2]), dplayerColor)
	var author, text string
	if jsontext.Unmarshal(fields[3], &author) != nil {
		return c, refuse("User", "is not a string")
	}
	if jsontext.Unmarshal(fields[4], &text) != nil || text == "" {
		return c, refuse("Text", "is not a string, or empty")
	}
	if r.senders {
		c.User = html.UnescapeString(author)
	}
	c.Text = html.UnescapeString(text)
	if len(fields) > dplayerFields {
		c.Extra, err = keep(DPlayer, fields[dplayerFields:])
	}
	return c, err
}

// dplayerMode also reads the names that early versions of the player wrote.
func dplayerMode(s string) (danmu.Mode, bool) {
	switch s {
	case "right":
		return danmu.Scroll, true
	case "top":
		return danmu.Top, true
	case "bottom":
		return danmu.Bottom, true
	}
	return parseSide(s)
}

func dplayerColor(s string) (danmu.Color, bool) {
	if rgb, ok := parseRGB(s); ok {
		return colorOf(rgb), true
	}
	return parseColor(s)
}

func assembleDPlayer(c danmu.Comment) (any, error) {
	mode, err := side(c.Mode)
	if err != nil {
		return nil, err
	}
	var beyond []json.RawMessage // as they were in the file
	if err := keptOf(c, DPlayer, &beyond); err != nil {
		return nil, err
	}
	fields := []any{seconds(c.Progress), mode, rgbOf(c.Color), html.EscapeString(c.User), html.EscapeString(c.Text)}
	for _, field := range beyond {
		fields = append(fields, field)
	}
	return fields, nil
}
