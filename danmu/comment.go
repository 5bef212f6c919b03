package danmu

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/jsontext"
)

// Comment is a danmu: a text that flies over an object, most often a video, at
// a moment of its playing time.
//
// Its JSON is for viewers: it leaves out Key and Reports. Progress is in
// milliseconds there.
type Comment struct {
	Object string

	// ID is set by Send or Import. Set it to repeat a Send.
	ID ID

	// Key is the caller's name for this comment: a Send that is repeated with
	// the same Object, User, Key and Progress is one comment. Lists leave it
	// out. Of an imported comment it is the file's id, and lists show it. It is
	// not in the JSON.
	Key string

	// User is the sender. Only imported comments may have none.
	User string

	// Progress is the playing time, in whole milliseconds.
	Progress time.Duration

	// Sent is when it was sent, in whole milliseconds. Send sets it.
	Sent time.Time

	Text  string
	Mode  Mode
	Color Color
	Size  int // of the text, in pixels of a player 540 high; 0 is the usual 25

	// Pool and Weight come from Bilibili's files: the pool of the comment, and
	// how much it is worth showing (higher is better).
	Pool, Weight int

	Likes int64

	// Reports is how many users reported the comment. Viewers must not see that
	// number: it is not in the JSON.
	Reports int64

	// Neither a Cap nor reports hide a Protected comment.
	Protected bool

	// Repeats is how many equal comments WindowOptions.Merge has merged into
	// this one.
	Repeats int

	// Extra is a JSON object with the other fields of an imported record, as
	// danmu/format reads it.
	Extra json.RawMessage
}

// commentJSON is a Comment as viewers see it. A line of danmu/format's NDJSON
// has the same names.
type commentJSON struct {
	Object    string          `json:"object"`
	ID        ID              `json:"id"`
	User      string          `json:"user,omitzero"`
	Progress  int64           `json:"progress"` // ms
	Sent      time.Time       `json:"sent,omitzero"`
	Text      string          `json:"text"`
	Mode      Mode            `json:"mode"`
	Color     Color           `json:"color,omitzero"`
	Size      int             `json:"size,omitzero"`
	Pool      int             `json:"pool,omitzero"`
	Weight    int             `json:"weight,omitzero"`
	Likes     int64           `json:"likes"`
	Protected bool            `json:"protected,omitzero"`
	Repeats   int             `json:"repeats,omitzero"`
	Extra     json.RawMessage `json:"extra,omitempty"`
}

// MarshalJSON writes what viewers may see.
func (c Comment) MarshalJSON() ([]byte, error) {
	return json.Marshal(commentJSON{
		Object: c.Object, ID: c.ID, User: c.User, Progress: c.Progress.Milliseconds(), Sent: c.Sent,
		Text: c.Text, Mode: c.Mode, Color: c.Color, Size: c.Size, Pool: c.Pool, Weight: c.Weight,
		Likes: c.Likes, Protected: c.Protected, Repeats: c.Repeats, Extra: c.Extra,
	})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Comment) UnmarshalJSON(data []byte) error {
	var j commentJSON
	if err := jsontext.Unmarshal(data, &j); err != nil {
		return err
	}
	progress, err := parseMilliseconds("Progress", j.Progress)
	if err != nil {
		return err
	}
	*c = Comment{
		Object: j.Object, ID: j.ID, User: j.User, Progress: progress, Sent: j.Sent,
		Text: j.Text, Mode: j.Mode, Color: j.Color, Size: j.Size, Pool: j.Pool, Weight: j.Weight,
		Likes: j.Likes, Protected: j.Protected, Repeats: j.Repeats, Extra: j.Extra,
	}
	return nil
}

// Mode is how a comment moves. The numbers are those of Bilibili's files; the
// zero Mode scrolls. Other numbers are kept as they are.
type Mode int

// Modes that players know.
const (
	Scroll     Mode = 0 // from right to left; 1 in files
	Bottom     Mode = 4
	Top        Mode = 5
	Reverse    Mode = 6 // from left to right
	Positioned Mode = 7 // Text is a JSON array: place, path, duration …
	Code       Mode = 8
	BAS        Mode = 9
)

// Color is a colour that the sender chose, which may be black. The zero Color is
// the viewer's default. In JSON a Color is "#FF0000", and the zero Color "".
type Color uint32

const chosen = 1 << 24

// RGB returns a colour of 24 bits, red highest, as in files: 0 is black.
func RGB(rgb uint32) Color { return Color(rgb&0xFFFFFF) | chosen }

// RGB returns the 24 bits, and whether a colour was chosen at all.
func (c Color) RGB() (rgb uint32, ok bool) { return uint32(c) & 0xFFFFFF, c&chosen != 0 }

// MarshalJSON writes "#FF0000", or "" for the zero Color.
func (c Color) MarshalJSON() ([]byte, error) {
	rgb, ok := c.RGB()
	if !ok {
		return []byte(`""`), nil
	}
	return fmt.Appendf(nil, `"#%06X"`, rgb), nil
}

// UnmarshalJSON reads what MarshalJSON wrote, in lower case too.
func (c *Color) UnmarshalJSON(data []byte) error {
	var text string
	if err := jsontext.Unmarshal(data, &text); err != nil {
		return err
	}
	if text == "" {
		*c = 0
		return nil
	}
	digits, marked := strings.CutPrefix(text, "#")
	rgb, err := strconv.ParseUint(digits, 16, 24)
	if !marked || len(digits) != 6 || err != nil {
		return &plaza.InvalidError{Field: "Color", Reason: `is not of the form "#RRGGBB"`}
	}
	*c = RGB(uint32(rgb))
	return nil
}
