package danmu

import (
	"encoding/json"
	"time"
)

// Comment is a danmu: a text that flies over an object, most often a video,
// at a moment of its playing time.
type Comment struct {
	Object string

	// ID is given by Send or Import. Set it to repeat a Send.
	ID ID

	// Key is the caller's name for this comment: a Send that is repeated with
	// the same Object, User, Key and Progress is one comment. Lists do not show
	// it. With imported comments it is the file's id, and is kept.
	Key string

	// User sent it. Only imported comments may have none.
	User string

	// Progress is the playing time, in whole milliseconds.
	Progress time.Duration

	// Sent is when it was sent, in whole milliseconds. Send sets it.
	Sent time.Time

	Text  string
	Mode  Mode
	Color Color
	Size  int // of the text, in pixels of a player 540 high; 0 is the usual 25

	// Pool and Weight are what Bilibili's files have beside: which pool it lies
	// in, and how much it is worth showing (higher is better).
	Pool, Weight int

	Likes, Reports int64
	Protected      bool // stays whatever the cap and the reports

	// Repeats is how many equal comments this one stands for beside itself,
	// where WindowOptions.Merge has merged them.
	Repeats int

	// Extra is a JSON object of what an imported file had beside, as
	// danmu/format reads it.
	Extra json.RawMessage
}

// Mode says how a comment moves. The numbers are those of Bilibili's files;
// the zero Mode scrolls. Other numbers are kept as they are.
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

// Color is a colour that was chosen, also black. The zero Color is the
// viewer's default.
type Color uint32

const chosen = 1 << 24

// RGB is a colour of 24 bits, red highest, as files write it: 0 is black.
func RGB(rgb uint32) Color { return Color(rgb&0xFFFFFF) | chosen }

// RGB returns the 24 bits, and whether a colour was chosen at all.
func (c Color) RGB() (rgb uint32, ok bool) { return uint32(c) & 0xFFFFFF, c&chosen != 0 }
