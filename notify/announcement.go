package notify

import (
	"encoding/json"
	"time"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
)

// Announcement is a message to everybody of an audience. Package announce keeps
// them.
type Announcement struct {
	// ID is the announcement's identity in its audience and its place in lists.
	// It is of the time when the announcement begins to show.
	ID       ids.ID          `json:"id"`
	Audience string          `json:"audience"`
	Title    string          `json:"title"`
	Text     string          `json:"text,omitzero"`
	Refs     []feed.Ref      `json:"refs,omitempty"` // what it links to
	Data     json.RawMessage `json:"data,omitempty"` // the application's own JSON

	// From is when it begins to show. Who joined later does not see it. Defaults
	// to the time of its ID.
	From time.Time `json:"from"`
	// Until is when it ceases to show, at most 90 days after From.
	Until time.Time `json:"until"`

	// Withdrawn is when it was withdrawn. Such are only in an editor's list.
	Withdrawn time.Time `json:"withdrawn,omitzero"`
}
