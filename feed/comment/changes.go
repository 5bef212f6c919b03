package comment

import (
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/images"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/stream"
)

// ChangeKind says what happened to a comment.
type ChangeKind string

// The kinds of changes.
const (
	Added    ChangeKind = "added"
	Edited   ChangeKind = "edited"
	Hidden   ChangeKind = "hidden" // of a root: with its whole thread
	Unhidden ChangeKind = "unhidden"
	Removed  ChangeKind = "removed" // also by Delete, and by Erase of its author
	Erased   ChangeKind = "erased"  // with its object
	Pinned   ChangeKind = "pinned"
	Unpinned ChangeKind = "unpinned" // also where another is pinned in its place
)

// Change is what a write did to a comment.
type Change struct {
	Kind ChangeKind `json:"kind"`

	// Comment is as Add returns it. A removed one is as it was, with its Removal;
	// an erased one is as it was. A pinned or unpinned one has only its address.
	Comment Comment `json:"comment"`

	At time.Time `json:"at"` // of the write, in whole seconds
}

// Changes reads what a write to the table did to comments; most records are
// bookkeeping and have none. An edit is reported only if it changed something, and
// a hidden root once, not for each reply. The table's stream needs new and old
// images: without them the record is stream.ErrView or stream.ErrTruncated. A
// damaged comment is plaza.ErrCorrupt.
//
// A stream may deliver a record twice: recognize the comment by its Address.
func Changes(r stream.Record) ([]Change, error) {
	i, err := images.Of(r)
	if err != nil {
		return nil, fmt.Errorf("comment: changes: %w", err)
	}
	var changes []Change
	switch parts := keys.Split(i.Key.PK); parts[0] {
	case ownRows, firstPlaces, restRows:
		changes, err = rowChanges(i)
	case headers:
		changes, err = pinChanges(i, parts)
	}
	if err != nil {
		return nil, fmt.Errorf("comment: changes: %w", err)
	}
	for at := range changes {
		changes[at].At = i.At
	}
	return changes, nil
}

func rowChanges(i images.Images) (changes []Change, err error) {
	before, after, err := images.Read[row](i)
	if err != nil {
		return nil, err
	}
	for _, row := range []*row{before, after} {
		if row != nil && row.readPartition() != nil {
			return nil, i.Corrupt(errKey.Error())
		}
	}
	was, is := before.lives(), after.lives()
	switch {
	case is && !was:
		return []Change{{Kind: Added, Comment: after.comment()}}, nil
	case was && after == nil:
		return []Change{{Kind: Erased, Comment: before.comment()}}, nil
	case before == nil || after == nil:
		return nil, nil
	case was && !is:
		removed := before.comment()
		removed.Removed = after.Removed.removal()
		changes = append(changes, Change{Kind: Removed, Comment: removed})
	case is && !store.Same(before, after):
		changes = append(changes, Change{Kind: Edited, Comment: after.comment()})
	}
	switch { // a tombstone too: its thread is hidden with it
	case after.Hidden && !before.Hidden:
		changes = append(changes, Change{Kind: Hidden, Comment: after.comment()})
	case before.Hidden && !after.Hidden:
		changes = append(changes, Change{Kind: Unhidden, Comment: after.comment()})
	}
	return changes, nil
}

func (i *row) lives() bool { return i != nil && i.Removed == nil }

// readPartition sets the rest of the address, which readKey leaves open.
func (i *row) readPartition() error {
	parts := keys.Split(i.PK)
	if parts[0] == restRows && len(parts) == 3 {
		i.rest = true
		i.at.Root, _ = ids.Parse(parts[2])
		parts = parts[:2]
	}
	if len(parts) == 2 {
		i.at.Object = parts[1]
	}
	if i.at.check("") != nil || i.key().PK != i.PK || i.key().SK != i.SK {
		return errKey
	}
	return nil
}

func pinChanges(i images.Images, parts []string) (changes []Change, err error) {
	if len(parts) != 2 || keys.CheckName("Object", parts[1]) != nil || i.Key != headerKey(parts[1]) {
		return nil, i.Corrupt("no header has its key")
	}
	before, after, err := images.Read[headerItem](i)
	if err != nil {
		return nil, err
	}
	was, is := before.pinned(), after.pinned()
	if was == is {
		return nil, nil
	}
	pin := func(kind ChangeKind, id ids.ID) {
		if id != 0 {
			changes = append(changes, Change{Kind: kind, Comment: Comment{Object: parts[1], ID: id}})
		}
	}
	pin(Unpinned, was)
	pin(Pinned, is)
	return changes, nil
}

func (i *headerItem) pinned() ids.ID {
	if i == nil {
		return 0
	}
	return i.Pinned
}
