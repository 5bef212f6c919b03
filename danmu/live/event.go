package live

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/jsontext"
)

// Kind says what happened.
type Kind string

const (
	Sent     Kind = "sent"     // a comment was sent
	Recalled Kind = "recalled" // its sender took it back
	Removed  Kind = "removed"  // somebody else removed it
	Liked    Kind = "liked"    // its likes changed
)

// Event is something that happened to a comment. In JSON it is one flat object,
// with times in milliseconds and a colour of 24 bits; defaults are left out:
//
//	{"kind":"sent","id":"0000…","user":"ann","progress":14000,"sent":1763737373000,"text":"haha","color":16776960}
//	{"kind":"liked","id":"0000…","likes":3}
type Event struct {
	Kind Kind
	ID   danmu.ID // of the comment

	// Comment comes with Sent alone. Its Key and Reports are not published.
	Comment *danmu.Comment

	// Likes comes with Liked: how many there are now.
	Likes int64
}

func (e Event) validate(room string) error {
	switch {
	case e.Kind == "":
		return &plaza.InvalidError{Field: "Kind", Reason: "is empty"}
	case e.ID == danmu.ID{}:
		return &plaza.InvalidError{Field: "ID", Reason: "is empty"}
	case (e.Kind == Sent) != (e.Comment != nil):
		return &plaza.InvalidError{Field: "Comment", Reason: "comes with Sent, and with nothing else"}
	case e.Comment != nil && e.Comment.ID != e.ID:
		return &plaza.InvalidError{Field: "Comment.ID", Reason: "is not ID"}
	case e.Comment != nil && e.Comment.Object != room:
		return &plaza.InvalidError{Field: "Comment.Object", Reason: "is not the room"}
	}
	return nil
}

type wire struct {
	Kind      Kind            `json:"kind"`
	ID        danmu.ID        `json:"id"`
	User      string          `json:"user,omitempty"`
	Progress  *int64          `json:"progress,omitempty"`
	Sent      int64           `json:"sent,omitempty"`
	Text      string          `json:"text,omitempty"`
	Mode      danmu.Mode      `json:"mode,omitempty"`
	Color     *uint32         `json:"color,omitempty"`
	Size      int             `json:"size,omitempty"`
	Pool      int             `json:"pool,omitempty"`
	Weight    int             `json:"weight,omitempty"`
	Likes     int64           `json:"likes,omitempty"`
	Protected bool            `json:"protected,omitempty"`
	Extra     json.RawMessage `json:"extra,omitempty"`
}

// MarshalJSON writes the event for viewers and other processes.
func (e Event) MarshalJSON() ([]byte, error) {
	w := wire{Kind: e.Kind, ID: e.ID, Likes: e.Likes}
	if c := e.Comment; c != nil {
		progress := c.Progress.Milliseconds()
		w.User, w.Progress, w.Text = c.User, &progress, c.Text
		w.Mode, w.Size, w.Pool, w.Weight = c.Mode, c.Size, c.Pool, c.Weight
		w.Likes, w.Protected, w.Extra = c.Likes, c.Protected, c.Extra
		if !c.Sent.IsZero() {
			w.Sent = c.Sent.UnixMilli()
		}
		if rgb, ok := c.Color.RGB(); ok {
			w.Color = &rgb
		}
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads the JSON of MarshalJSON. That lacks the comment's Object,
// which is the room.
func (e *Event) UnmarshalJSON(data []byte) error {
	var w wire
	if err := jsontext.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("live: event: %w", err)
	}
	*e = Event{Kind: w.Kind, ID: w.ID, Likes: w.Likes}
	if w.Kind != Sent {
		return nil
	}
	e.Likes = 0
	e.Comment = &danmu.Comment{
		ID: w.ID, User: w.User, Text: w.Text, Mode: w.Mode, Size: w.Size, Pool: w.Pool, Weight: w.Weight,
		Likes: w.Likes, Protected: w.Protected, Extra: w.Extra,
	}
	if w.Progress != nil {
		e.Comment.Progress = time.Duration(*w.Progress) * time.Millisecond
	}
	if w.Sent != 0 {
		e.Comment.Sent = time.UnixMilli(w.Sent).UTC()
	}
	if w.Color != nil {
		e.Comment.Color = danmu.RGB(*w.Color)
	}
	return nil
}

// encode panics if an event cannot be written. Every event that was read can be written.
func encode(_ string, events []Event) []byte {
	data, err := json.Marshal(events)
	if err != nil {
		panic(err)
	}
	return data
}

func decode(room string, payload []byte) (e Event, err error) {
	err = e.UnmarshalJSON(payload)
	if e.Comment != nil {
		e.Comment.Object = room
	}
	return e, err
}

// maxRepeats bounds the comments of one generation of repeats.
const maxRepeats = 1 << 14

// repeats remembers the latest comments of a room, and which of them are gone. It keeps
// this generation and the one before, so for at least settled it forgets none of the last
// maxRepeats comments.
type repeats struct {
	now, before map[danmu.ID]bool // true if the comment is gone
	begun       time.Time
}

// isNew reports whether e is not a repeat. A comment that is gone, and its second
// removal, are repeats too.
func (r *repeats) isNew(e Event) bool {
	if now := time.Now(); now.Sub(r.begun) >= settled || len(r.now) >= maxRepeats {
		r.now, r.before, r.begun = map[danmu.ID]bool{}, r.now, now
	}
	gone, known := r.now[e.ID]
	if !known {
		gone, known = r.before[e.ID]
	}
	switch e.Kind {
	case Sent:
		r.now[e.ID] = gone
		return !known
	case Recalled, Removed:
		r.now[e.ID] = true
		return !gone
	}
	return true
}
