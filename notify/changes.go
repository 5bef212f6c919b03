package notify

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/internal/images"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/stream"
)

// ChangeKind says what happened to a user's notifications.
type ChangeKind string

// The kinds of changes of a group.
const (
	Notified   ChangeKind = "notified"  // there is another event: ring the bell
	Retracted  ChangeKind = "retracted" // one event, or all
	Read       ChangeKind = "read"
	Unread     ChangeKind = "unread"
	Archived   ChangeKind = "archived" // also by Unsnooze, if it was in the archive before
	Unarchived ChangeKind = "unarchived"
	Snoozed    ChangeKind = "snoozed"
	Woken      ChangeKind = "woken" // by Unsnooze, or because it is due: then it is unseen
	Erased     ChangeKind = "erased"
)

// The kinds of changes that are not about one group.
const (
	Seen      ChangeKind = "seen"
	AllRead   ChangeKind = "allRead"
	Dismissed ChangeKind = "dismissed" // an announcement
)

// Change is what a write did to a user's notifications.
type Change struct {
	Kind  ChangeKind `json:"kind"`
	User  string     `json:"user"`
	Group string     `json:"group,omitzero"` // its name, as in Entry

	// Last is the group's place in the list, as in Entry. For a mark it is the newest place
	// that the mark covers: the mark may not cover some entries of the seconds before it.
	Last ids.ID `json:"last,omitzero"`

	Summary // of Notified and Retracted; if N is 0, nothing is left of the group

	Until        time.Time `json:"until,omitzero"`        // when a Snoozed group is due
	Announcement ids.ID    `json:"announcement,omitzero"` // the one that was Dismissed or, without a Group, Read

	At time.Time `json:"at"` // of the write, in whole seconds
}

// Changes returns what a write to the table did to a user's notifications. Bookkeeping
// and preferences have no changes; for announcements see announce.Changes. An event that
// brings its group back to the list is Notified, and no other change. The table's stream
// needs new and old images: without them the error is stream.ErrView or
// stream.ErrTruncated. A damaged item is plaza.ErrCorrupt.
//
// A stream may deliver a record twice, and an event whose Notify was late or repeated may
// be reported again with a greater Last. Activity is the group's newest event: if an older one
// comes after it, N and Last rise alone.
func Changes(r stream.Record) ([]Change, error) {
	i, err := images.Of(r)
	var changes []Change
	if parts := keys.Split(i.Key.PK); err == nil && parts[0] == users {
		changes, err = userChanges(i, parts[1:])
	}
	if err != nil {
		return nil, fmt.Errorf("notify: changes: %w", err)
	}
	return changes, nil
}

// users is the first part of the partition keys of users' items.
const users = "N"

func userChanges(i images.Images, user []string) (changes []Change, err error) {
	name, isGroup := strings.CutPrefix(i.Key.SK, groupPrefix)
	switch {
	case !isGroup && i.Key.SK != stateSK:
		return nil, nil
	case len(user) != 1 || keys.CheckName("User", user[0]) != nil:
		return nil, i.Corrupt("no user has its key")
	case isGroup:
		changes, err = groupChanges(i, name)
	default:
		changes, err = stateChanges(i)
	}
	for at := range changes {
		changes[at].User, changes[at].At = user[0], i.At
	}
	return changes, err
}

func groupChanges(i images.Images, name string) (changes []Change, err error) {
	before, after, err := images.Read[group.Image](i)
	if err != nil {
		return nil, err
	}
	if _, _, err := splitGroup(name); err != nil {
		return nil, i.Corrupt("no group has its key")
	}
	was, is := listed(before), listed(after)
	switch {
	case is && (!was || after.Came(before)):
		return headChange(i, Notified, after)
	case !was:
		return nil, nil
	case after == nil:
		return []Change{{Kind: Erased, Group: name, Last: before.PlaceID()}}, nil
	case !is:
		return []Change{{Kind: Retracted, Group: name, Last: before.PlaceID()}}, nil
	}
	if after.Lost(before) {
		if changes, err = headChange(i, Retracted, after); err != nil {
			return nil, err
		}
	}
	if kind, changed := shelfChange(before, after); changed {
		c := Change{Kind: kind, Group: name, Last: after.PlaceID()}
		if kind == Snoozed {
			_, due, _ := group.ParsePlace(after.Place)
			c.Until = due.Time()
		}
		changes = append(changes, c)
	}
	switch {
	case after.Read > before.Read:
		changes = append(changes, Change{Kind: Read, Group: name, Last: after.Read})
	case after.Unread > before.Unread, after.Read < before.Read:
		changes = append(changes, Change{Kind: Unread, Group: name, Last: after.PlaceID()})
	}
	return changes, nil
}

// listed reports whether the group has events. Then it is on a shelf.
func listed(g *group.Image) bool { return g != nil && g.N > 0 }

// headChange is a change with the group's summary.
func headChange(i images.Images, kind ChangeKind, g *group.Image) ([]Change, error) {
	shown := row{Head: g.Head}
	if err := shown.CheckItem(); err != nil {
		return nil, i.Corrupt(err.Error())
	}
	e := shown.entry
	return []Change{{Kind: kind, Group: e.Group, Last: e.Last, Summary: e.Summary}}, nil
}

// shelfChange returns the change if a group came to another shelf, or was snoozed again.
func shelfChange(before, after *group.Image) (kind ChangeKind, changed bool) {
	from, to := shelfOf(before.Head), shelfOf(after.Head)
	switch {
	case to == group.Snoozed:
		return Snoozed, after.Place != before.Place
	case from == to:
		return "", false
	case to == group.Archived:
		return Archived, true
	case from == group.Snoozed:
		return Woken, true
	}
	return Unarchived, true
}

func stateChanges(i images.Images) (changes []Change, err error) {
	before, after, err := images.Read[state](i)
	if err != nil || after == nil {
		return nil, err
	}
	if before == nil {
		before = new(state)
	}
	if after.allRead != before.allRead {
		changes = append(changes, Change{Kind: AllRead, Last: after.read.newest()})
	} else {
		read := without(after.read.above, before.read.above) // announcements
		for _, id := range read {
			changes = append(changes, Change{Kind: Read, Announcement: id, Last: id})
		}
		seen := without(after.seen.above, slices.Concat(before.seen.above, read))
		if after.seen.upTo != before.seen.upTo || len(seen) > 0 {
			changes = append(changes, Change{Kind: Seen, Last: after.seen.newest()})
		}
	}
	for _, d := range after.gone {
		if !before.dismissed(d.id) {
			changes = append(changes, Change{Kind: Dismissed, Announcement: d.id})
		}
	}
	return changes, nil
}

// without are the ids that others lack.
func without(list, others []ids.ID) []ids.ID {
	return slices.DeleteFunc(slices.Clone(list), func(id ids.ID) bool { return slices.Contains(others, id) })
}

// newest is the newest id that is covered.
func (m marks) newest() ids.ID { return slices.Max(append(m.above, m.upTo)) }
