package reaction

import (
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza/stream"
)

// ChangeKind says what happened to a reaction.
type ChangeKind string

// The kinds of changes.
const (
	Reacted   ChangeKind = "reacted"
	Unreacted ChangeKind = "unreacted"
)

// Change is what a write did to a reaction.
type Change struct {
	Kind     ChangeKind `json:"kind"`
	Reaction Reaction   `json:"reaction"`
	At       time.Time  `json:"at"` // of the write, in whole seconds
}

// Changes reads what a write to the table did to reactions, of any kind; most
// records are bookkeeping and have none. A switch is two: the old reaction ended,
// then the new one began. The table's stream needs new and old images: without
// them the record is stream.ErrView or stream.ErrTruncated. A damaged reaction is
// plaza.ErrCorrupt.
//
// A stream may deliver a record twice, and Repair may report a reaction again:
// recognize the reaction by its ID.
func Changes(r stream.Record) ([]Change, error) {
	found, err := shape(nil).Changes(r)
	if err != nil {
		return nil, fmt.Errorf("reaction: changes: %w", err)
	}
	changes := make([]Change, len(found))
	for i, c := range found {
		changes[i] = Change{Kind: Unreacted, Reaction: reactionOf(c.Edge), At: c.At}
		if c.Began {
			changes[i].Kind = Reacted
		}
	}
	return changes, nil
}
