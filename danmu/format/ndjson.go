package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/jsontext"
)

// ndjson is Plaza's own format: one comment a line, with all fields.
type ndjson struct{}

// line is a Comment in NDJSON, without zero values. Unlike the JSON of a Comment, it
// is not for viewers: it has the Key and the Reports.
type line struct {
	Object    string          `json:"object,omitempty"`
	ID        danmu.ID        `json:"id,omitzero"`
	Key       string          `json:"key,omitempty"`
	User      string          `json:"user,omitempty"`
	Progress  int64           `json:"progress"` // ms
	Sent      time.Time       `json:"sent,omitzero"`
	Text      string          `json:"text"`
	Mode      danmu.Mode      `json:"mode,omitempty"`
	Color     string          `json:"color,omitempty"` // "#FF0000"
	Size      int             `json:"size,omitempty"`
	Pool      int             `json:"pool,omitempty"`
	Weight    int             `json:"weight,omitempty"`
	Likes     int64           `json:"likes,omitempty"`
	Reports   int64           `json:"reports,omitempty"`
	Protected bool            `json:"protected,omitempty"`
	Repeats   int             `json:"repeats,omitempty"`
	Extra     json.RawMessage `json:"extra,omitempty"`
}

func (ndjson) read(r *Reader) error {
	r.skipByteOrderMark()
	for {
		offset := r.taken
		end, err := r.index(0, "\n")
		open := errors.Is(err, errOpen)
		switch {
		case open && r.failed() != nil:
			return r.failed()
		case end > r.max:
			if err := r.refused(offset, refuse("Record", errLong.Error())); err != nil {
				return err
			}
			if !open && !r.skip("\n") {
				return r.failed()
			}
			end = 0
		default:
			text, repaired := clean(r.rest()[:end])
			r.stats.Repaired += repaired
			if text = bytes.TrimSpace(text); len(text) > 0 {
				c, err := parseLine(r, text)
				if err := r.deliver(offset, &c, err); err != nil {
					return err
				}
			}
		}
		if open {
			return nil
		}
		r.take(end + 1)
	}
}

// looseLine is a line whose look and time may be unusable.
type looseLine struct {
	line

	Sent   json.RawMessage `json:"sent"`
	Mode   json.RawMessage `json:"mode"`
	Color  json.RawMessage `json:"color"`
	Size   json.RawMessage `json:"size"`
	Pool   json.RawMessage `json:"pool"`
	Weight json.RawMessage `json:"weight"`
}

func parseLine(r *Reader, text []byte) (danmu.Comment, error) {
	var l looseLine
	if !jsontext.Unicode(text) {
		return danmu.Comment{}, refuse("Record", "is not Unicode")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields() // otherwise members of a later version would be lost
	if err := d.Decode(&l); err != nil {
		return danmu.Comment{}, refuse("Record", "is not a comment")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return danmu.Comment{}, refuse("Record", "has text after the object")
	}
	c := danmu.Comment{
		Object: l.Object, ID: l.ID, Key: l.Key, User: l.User, Sent: guessMember(r, l.Sent, parseRFC3339), Text: l.Text,
		Mode: danmu.Mode(guessMember(r, l.Mode, parseNatural)), Color: guessMember(r, l.Color, parseExact), Size: guessMember(r, l.Size, parseNatural),
		Pool: guessMember(r, l.Pool, parseInt), Weight: guessMember(r, l.Weight, parseInt),
		Likes: l.Likes, Reports: l.Reports, Protected: l.Protected, Repeats: l.Repeats, Extra: l.Extra,
	}
	if l.Progress < 0 || l.Progress > danmu.MaxProgress.Milliseconds() {
		return danmu.Comment{}, refuse("Progress", "is negative or too late")
	}
	c.Progress = time.Duration(l.Progress) * time.Millisecond
	return c, check(c)
}

// parseExact reads a colour of NDJSON, where white is one too.
func parseExact(s string) (danmu.Color, bool) {
	rgb, ok := parseRGB(s)
	if !ok {
		return 0, s == `""`
	}
	return danmu.RGB(rgb), true
}

func (ndjson) checkTags(tags []Tag) error { return array{}.checkTags(tags) }

func (ndjson) begin(dst []byte, _ []Tag) []byte { return dst }

func (ndjson) append(dst []byte, c danmu.Comment, _ bool) ([]byte, error) {
	l := line{
		Object: c.Object, ID: c.ID, Key: c.Key, User: c.User, Progress: c.Progress.Milliseconds(), Sent: c.Sent.UTC().Truncate(time.Millisecond), Text: c.Text, Mode: c.Mode, Size: c.Size,
		Pool: c.Pool, Weight: c.Weight, Likes: c.Likes, Reports: c.Reports, Protected: c.Protected, Repeats: c.Repeats, Extra: c.Extra,
	}
	if _, ok := c.Color.RGB(); ok {
		l.Color = hexColor(c.Color)
	}
	raw, err := marshal(l)
	return append(append(dst, raw...), '\n'), err
}

func (ndjson) end(dst []byte, _ int64) []byte { return dst }
