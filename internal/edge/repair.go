package edge

import (
	"context"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Repair mends what Check finds, and returns what it mended. Of an edge's
// three items two restore the third, and one alone is removed; then the counts
// are set to what the lists hold. Edges may begin and end meanwhile. An edge
// that is restored to a head's list is counted there too, so ends may be
// repaired in any order.
func (g *Graph) Repair(ctx context.Context, of Ends) (mended Drift, err error) {
	var lists []place
	if of.Head != "" {
		counters, err := g.everyCounter(ctx, of.Head)
		if err != nil {
			return mended, err
		}
		lists = g.listsOf(counters)
	}
	err = g.suspects(ctx, of, lists, func(s suspect) error {
		drift, err := g.mend(ctx, s)
		mended.add(drift)
		return err
	})
	if err != nil || of.Head == "" {
		return mended, err
	}
	counts, err := g.recount(ctx, of)
	mended.add(counts)
	return mended, err
}

// recount sets the counters to what the lists hold.
func (g *Graph) recount(ctx context.Context, of Ends) (mended Drift, err error) {
	for range turns {
		counters, err := g.everyCounter(ctx, of.Head)
		if err != nil {
			return mended, err
		}
		lists, err := g.tally(ctx, of, g.listsOf(counters))
		if err != nil {
			return mended, err
		}
		wrong := corrections(counters, lists)
		for _, c := range slices.Backward(wrong) { // shard 0 names the others before they stand
			set, err := g.correct(ctx, of.Head, c)
			if err != nil {
				return mended, err
			}
			if set {
				mended.add(c.drift())
			}
		}
		if len(wrong) > 0 {
			continue // and see that it holds
		}
		after, err := g.everyCounter(ctx, of.Head)
		if err != nil || slices.EqualFunc(counters, after, counter.sameVersion) {
			return mended, err
		}
	}
	return mended, plaza.ErrBusy
}

// correct sets a counter unless it changed since it was read, and reports
// whether it did. A guard on the count alone would not tell: it may have
// changed there and back while the list was read. It is a transaction for its
// token: a request that is sent twice is not taken for somebody else's.
func (g *Graph) correct(ctx context.Context, head string, c correction) (bool, error) {
	err := g.table.Run(ctx, g.table.Tx().Update(g.correctionOf(head, c.want)))
	if _, changed := store.AsRefused(err); changed {
		return false, nil
	}
	return err == nil, err
}

// correctionOf guards on the version that want was made of.
func (g *Graph) correctionOf(head string, want counter) *dynamo.Update {
	update := g.table.Update(g.CounterKey(head, want.shard)).
		SetSet(shardsAttr, want.shards).
		Add(verAttr, 1).
		If(atVersion(want.ver), want.ver)
	for kind, n := range want.heads {
		update.SetExpr("$ = ?", ofKind(kind, g.Count), n)
	}
	if g.TailCount != "" {
		update.SetExpr("$ = ?", g.TailCount, want.tail)
	}
	return update
}

// atVersion is the condition that a counter has the version that was seen, 0
// for one that was not there.
func atVersion(ver int64) string {
	if ver == 0 {
		return "ver = ? OR attribute_not_exists(ver)"
	}
	return "ver = ?"
}
