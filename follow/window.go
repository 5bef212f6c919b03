package follow

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// plan sorts a window's edges, each pair once and in order. Edges that stand
// by something else are in none of the three.
type plan struct {
	mine  []Edge // this import's
	fresh []Edge // of mine, not in the table yet
	given []Edge // of fresh, those that came with an id
	ended int    // that were left out, as they have ended
}

// writeWindow writes the window's edges and their counts, and returns how many
// edges are this import's. Each step ends before the next begins: a list item is
// written once its edge has the same id in the table, and counts are added once
// all their edges can be read back.
func (in *importer) writeWindow(ctx context.Context) (created, ended int, err error) {
	stamp := keys.Join(in.name, strconv.Itoa(in.number))
	p, err := in.plan(ctx, stamp)
	if err != nil {
		return 0, 0, err
	}
	if err := in.refuseTaken(ctx, p.given); err != nil {
		return 0, 0, err
	}
	err = in.putEach(ctx, len(p.fresh), func(i int) dynamo.Item { return in.importedItem(p.fresh[i], stamp) })
	if err != nil {
		return 0, 0, err
	}
	err = in.putEach(ctx, 2*len(p.mine), func(i int) dynamo.Item {
		e := p.mine[i/2].edge()
		if i%2 == 0 {
			return in.graph.TailItem(e)
		}
		return in.graph.HeadItem(e)
	})
	if err != nil {
		return 0, 0, err
	}
	return len(p.mine), p.ended, in.addCounts(ctx, p.mine)
}

func (in *importer) plan(ctx context.Context, stamp string) (p plan, err error) {
	seen := make(map[store.Key]bool, len(in.window))
	var pairs []Edge
	var order []store.Key
	for _, e := range in.window {
		if key := in.edgeKey(e.Follower, e.Followee); !seen[key] {
			seen[key] = true
			pairs = append(pairs, e)
			order = append(order, key)
		}
	}
	placed, err := in.place(ctx, pairs)
	if err != nil {
		return p, err
	}
	standing, err := in.table.GetAll(ctx, order, true, in.opts.Parallel)
	if err != nil {
		return p, err
	}
	for i, key := range order {
		item := standing[key]
		held, err := in.graph.HeldBy(item, pairs[i].edge())
		switch {
		case err != nil:
			return p, err
		case held.Stands():
			if importOf(item) == stamp {
				p.mine = append(p.mine, edgeOf(held.Edge))
			}
		case held.Ended >= placed[i].ID:
			p.ended++
		default:
			p.mine = append(p.mine, placed[i])
			p.fresh = append(p.fresh, placed[i])
			if pairs[i].ID != 0 {
				p.given = append(p.given, placed[i])
			}
		}
	}
	return p, nil
}

// refuseTaken refuses an id that another edge of either user has.
func (in *importer) refuseTaken(ctx context.Context, given []Edge) error {
	places := make(map[store.Key]Edge, 2*len(given))
	for _, e := range given {
		for _, key := range []store.Key{in.graph.TailKey(e.edge()), in.graph.HeadKey(e.edge())} {
			if _, twice := places[key]; twice {
				return e.taken()
			}
			places[key] = e
		}
	}
	found, err := in.table.GetAll(ctx, slices.Collect(maps.Keys(places)), true, in.opts.Parallel)
	for key := range found {
		return places[key].taken()
	}
	return err
}

func (e Edge) taken() error {
	return fmt.Errorf("edge of %q to %q, id %v: %w", e.Follower, e.Followee, e.ID, plaza.ErrConflict)
}

// putEach writes n items, 25 a request, and makes them as it goes.
func (in *importer) putEach(ctx context.Context, n int, item func(i int) dynamo.Item) error {
	group, ctx := parallel.WithContext(ctx)
	group.SetLimit(in.opts.Parallel)
	for start := 0; start < n && ctx.Err() == nil; start += store.MaxBatchWrite {
		group.Go(func() error {
			batch := make([]dynamo.Item, min(store.MaxBatchWrite, n-start))
			for i := range batch {
				batch[i] = item(start + i)
			}
			return in.table.PutAll(ctx, batch, 1)
		})
	}
	return group.Wait()
}
