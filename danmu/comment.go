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
