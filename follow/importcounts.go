package follow

import (
	"cmp"
	"context"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// partSize is how many counters one transaction updates, beside its marker.
const partSize = store.MaxTx - 1

// attempts bounds how often a part is retried after opening shards.
const attempts = 5

// count is how much a window adds to one counter.
type count struct {
	user  string
	shard int
	Counts
}

// addCounts adds the edges to the counters, each part exactly once, because the
// same transaction puts the part's marker. The same edges give the same parts, so
// a resumed import finds the markers of the parts that were added.
func (in *importer) addCounts(ctx context.Context, edges []Edge) error {
	group, ctx := parallel.WithContext(ctx)
	group.SetLimit(in.opts.Parallel)
	part := 0
	for counts := range slices.Chunk(sum(edges), partSize) {
		marker := in.marker(part)
		group.Go(func() error { return in.addPart(ctx, marker, counts) })
		part++
	}
	return group.Wait()
}

// sum returns how much the edges add to each counter, in a fixed order.
func sum(edges []Edge) []count {
	type counter struct {
		user  string
		shard int
	}
	sums := make(map[counter]Counts)
	for _, e := range edges {
		followee, follower := counter{e.Followee, e.place - 1}, counter{e.Follower, 0}
		c := sums[followee]
		c.Followers++
		sums[followee] = c
		c = sums[follower]
		c.Following++
		sums[follower] = c
	}
	counts := make([]count, 0, len(sums))
	for at, c := range sums {
		counts = append(counts, count{at.user, at.shard, c})
	}
	slices.SortFunc(counts, func(a, b count) int {
		return cmp.Or(cmp.Compare(a.user, b.user), cmp.Compare(a.shard, b.shard))
	})
	return counts
}

func (in *importer) addPart(ctx context.Context, marker markerItem, counts []count) error {
	for range attempts {
		err := in.table.Run(ctx, in.partTx(marker, counts))
		refused, ok := store.AsRefused(err)
		if !ok {
			return err
		}
		if _, added := refused.At(0); added {
			return nil
		}
		for i, c := range counts {
			if _, closed := refused.At(i + 1); closed {
				if err := in.graph.OpenShard(ctx, c.user, c.shard); err != nil {
					return err
				}
			}
		}
	}
	return plaza.ErrBusy
}

func (in *importer) partTx(marker markerItem, counts []count) store.Write {
	tx := in.table.Tx().Put(in.table.Put(marker).If("attribute_not_exists(pk)"))
	for _, c := range counts {
		update := in.graph.UpdateCounter(c.user, c.shard)
		if c.Followers > 0 {
			update.Add(in.graph.Count, c.Followers)
		}
		if c.Following > 0 {
			update.Add(in.graph.TailCount, c.Following)
		}
		if c.shard > 0 {
			update.If("attribute_exists(pk)") // only an open shard, since readers skip others
		}
		tx.Update(update)
	}
	return tx
}
