package notify

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/keys"
)

//go:generate rm -f row_gen.go
//go:generate go test -run TestTheCodeOfRowsIsGenerated -write

// row is a row of a list: a group or an announcement.
type row struct {
	group.Head
	entry Entry // without Seen and Read
}

// CheckItem makes the entry of a group, and refuses what cannot be shown.
func (w *row) CheckItem() error {
	if err := w.Head.CheckItem(); err != nil {
		return err
	}
	name, ok := strings.CutPrefix(w.SK, groupPrefix)
	if !ok {
		return errors.New("it is no group")
	}
	w.entry = Entry{Group: name, Summary: Summary{N: int(w.N), More: w.More}}
	if err := jsontext.Unmarshal([]byte(w.Data), &w.entry.Activity); err != nil {
		return err
	}
	for _, text := range w.Actors() {
		actor, err := feed.ParseRef(text)
		if err != nil {
			return err
		}
		w.entry.Actors = append(w.entry.Actors, actor)
	}
	w.entry.Last = w.PlaceID()
	shelf, due, err := group.ParsePlace(w.Place)
	if shelf == group.Snoozed {
		w.entry.Until = due.Time()
	}
	return err
}

func expired(h *group.Head, now time.Time) bool { return h.TTL != 0 && h.TTL <= now.Unix() }

// announced returns an announcement as a row.
func announced(a Announcement) row {
	return row{
		Head:  group.Head{Place: announcementPlace(a.ID), Last: a.ID},
		entry: Entry{Last: a.ID, Announcement: &a},
	}
}

// announcementPlace is the place of an announcement among the groups.
func announcementPlace(id ids.ID) string { return id.String() + "#" }

// flags reports whether the user has seen and read the group or announcement whose
// place has that id.
func (s *state) flags(h *group.Head, at ids.ID) (seen, read bool) {
	read = h.Read >= at || s.read.has(h, at) && h.Unread <= s.allRead
	return read || s.seen.has(h, at), read
}

// has reports whether the marks cover a group whose place has that id, or an earlier place
// at which a list showed everything that is left of the group.
func (m marks) has(h *group.Head, at ids.ID) bool {
	return at <= m.upTo || m.names(h)
}

// names reports whether the list of single marks has such a place. Then the user was shown
// the group there. A watermark proves less: it may also cover an event that came late.
func (m marks) names(h *group.Head) bool {
	return len(m.above) > 0 && h.Shown(func(id ids.ID) bool { return slices.Contains(m.above, id) })
}

// named reports whether the single marks of the group's user are known to have it.
func (r *Repository) named(ctx context.Context, h group.Head) bool {
	s, err := r.load(ctx, keys.Split(h.PK)[1])
	return err == nil && s.seen.names(&h)
}
