// Package edge keeps edges from tails to heads: follows and reactions are edges.
// An edge is three items: a guard, and a row in the lists of both its ends.
// One transaction writes them and the counts of both ends. A Shape says how a
// feature stores its edges.
package edge

import (
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// MaxShards is the most shards a head's lists can have.
const MaxShards = 64

// Remembered is how long a guard keeps the id of an edge that has ended. A late
// request to begin that edge is refused for this long.
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

// Shape says how edges are stored.
type Shape struct {
	// Guard, Tails, Heads and Counter begin the keys of the guards, of the lists
	// of tails and of heads, and of the counters.
	Guard, Tails, Heads, Counter string

	// Tail and Head are the attributes of list items for the two ends.
	Tail, Head string

	// Count is the attribute of counters for the edges to a head, TailCount for
	// those from a tail; "" if tails are not counted.
	Count, TailCount string

	// Kinds of edges. Each has its own lists and counts, and the edges of a
	// pair share one guard. Without kinds each guard is for one edge.
	Kinds []string

	// Stamp is an attribute that the feature adds to guards, "" if it adds none. Stamped
	// reports whether a stored one is valid.
	Stamp   string
	Stamped func(types.AttributeValue) bool

	// Apart puts each shard's counter into its own partition, so that none gets
	// hot. Otherwise all counters of a head share a partition, and one Query
	// reads them.
	Apart bool
}

// shared reports whether a guard may hold several edges.
func (s Shape) shared() bool { return len(s.Kinds) == 0 || s.Kinds[0] != "" }

// loops reports whether e leads from a name to itself and tails are counted. No such
// edge is written: its transaction would write one counter twice.
func (s Shape) loops(e Edge) bool { return s.TailCount != "" && e.Tail == e.Head }

// GuardKey is where the pair's guard is.
func (s Shape) GuardKey(e Edge) store.Key { return store.Key{PK: s.guardPK(e.Tail), SK: e.Head} }

func (s Shape) guardPK(tail string) string { return keys.Join(s.Guard, tail) }

// TailKey is where the edge is in its tail's list.
func (s Shape) TailKey(e Edge) store.Key {
	return store.Key{PK: s.tailPK(e.Tail, e.Kind), SK: e.ID.String()}
}

func (s Shape) tailPK(tail, kind string) string {
	if kind == "" {
		return keys.Join(s.Tails, tail)
	}
	return keys.Join(s.Tails, tail, kind)
}

// HeadKey is where the edge is in its head's list.
func (s Shape) HeadKey(e Edge) store.Key {
	return store.Key{PK: s.headPK(e.Head, e.Kind, e.Place-1), SK: e.ID.String()}
}

func (s Shape) headPK(head, kind string, shard int) string {
	if kind == "" {
		return keys.Join(s.Heads, head, strconv.Itoa(shard))
	}
	return keys.Join(s.Heads, head, kind, strconv.Itoa(shard))
}

// CounterKey is where a head's counter of a shard is.
func (s Shape) CounterKey(head string, shard int) store.Key {
	if s.Apart {
		return store.Key{PK: keys.Join(s.Counter, head, strconv.Itoa(shard)), SK: s.Counter}
	}
	return store.Key{PK: keys.Join(s.Counter, head), SK: strconv.Itoa(shard)}
}

// Graph keeps the edges of one shape in one table.
type Graph struct {
	Shape
	table  *store.Table
	shards func(head string) int
	now    func() time.Time

	attributes []attributes // of Kinds
}

// New does no I/O. Shards returns the number of partitions over which new edges to a
// head are spread, 1 to MaxShards. Now is the clock by which guards expire.
func New(table *store.Table, shape Shape, shards func(head string) int, now func() time.Time) *Graph {
	g := &Graph{Shape: shape, table: table, shards: shards, now: now}
	for _, kind := range shape.Kinds {
		g.attributes = append(g.attributes, attributesOf(kind))
	}
	return g
}

// expiry is the ttl of a guard whose edge ends now.
func (g *Graph) expiry() int64 { return g.now().Add(Remembered).Unix() }

// The attributes of guards and counters. If there are kinds, each has attributes of
// its own, named after it. A guard has either id, while the edge exists, or ended, the
// id of the last edge.
const (
	idAttr     = "id"
	shardAttr  = "shard" // unless it is 0
	endedAttr  = "ended"
	ttlAttr    = "ttl" // of a guard without an edge
	verAttr    = "ver" // of counters and shared guards: every write of an edge raises it
	shardsAttr = "shards"
)

// attributes are the names of one kind's attributes in a guard.
type attributes struct{ id, shard, ended string }

func attributesOf(kind string) attributes {
	return attributes{ofKind(kind, idAttr), ofKind(kind, shardAttr), ofKind(kind, endedAttr)}
}

// ofKind is the name of a kind's attribute.
func ofKind(kind, attribute string) string {
	if kind == "" {
		return attribute
	}
	return keys.Join(attribute, kind)
}

// kindIn is the kind that an attribute called name belongs to.
func kindIn(attribute, name string) (kind string, ok bool) {
	parts := keys.Split(attribute)
	switch {
	case parts[0] != name || len(parts) > 2:
		return "", false
	case len(parts) == 2:
		return parts[1], true
	}
	return "", true
}
