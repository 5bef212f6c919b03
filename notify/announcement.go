package notify

import (
	"encoding/json"
	"time"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
)

// Announcement is a message to everybody in an audience. Package announce keeps
// them.
type Announcement struct {
	// ID is the announcement's identity in its audience and its place in lists. Its
	// time is when the announcement begins to show. If it is zero, Announce mints one.
	ID       ids.ID          `json:"id"`
	Audience string          `json:"audience"` // a name of yours, such as "everyone"
	Title    string          `json:"title"`    // required
	Text     string          `json:"text,omitzero"`
	Refs     []feed.Ref      `json:"refs,omitempty"` // what it links to
	Data     json.RawMessage `json:"data,omitempty"` // the application's own JSON

	// From is when it begins to show. Users who joined later do not see it. Defaults
	// to the time of its ID.
	From time.Time `json:"from"`
	// Until is when it stops showing, at most 90 days after From; required.
	Until time.Time `json:"until"`

	Edited time.Time `json:"edited,omitzero"` // zero if it was never edited

	// Withdrawn is when it was withdrawn. Only announce's List shows withdrawn
	// ones.
	Withdrawn time.Time `json:"withdrawn,omitzero"`
}
