package danmu

import (
	"errors"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/images"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/stream"
)

// ChangeKind says what happened to a comment.
type ChangeKind string

// The kinds of changes.
const (
	Sent        ChangeKind = "sent" // or imported
	Recalled    ChangeKind = "recalled"
	Removed     ChangeKind = "removed"
	Erased      ChangeKind = "erased" // with its user or its object
	Protected   ChangeKind = "protected"
	Unprotected ChangeKind = "unprotected"
	Liked       ChangeKind = "liked"
	Unliked     ChangeKind = "unliked"
	Reported    ChangeKind = "reported"
	Unreported  ChangeKind = "unreported" // by Erase of the user who reported
)

// Change is what a write did to a comment.
type Change struct {
	Kind ChangeKind `json:"kind"`

	// Comment is the comment; after a recall, removal or erasure, as it was before. For
	// likes and reports it has only Object, ID and Progress.
	Comment Comment `json:"comment"`

	By string    `json:"by,omitzero"` // whose like or report began or ended
	Op ids.ID    `json:"op,omitzero"` // of the like, report or protection that began or ended
	At time.Time `json:"at"`          // of the write, in whole seconds
}

// Changes reads what a write to the table did to a comment; most records are bookkeeping and have
// none. It does not report that users' reports have hidden a comment. The table's stream needs new
// and old images: without them the error is stream.ErrView or stream.ErrTruncated. A damaged item
// is plaza.ErrCorrupt.
//
// A stream may deliver a record twice. A comment that was sent twice while its
// object's shards grew is reported twice: each has its Object and its ID.
func Changes(r stream.Record) ([]Change, error) {
	i, err := images.Of(r)
	var changes []Change
	if err == nil {
		switch keys.Split(i.Key.PK)[0] {
		case commentPrefix:
			changes, err = commentChanges(i)
		case reactionPrefix:
			changes, err = reactionChanges(i)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("danmu: changes: %w", err)
	}
	for at := range changes {
		changes[at].At = i.At
	}
	return changes, nil
}

func commentChanges(i images.Images) ([]Change, error) {
	before, after, err := images.Read[commentItem](i)
	if err != nil {
		return nil, err
	}
	p, ok := parsePlace(i.Key.PK)
	id, err := ParseID(i.Key.SK)
	if !ok || p.pk() != i.Key.PK || err != nil || checkAddress(p.object, id) != nil {
		return nil, i.Corrupt("no comment has its key")
	}
	was, is := before.lives(), after.lives()
	switch {
	case is && !was:
		return []Change{{Kind: Sent, Comment: after.comment(p.object)}}, nil
	case !was:
		return nil, nil
	case !is:
		kind, err := after.end()
		if err != nil {
			return nil, i.Corrupt(err.Error())
		}
		return []Change{{Kind: kind, Comment: before.comment(p.object)}}, nil
	case after.Protected && !before.Protected:
		return []Change{{Kind: Protected, Comment: after.comment(p.object), Op: after.Protect.Call}}, nil
	case before.Protected && !after.Protected:
		return []Change{{Kind: Unprotected, Comment: after.comment(p.object), Op: before.Protect.Call}}, nil
	}
	return nil, nil
}

func (i *commentItem) lives() bool { return i != nil && !i.gone() }

// end returns how a comment ended. i is its item now, nil if that is gone too.
func (i *commentItem) end() (ChangeKind, error) {
	if i == nil {
		return Erased, nil
	}
	switch i.State {
	case recalled:
		return Recalled, nil
	case removed:
		return Removed, nil
	case erased:
		return Erased, nil
	}
	return "", errState
}

func reactionChanges(i images.Images) (changes []Change, err error) {
	before, after, err := images.Read[reactionItem](i)
	if err != nil {
		return nil, err
	}
	change := func(item *reactionItem, begun bool) error {
		a, k, err := item.reaction()
		if err == nil {
			err = errors.Join(checkAddress(a.Object, a.ID), keys.CheckName("User", a.User))
		}
		if err != nil {
			return i.Corrupt(err.Error())
		}
		if item.Op != 0 {
			c := Comment{Object: a.Object, ID: a.ID, Progress: a.ID.Progress()}
			changes = append(changes, Change{Kind: k.change(begun), Comment: c, By: a.User, Op: item.Op})
		}
		return nil
	}
	if before != nil && after != nil && before.Op == after.Op && before.Op != 0 {
		return nil, nil
	}
	if before != nil {
		err = change(before, false)
	}
	if after != nil && err == nil {
		err = change(after, true)
	}
	if err != nil {
		return nil, err
	}
	return changes, nil
}

// change returns the kind of change when a reaction of this kind begins or ends.
func (k kind) change(begun bool) ChangeKind {
	switch {
	case k == liking && begun:
		return Liked
	case k == liking:
		return Unliked
	case begun:
		return Reported
	}
	return Unreported
}
