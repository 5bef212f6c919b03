package follow

import (
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza/stream"
)

// ChangeKind says what happened to an edge.
type ChangeKind string

// The kinds of changes.
const (
	Followed   ChangeKind = "followed"
	Unfollowed ChangeKind = "unfollowed"
)

// Change is what a write did to an edge.
type Change struct {
	Kind     ChangeKind `json:"kind"`
	Edge     Edge       `json:"edge"`
	Imported bool       `json:"imported,omitzero"` // Import wrote the edge
	At       time.Time  `json:"at"`                // of the write, in whole seconds
}

// Changes reads what a write to the table did to edges; most records are
// bookkeeping and have none. The table's stream needs new and old images:
// without them the record is stream.ErrView or stream.ErrTruncated. A damaged edge
// is plaza.ErrCorrupt.
//
// A stream may deliver a record twice, and Repair may report an edge again: recognize
// the edge by its ID.
func Changes(r stream.Record) ([]Change, error) {
	found, err := shape().Changes(r)
	if err != nil {
		return nil, fmt.Errorf("follow: changes: %w", err)
	}
	changes := make([]Change, len(found))
	for i, c := range found {
		changes[i] = Change{Kind: Unfollowed, Edge: edgeOf(c.Edge), Imported: importOf(c.Old) != "", At: c.At}
		if c.Began {
			changes[i].Kind, changes[i].Imported = Followed, importOf(c.New) != ""
		}
	}
	return changes, nil
}
