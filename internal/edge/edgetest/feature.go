package edgetest

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/stream"
)

// Edge is an edge as applications see it.
type Edge struct {
	Tail, Head string
	Kind       string // "" where the feature has no kinds
	ID         ids.ID
}

// Feature is a package under test. E is its type for an edge.
type Feature[E any] struct {
	// New opens a table as a new process.
	New func(db *dynamo.DB, table string, gen ids.Source, opts Options) (Graph[E], error)

	Table func(name string) *dynamodb.CreateTableInput
	TTL   func(name string) *dynamodb.UpdateTimeToLiveInput

	// Of converts an Edge to the feature's type, and See converts it back.
	Of  func(Edge) E
	See func(E) Edge

	// Shape is how edges are stored. Without kinds, Kinds is just "". If tails
	// are counted, a name may be both a tail and a head.
	Shape edge.Shape

	Fields Fields

	WalkMost int // the most requests of a page of Walk

	// Changes is the feature's, as edges.
	Changes func(stream.Record) ([]Change, error)

	// OneOf are the kinds of which a pair has at most one edge. They come first
	// in Shape.Kinds; the last kind is not one of them.
	OneOf []string
}

// Fields are the names that a feature's arguments have in errors.
type Fields struct {
	Tail, Head       string // of an edge
	OfTail, OfHead   string // of a tail's lists, a head's lists, and so on
	Heads            string // of CountsMany
	KindsOf, KindsTo string
}

// Options are the options that all features have.
type Options struct {
	Shards     func(head string) int
	Kinds      []string // Defaults to the Shape's, with OneOf; otherwise there is no group.
	Consistent bool
	Codec      cursor.Codec
	OnCorrupt  func(*plaza.CorruptError)
	Now        func() time.Time
}

// Graph is one process of a feature. Its functions are the feature's methods.
type Graph[E any] struct {
	Begin func(context.Context, E) (standing E, begun bool, err error)
	End   func(context.Context, E) (ended bool, err error)
	Get   func(context.Context, E) (E, error)

	// ByHead and ByTail list the edges of a kind, or of all kinds with "".
	ByHead, ByTail func(ctx context.Context, name, kind string, req cursor.PageRequest) (cursor.Page[E], error)

	Counts     func(ctx context.Context, name string) (edge.Count, error)
	CountsMany func(ctx context.Context, names []string) (map[string]edge.Count, error)

	// Kinds returns the kinds of the edges from tail to each head.
	Kinds func(ctx context.Context, tail string, heads []string) (map[string][]string, error)

	// Check, Repair and Erase are called with a tail or a head, never both.
	Check, Repair func(context.Context, edge.Ends) (edge.Drift, error)
	Erase         func(context.Context, edge.Ends) error

	Verify, Init func(context.Context) error

	// Shows fails unless the feature's other reads of these heads return
	// exactly these edges, newest first. Nil if there are no other reads.
	Shows func(ctx context.Context, all []Edge, heads []string) error

	// Walk lists the edges to a head too, in no order between shards. Nil if there is none.
	Walk func(ctx context.Context, head string, req cursor.PageRequest) (cursor.Page[E], error)

	// Further calls read an edge or a list. Only their errors are tested.
	Further map[string]func(context.Context, E) error
}

func (f Feature[E]) kinds() []string { return f.Shape.Kinds }

// first is a kind that excludes others, if there are any.
func (f Feature[E]) first() string { return f.kinds()[0] }

// free is a kind that excludes no other.
func (f Feature[E]) free() string { return f.kinds()[len(f.kinds())-1] }

// hasKinds reports whether a pair may have several edges.
func (f Feature[E]) hasKinds() bool { return f.first() != "" }

// mutual reports whether a name may be both a tail and a head, with one counter
// for both.
func (f Feature[E]) mutual() bool { return f.Shape.TailCount != "" }

// tries reports whether this feature tries a case. Unless faults.Full, the two kinds of
// features take turns, because they share the code.
func (f Feature[E]) tries(i int) bool { return faults.Full() || i%2 == 0 == f.mutual() }

// names are a few tails and heads.
func (f Feature[E]) names() (tails, heads []string) {
	if f.mutual() {
		users := []string{"ann", "bob", "cat"}
		return users, users
	}
	return []string{"ann", "bob"}, []string{"photo", "film"}
}

// slots are all possible edges among names.
func (f Feature[E]) slots() (all []Edge) {
	tails, heads := f.names()
	for _, tail := range tails {
		for _, head := range heads {
			for _, kind := range f.kinds() {
				if tail != head {
					all = append(all, Edge{Tail: tail, Head: head, Kind: kind})
				}
			}
		}
	}
	return all
}

// some returns a kind that excludes others and one that does not.
func (f Feature[E]) some() []string { return slices.Compact([]string{f.first(), f.free()}) }

// layout builds keys independently of package edge. Names must not contain '#'.
type layout struct{ edge.Shape }

func of(kind, attribute string) string {
	if kind == "" {
		return attribute
	}
	return attribute + "#" + kind
}

// kindOf is the kind of an attribute with this name.
func kindOf(attribute, name string) (kind string, ok bool) {
	if attribute == name {
		return "", true
	}
	return strings.CutPrefix(attribute, name+"#")
}

func (l layout) guard(e Edge) Key { return Key{l.Guard + "#" + e.Tail, e.Head} }

func (l layout) inTail(e Edge) Key { return Key{of(e.Kind, l.Tails+"#"+e.Tail), e.ID.String()} }

func (l layout) inHead(e Edge, shard int) Key {
	return Key{fmt.Sprint(of(e.Kind, l.Heads+"#"+e.Head), "#", shard), e.ID.String()}
}

func (l layout) counter(name string, shard int) Key {
	if l.Apart {
		return Key{fmt.Sprint(l.Counter, "#", name, "#", shard), l.Counter}
	}
	return Key{l.Counter + "#" + name, strconv.Itoa(shard)}
}

// shardOf is the shard of an id among shards.
func shardOf(id ids.ID, shards int) int {
	h := fnv.New64a()
	h.Write([]byte(id.String()))
	return int(h.Sum64() % uint64(shards))
}

// Change is what a feature's Changes reports of an edge.
type Change struct {
	Began bool
	Edge  Edge
}

// Key is an item's pk and sk.
type Key = [2]string
