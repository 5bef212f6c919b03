package follow

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// partSize is how many counters one transaction updates, beside its marker.
const partSize = store.MaxTx - 1

// count is how much a window adds to one counter.
type count struct {
	user  string
	shard int
	Counts
}

// openShards opens the shards of the counters that are missing.
func (in *importer) openShards(ctx context.Context, all []count) error {
	wanted := map[store.Key]count{}
	for _, c := range all {
		if c.shard > 0 {
			wanted[in.graph.CounterKey(c.user, c.shard)] = c
		}
	}
	open, err := in.table.GetAll(ctx, slices.Collect(maps.Keys(wanted)), true, in.parallel)
	if err != nil {
		return err
	}
	maps.DeleteFunc(wanted, func(key store.Key, _ count) bool { return open[key] != nil })
	closed := slices.Collect(maps.Values(wanted))
	return parallel.ForEach(ctx, len(closed), in.parallel, func(ctx context.Context, i int) error {
		return in.graph.OpenShard(ctx, closed[i].user, closed[i].shard)
	})
}

// addCounts adds to the counters, each part exactly once, because the
// same transaction puts the part's marker. The same edges give the same parts, so
// a resumed import finds the markers of the parts that were added.
func (in *importer) addCounts(ctx context.Context, all []count) error {
	group, ctx := parallel.WithContext(ctx)
	group.SetLimit(in.parallel)
	part := 0
	for counts := range slices.Chunk(all, partSize) {
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
	err := in.table.Run(ctx, in.partTx(marker, counts))
	if refused, ok := store.AsRefused(err); ok {
		if _, added := refused.At(0); added {
			return nil
		}
		return plaza.ErrBusy // Erase has closed a shard
	}
	return err
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
