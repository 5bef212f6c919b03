package notify

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/group"
)

// row is a row of a list: a group, an announcement, or the state that is read with
// the first page.
type row struct {
	group.Head
	entry Entry // without what the state says
	state *state
}

// UnmarshalDynamoItem refuses groups that cannot be shown.
func (w *row) UnmarshalDynamoItem(item dynamo.Item) error {
	if err := w.Head.UnmarshalDynamoItem(item); err != nil {
		return err
	}
	return w.show()
}

// show makes the entry of a group.
func (w *row) show() error {
	name, ok := strings.CutPrefix(w.SK, groupPrefix)
	if !ok {
		return errors.New("it is no group")
	}
	w.entry = Entry{Group: name, N: int(w.N), More: w.More}
	if err := json.Unmarshal([]byte(w.Data), &w.entry.Activity); err != nil {
		return err
	}
	for _, text := range w.Head.Actors {
		if text == "" {
			break
		}
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

func expired(h group.Head, now time.Time) bool { return h.TTL != 0 && h.TTL <= now.Unix() }

// announced is the row of an announcement.
func announced(a Announcement) row {
	return row{
		Head:  group.Head{Place: announcementPlace(a.ID), Last: a.ID},
		entry: Entry{Last: a.ID, Announcement: &a},
	}
}

// announcementPlace is where an announcement stands among the groups.
func announcementPlace(id ids.ID) string { return id.String() + "#" }

// hasRead reports whether the user has read a group, or an announcement.
func (s *state) hasRead(h group.Head) bool {
	return h.Read >= h.PlaceID() || s.read.has(h) && h.Unread <= s.allRead
}

// hasSeen is hasRead for seen.
func (s *state) hasSeen(h group.Head) bool { return s.seen.has(h) || s.hasRead(h) }

// has reports whether the marks cover a group. What was shown under Last was seen,
// even if its newest event was retracted since.
func (m marks) has(h group.Head) bool {
	at := h.PlaceID()
	return at <= m.upTo || slices.ContainsFunc(m.above, func(id ids.ID) bool { return id == at || id == h.Last })
}
