package notify

import (
	"time"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
)

// Window is how long a write may take, and how far clocks may differ, so that a
// mark never covers what its reader was not shown.
const Window = 10 * time.Second

// Reader is who reads a list.
type Reader struct {
	User      string
	Joined    time.Time // announcements from before it do not show
	Audiences []string  // of announcements
}

// Entry is a row of a list: a group of events, or an announcement.
type Entry struct {
	Group string `json:"group,omitzero"` // its name, empty for an announcement
	Last  ids.ID `json:"last"`           // its place in the list, newest first

	// Activity is the newest event. If that was retracted, it is the newest that
	// is left, without Data.
	Activity feed.Activity `json:"activity,omitzero"`
	Actors   []feed.Ref    `json:"actors,omitempty"` // up to 5 of the newest, newest first
	N        int           `json:"n,omitzero"`       // events, or actors, up to 100
	More     bool          `json:"more,omitzero"`    // there were more than N

	Announcement *Announcement `json:"announcement,omitempty"`

	Seen bool `json:"seen"`
	Read bool `json:"read"` // what is read is seen

	Until time.Time `json:"until,omitzero"` // when a snoozed group is due

	// Listed is when the list was read, for See.
	Listed ids.ID `json:"listed"`
}

// Count is how many entries of a list are unseen.
type Count struct {
	N    int  `json:"n"`    // at most 100
	More bool `json:"more"` // there may be more than N
}

// In names a group of a user.
type In struct{ User, Group string }

// Shown is a group as the user was shown it.
type Shown struct {
	Group string `json:"group"`
	Last  ids.ID `json:"last"` // Entry.Last
}

// View is what a list showed, for the marks. A client may keep it and send it back.
type View struct {
	At     ids.ID   `json:"at"`               // when the list began
	Newest ids.ID   `json:"newest"`           // the newest entry
	Recent []ids.ID `json:"recent,omitempty"` // those younger than Window then
}
