package notify

import (
	"encoding/json"
	"errors"
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
	shelf, id, err := group.ParsePlace(w.Place)
	w.entry.Last = id
	if shelf == group.Snoozed && err == nil {
		w.entry.Until = id.Time()
		w.entry.Last = listedAt(w.Head)
	}
	return err
}

// listedAt is the id of the group's place in the list, or of what it will be once
// the group is back there.
func listedAt(h group.Head) ids.ID {
	shelf, id, err := group.ParsePlace(h.Place)
	if err == nil && shelf == group.Snoozed {
		shelf, id, err = group.ParsePlace(h.Was)
	}
	if err != nil || shelf == group.Snoozed {
		return h.Last
	}
	return id
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

// hasRead reports whether the user has read a group, or an announcement. What it
// shows is as old as its place.
func (s *state) hasRead(h group.Head, at ids.ID) bool {
	return h.Read >= at || s.read.cover(at) && h.Unread <= s.allRead
}

// hasSeen is hasRead for seen.
func (s *state) hasSeen(h group.Head, at ids.ID) bool {
	return s.seen.cover(at) || s.hasRead(h, at)
}
