package format

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/plaza-sdk/plaza/danmu"
)

// ArtPlayer's [{"text":"…","time":1.5,"mode":0,"color":"#FFFFFF"},…]: time in
// seconds; other members, and a colour of another kind, stay in Extra.
func parseArtPlayer(r *Reader, raw []byte) (danmu.Comment, error) {
	var c danmu.Comment
	k, err := members(raw)
	if err != nil {
		return c, err
	}
	var position, mode json.RawMessage
	if err := cmp.Or(k.take("text", &c.Text), k.take("time", &position), k.take("mode", &mode)); err != nil {
		return c, err
	}
	if c.Text == "" {
		return c, refuse("Text", "is missing or empty")
	}
	if c.Progress, err = parseProgress(bare(position), time.Second); err != nil {
		return c, err
	}
	c.Mode = guessMember(r, mode, parseSide)
	if rgb, ok := parseRGB(bare(k["color"])); ok {
		c.Color = colorOf(rgb)
		delete(k, "color")
	}
	if len(k) > 0 {
		c.Extra, err = keep(ArtPlayer, k)
	}
	return c, err
}

func assembleArtPlayer(c danmu.Comment) (any, error) {
	k := kept{}
	if err := keptOf(c, ArtPlayer, &k); err != nil {
		return nil, err
	}
	mode, err := side(c.Mode)
	if err != nil {
		return nil, err
	}
	known := map[string]any{"text": c.Text, "time": seconds(c.Progress), "mode": mode}
	if _, own := k["color"]; !own || c.Color != 0 {
		known["color"] = hexColor(c.Color)
	}
	return k.with(known)
}
