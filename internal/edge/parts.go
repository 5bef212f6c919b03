package edge

import (
	"context"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// parts is what stands of a suspect edge.
type parts struct {
	suspect
	guard Held // of the pair and kind, of this id or another
	// lone says that guard is of another id and in no list. It counts as none.
	lone bool

	head  string   // which head the tail's list names under the id
	tails []string // which tail each shard of the head's list names under it

	stored map[store.Key]dynamo.Item // what was read of the edge
}

// guarded says whether the guard is of this edge.
func (p parts) guarded() bool { return p.guard.ID == p.ID }

// partsOf reads what stands of an edge: 66 RCU, and 65 more where its pair has
// another edge of the kind.
func (g *Graph) partsOf(ctx context.Context, s suspect) (parts, error) {
	p := parts{suspect: s}
	found, err := g.table.GetAll(ctx, append(g.listKeys(s.Edge), g.GuardKey(s.Edge)), true, checkParallel)
	if err != nil {
		return p, err
	}
	p.stored = found
	p.head, p.tails = g.listedIn(s.Edge, found)
	if held, err := g.HeldBy(found[g.GuardKey(s.Edge)], s.Edge); err == nil { // else it counts as none
		p.guard = held
	}
	if p.guard.Stands() && !p.guarded() {
		if found, err = g.table.GetAll(ctx, g.listKeys(p.guard.Edge), true, checkParallel); err != nil {
			return p, err
		}
		head, tails := g.listedIn(p.guard.Edge, found)
		p.lone = head != s.Head && !slices.Contains(tails, s.Tail)
	}
	return p, nil
}

// steadyPartsOf reads what stands of an edge until two readings are alike: of
// a tail that is not counted no version tells what changed between the reads
// of one. An id begins once and ends once, so one of two readings at least is
// of a time when it did neither.
func (g *Graph) steadyPartsOf(ctx context.Context, s suspect) (parts, error) {
	p, err := g.partsOf(ctx, s)
	for range turns {
		if err != nil || p.cure() == whole {
			return p, err
		}
		before := p
		if p, err = g.partsOf(ctx, s); err == nil && p.equal(before) {
			return p, nil
		}
	}
	return p, plaza.ErrBusy
}

func (p parts) equal(q parts) bool {
	return p.guard == q.guard && p.lone == q.lone && p.head == q.head && slices.Equal(p.tails, q.tails)
}

// listKeys are the places where lists can have the edge.
func (g *Graph) listKeys(e Edge) []store.Key {
	keys := []store.Key{g.TailKey(e)}
	for shard := range MaxShards {
		e.Place = shard + 1
		keys = append(keys, g.HeadKey(e))
	}
	return keys
}

func (g *Graph) listedIn(e Edge, found map[store.Key]dynamo.Item) (head string, tails []string) {
	keys := g.listKeys(e)
	for _, key := range keys[1:] {
		tails = append(tails, textIn(found[key][g.Tail]))
	}
	return textIn(found[keys[0]][g.Head]), tails
}
