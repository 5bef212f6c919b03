package notify

import (
	"cmp"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Window is how long a write may take, and how far clocks may differ, so that a mark never
// covers an event that its reader was not shown. A quarter of it is for a write that is in
// time, a half for clocks, and a quarter for a request that is applied after its caller
// gave up.
const Window = 20 * time.Second

const inTime = Window / 4

// Reader is the user who reads a list or a count.
type Reader struct {
	User      string
	Joined    time.Time // earlier announcements do not show, unless this is zero
	Audiences []string  // whose announcements show
	Filter    Filter    // Defaults to all entries.
}

// Filter says which entries a list or a count has.
type Filter struct {
	Unread bool // only those

	// Verbs are those whose groups show, by their newest events, at most 20: a kind, or a tag that your application
	// gives to several. Without any all show, and announcements.
	Verbs []string
}

const maxVerbs = 20 // of a Filter

func (r Reader) check() error {
	return cmp.Or(keys.CheckName("User", r.User),
		args.Count("Filter.Verbs", len(r.Filter.Verbs), "verbs", maxVerbs), keys.CheckNames("Filter.Verbs", r.Filter.Verbs))
}

// text differs for filters of different entries, and is empty for that of all.
func (f Filter) text() string {
	verbs := slices.Compact(slices.Sorted(slices.Values(f.Verbs)))
	switch {
	case f.Unread:
		return keys.Join(append([]string{"unread"}, verbs...)...)
	case len(verbs) > 0:
		return keys.Join(append([]string{"all"}, verbs...)...)
	}
	return ""
}

// of reports whether the filter lets the verb's groups pass.
func (f Filter) of(verb string) bool { return len(f.Verbs) == 0 || slices.Contains(f.Verbs, verb) }

// Entry is a row of a list: a group of events, or an announcement, which has no Group and
// no Summary.
type Entry struct {
	Group string `json:"group,omitzero"` // its name, empty for an announcement
	Last  ids.ID `json:"last"`           // its place in the list, newest first

	Summary

	Announcement *Announcement `json:"announcement,omitempty"`

	Seen bool `json:"seen"`
	Read bool `json:"read"` // a read entry is seen too

	Until time.Time `json:"until,omitzero"` // when a snoozed group comes back

	// Listed is when the list was read. See needs it. It is zero if the Filter had Verbs.
	Listed ids.ID `json:"listed"`
}

// Summary is what a list shows of a group's events.
type Summary struct {
	// Activity is the newest event. If that was retracted, it is the newest that is
	// left, and has no Data.
	Activity feed.Activity `json:"activity,omitzero"`
	Actors   []feed.Ref    `json:"actors,omitempty"` // up to 5 of the newest events, newest first
	N        int           `json:"n,omitzero"`       // events, or actors, up to 100
	More     bool          `json:"more,omitzero"`    // there were more than N
}

// Count is how many entries of a list are unseen, or unread.
type Count struct {
	N    int  `json:"n"`    // at most 100
	More bool `json:"more"` // there may be more than N
}

// In names a user's group.
type In struct {
	User  string `json:"user"`
	Group string `json:"group"`
}

// Shown is an entry in the state that the user was shown.
type Shown struct {
	Group string `json:"group,omitzero"` // Entry.Group; empty for an announcement
	Last  ids.ID `json:"last"`           // Entry.Last
}

// View says which entries List showed. It covers these, and all entries further down that
// are older than Window. A client may keep it and send it back.
type View struct {
	At     ids.ID   `json:"at"`               // when the list was read
	Newest ids.ID   `json:"newest"`           // the newest entry
	Recent []ids.ID `json:"recent,omitempty"` // those younger than Window at that time
}
