// Package edge keeps edges from tails to heads: follows and reactions are edges.
// An edge is three items: a guard, and a place in the lists of both its ends.
// One transaction writes them and the counts of both ends. A Shape says how a
// feature stores its edges.
package edge

import (
	"time"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// MaxShards is the most shards a head's lists can have.
const MaxShards = 64

// Remembered is how long a guard without an edge keeps the id of the last one:
// a request that arrives within this time begins nothing.
const Remembered = 30 * 24 * time.Hour

// attempts bounds how often a write is tried when the edge keeps changing.
const attempts = 5

// Edge leads from Tail to Head. A pair has at most one of each kind.
type Edge struct {
	Tail, Head string
	Kind       string // "" where the shape has no kinds
	ID         ids.ID // its identity and its place in the lists

	// Place is the shard of Head's list that holds the edge, plus one; 0 if it
	// is not known.
	Place int
}

// Ends are the edges that lead from Tail and those that lead to Head. Either may
// be "".
type Ends struct{ Tail, Head string }

// Graph keeps the edges of one shape in one table.
type Graph struct {
	Shape
	table  *store.Table
	shards func(head string) int
	now    func() time.Time

	attributes []attributes // of Kinds
}

// New does no I/O. Shards returns over how many partitions new edges to a head
// are spread, 1 to MaxShards. Now is the clock by which guards expire.
func New(table *store.Table, shape Shape, shards func(head string) int, now func() time.Time) *Graph {
	g := &Graph{Shape: shape, table: table, shards: shards, now: now}
	for _, kind := range shape.Kinds {
		g.attributes = append(g.attributes, attributesOf(kind))
	}
	return g
}
