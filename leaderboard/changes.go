package leaderboard

import (
	"bytes"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/images"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/stream"
)

// ChangeKind says what happened to an entry.
type ChangeKind string

// The kinds of changes.
const (
	Scored   ChangeKind = "scored"  // or entered the board
	Removed  ChangeKind = "removed" // or left out, by Board.Above
	Erased   ChangeKind = "erased"  // with its player or its board
	Hidden   ChangeKind = "hidden"
	Unhidden ChangeKind = "unhidden"
)

// Change is what a write did to an entry.
type Change struct {
	Kind   ChangeKind `json:"kind"`
	Player string     `json:"player"`
	Entry  Entry      `json:"entry"` // as it was, where it was removed or erased

	Old     Score `json:"old"` // the score before; 0 unless Existed
	Existed bool  `json:"existed"`

	// Op is that of the submission, or of the call that made another change. If
	// submissions are Retractable, it is the latest of theirs.
	Op      ids.ID    `json:"op,omitzero"`
	Version uint64    `json:"version,omitzero"` // of the submission
	At      time.Time `json:"at"`               // of the write, in whole seconds
}

// Changes reads what a write to the table did to an entry; most records are
// bookkeeping and have none. Submissions that left the score as it was, and renamed
// players, are not reported, nor are entries that expire with their period. The
// table's stream needs new and old images: without them the record is
// stream.ErrView or stream.ErrTruncated. A damaged entry is plaza.ErrCorrupt.
//
// A stream may deliver a record twice, and Repair may report a score again: recognize
// the change by its Op. Scores that Retractable submissions changed may share an Op.
func Changes(r stream.Record) ([]Change, error) {
	i, err := images.Of(r)
	if err != nil {
		return nil, fmt.Errorf("leaderboard: changes: %w", err)
	}
	if keys.Split(i.Key.PK)[0] != players {
		return nil, nil
	}
	before, after, err := images.Read[changedItem](i)
	if err == nil {
		err = checkChanged(i, before, after)
	}
	if err != nil {
		return nil, fmt.Errorf("leaderboard: changes: %w", err)
	}
	return entryChanges(i, before, after), nil
}

// changedItem is an entry as one of its images has it.
type changedItem struct {
	playerItem
	Version uint64     `dynamo:"version"`
	LastOp  ids.ID     `dynamo:"lastOp"`
	Removed ids.ID     `dynamo:"removed"`
	Managed store.Mark `dynamo:"managed"`
}

// onBoard reports whether the entry is among the standings, perhaps hidden.
func (i *changedItem) onBoard() bool { return i != nil && i.Key != nil && i.Part != "" }

func checkChanged(i images.Images, items ...*changedItem) error {
	_, err := playerOf(i.Key.PK)
	if _, ok := parseEntrySK(i.Key.SK); !ok && err == nil {
		err = errPlace
	}
	for _, item := range items {
		if item.onBoard() && err == nil {
			err = item.damage()
		}
	}
	for _, image := range []dynamo.Item{i.Old, i.New} {
		if err == nil && image["key"] != nil && image["score"] == nil {
			err = errScore
		}
	}
	if err != nil {
		return i.Corrupt(err.Error())
	}
	return nil
}

func entryChanges(i images.Images, before, after *changedItem) (changes []Change) {
	player, _ := playerOf(i.Key.PK)
	c := Change{Player: player, At: i.At, Existed: before.onBoard()}
	if c.Existed {
		c.Old = before.Score
	}
	if !after.onBoard() {
		if !c.Existed {
			return nil
		}
		c.Kind, c.Entry, c.Version = Erased, before.entry(), before.Version
		switch {
		case after == nil:
		case after.Key != nil && bytes.Equal(before.Key, after.Key): // it was hidden
			c.Kind, c.Op = Removed, after.Managed.Op
		case after.Key != nil:
			c.Kind, c.Op = Removed, after.LastOp
		case !isErased(i.New), i.New["gone"] != nil:
			c.Kind, c.Op = Removed, after.Removed
		default:
			c.Op = after.Removed
		}
		return []Change{c}
	}
	c.Entry, c.Version = after.entry(), after.Version
	if !c.Existed {
		c.Old = Score{kind: after.Score.kind}
	}
	if !c.Existed || !bytes.Equal(before.Key, after.Key) {
		scored := c
		scored.Kind, scored.Op = Scored, after.LastOp
		changes = append(changes, scored)
	}
	wasHidden := c.Existed && before.entry().Hidden
	if c.Entry.Hidden != wasHidden {
		if c.Kind = Unhidden; c.Entry.Hidden {
			c.Kind = Hidden
		}
		c.Op = after.Managed.Op
		changes = append(changes, c)
	}
	return changes
}
