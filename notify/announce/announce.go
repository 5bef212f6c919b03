package announce

import (
	"bytes"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/notify"
)

// CacheTTL is how long a process shows the announcements of an audience before it
// reads them again.
const CacheTTL = 30 * time.Second

// Limits of an announcement.
const (
	MaxSize  = 4 << 10             // bytes of Title, Text, Refs and Data together
	MaxRefs  = 20                  // the number of Refs
	MaxLife  = 90 * 24 * time.Hour // from From to Until
	MaxAhead = 90 * 24 * time.Hour // from Announce to From
)

// MaxLive is how many announcements of an audience show: the newest that are
// neither withdrawn nor over.
const MaxLive = 100

const (
	// lead is how long an announcement is stored before it shows, so that every process
	// has read it by then. Window is for the write and for clocks that differ.
	lead = CacheTTL + notify.Window

	// minLead is what must be left of lead when the write is acknowledged.
	minLead = lead - notify.Window/4
)

// earliest is the time at which a can begin to show if it is written now.
func earliest(a notify.Announcement, now time.Time) time.Time {
	if at := now.Add(lead); at.After(a.From) {
		return at
	}
	return a.From
}

// late reports whether it is too late to write a under its ID: a process might still
// show a list without a at the ID's time, or a would show before its From.
func late(a notify.Announcement, now time.Time) bool {
	shows := a.ID.Time()
	return shows.Before(now.Add(minLead)) || shows.Before(a.From)
}

// check returns a as it will be read back.
func check(a notify.Announcement, now time.Time) (notify.Announcement, error) {
	if err := keys.CheckName("Audience", a.Audience); err != nil {
		return a, err
	}
	if err := checkContent(a); err != nil {
		return a, err
	}
	a = normal(a)
	return a, checkTimes(a, now)
}

// normal is a as it will be read back.
func normal(a notify.Announcement) notify.Announcement {
	if len(a.Refs) == 0 {
		a.Refs = nil
	}
	if len(a.Data) == 0 {
		a.Data = nil
	}
	a.From, a.Until = inMillis(a.From), inMillis(a.Until)
	a.Edited, a.Withdrawn = time.Time{}, time.Time{}
	return a
}

func inMillis(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.Round(0).UTC().Truncate(time.Millisecond)
}

func checkContent(a notify.Announcement) error {
	if err := keys.CheckName("Title", a.Title); err != nil {
		return err
	}
	if !utf8.ValidString(a.Text) {
		return &plaza.InvalidError{Field: "Text", Reason: "is not UTF-8"}
	}
	if err := args.Count("Refs", len(a.Refs), "refs", MaxRefs); err != nil {
		return err
	}
	size := len(a.Title) + len(a.Text) + len(a.Data)
	for i, ref := range a.Refs {
		size += len(ref.String())
		if read, err := feed.ParseRef(ref.String()); err != nil || read != ref {
			return &plaza.InvalidError{Field: fmt.Sprintf("Refs[%d]", i), Reason: "is not a Ref"}
		}
	}
	if err := args.Count("Announcement", size, "bytes", MaxSize); err != nil {
		return err
	}
	if len(a.Data) > 0 && !jsontext.Valid(a.Data) {
		return &plaza.InvalidError{Field: "Data", Reason: "is not JSON in UTF-8"}
	}
	return nil
}

// checkID refuses ids of times for which nothing can be announced yet.
func checkID(id ids.ID, now time.Time) error {
	if err := keys.CheckID("ID", id); err != nil {
		return err
	}
	if id.Time().After(now.Add(MaxAhead + keys.MaxAhead)) {
		return &plaza.InvalidError{Field: "ID", Reason: fmt.Sprintf("is more than %v ahead", MaxAhead)}
	}
	return nil
}

func checkTimes(a notify.Announcement, now time.Time) error {
	if a.ID != 0 {
		if err := checkID(a.ID, now); err != nil {
			return err
		}
	}
	shows := earliest(a, now)
	from, ends := a.From, now
	switch {
	case from.After(now.Add(MaxAhead)):
		return &plaza.InvalidError{Field: "From", Reason: fmt.Sprintf("is more than %v ahead", MaxAhead)}
	case from.IsZero() && a.ID.Time().After(shows):
		from = a.ID.Time()
	case from.IsZero():
		from = shows
	}
	if a.ID == 0 {
		ends = shows // a repeat may come later
	}
	if a.Until.IsZero() {
		return &plaza.InvalidError{Field: "Until", Reason: "is empty"}
	}
	if a.From.After(ends) {
		ends = a.From
	}
	return checkUntil(a.Until, from, ends)
}

// checkUntil checks the end of an announcement that begins to show after a time.
func checkUntil(until, from, after time.Time) error {
	switch {
	case !until.After(after):
		return &plaza.InvalidError{Field: "Until", Reason: "is before it can show"}
	case until.After(from.Add(MaxLife)):
		return &plaza.InvalidError{Field: "Until", Reason: fmt.Sprintf("is more than %v after From", MaxLife)}
	}
	return nil
}

// same reports whether given is a repeat of the stored one. A From of its ID's time is the
// default. What was edited is compared with nothing.
func same(given, stored notify.Announcement) bool {
	if !stored.Edited.IsZero() {
		return true
	}
	from := given.From
	if from.IsZero() {
		from = given.ID.Time()
	}
	byDefault := from.Equal(given.ID.Time())
	return sameContent(given, stored) && (from.Equal(stored.From) || byDefault && stored.From.Equal(stored.ID.Time()))
}

// sameContent compares what Edit replaces.
func sameContent(a, b notify.Announcement) bool {
	return a.Title == b.Title && a.Text == b.Text && slices.Equal(a.Refs, b.Refs) &&
		bytes.Equal(a.Data, b.Data) && a.Until.Equal(b.Until)
}

// shows reports whether a reader who joined then sees a now.
func shows(a notify.Announcement, now, joined time.Time) bool {
	return !a.ID.Time().After(now) && now.Before(a.Until) && !joined.After(a.From)
}

// clone is a copy that shares nothing with a.
func clone(a notify.Announcement) notify.Announcement {
	a.Refs, a.Data = slices.Clone(a.Refs), slices.Clone(a.Data)
	return a
}
