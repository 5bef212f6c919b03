package follow

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// plan is what a window has to write. Each pair of users occurs once, in the
// order of the sequence. Edges that something else wrote are not in it.
type plan struct {
	own     []Edge // written by this import, now or in an earlier run
	missing []Edge // own edges that are not in the table yet
	withID  []Edge // missing edges whose id the caller chose
	ended   int    // edges left out because they have ended
}

// writeWindow writes the window's edges and counts. It returns how many edges
// this import created and how many it left out as ended. Each step ends before
// the next begins: list items are written after their edges have the same id in
// the table and their shards are open, so that Check sees all that a killed import
// wrote; counts are added after all their edges are written.
func (in *importer) writeWindow(ctx context.Context) (created, ended int, err error) {
	stamp := keys.Join(in.name, strconv.Itoa(in.number))
	p, err := in.plan(ctx, stamp)
	if err != nil {
		return 0, 0, err
	}
	if err := in.refuseTaken(ctx, p.withID); err != nil {
		return 0, 0, err
	}
	err = in.putEach(ctx, len(p.missing), func(i int) dynamo.Item { return in.importedItem(p.missing[i], stamp) })
	if err != nil {
		return 0, 0, err
	}
	counts := sum(p.own)
	if err := in.openShards(ctx, counts); err != nil {
		return 0, 0, err
	}
	err = in.putEach(ctx, 2*len(p.own), func(i int) dynamo.Item {
		e := p.own[i/2].edge()
		if i%2 == 0 {
			return in.graph.TailItem(e)
		}
		return in.graph.HeadItem(e)
	})
	if err != nil {
		return 0, 0, err
	}
	return len(p.own), p.ended, in.addCounts(ctx, counts)
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
	stored, err := in.table.GetAll(ctx, order, true, in.parallel)
	if err != nil {
		return p, err
	}
	for i, key := range order {
		item := stored[key]
		held, err := in.graph.HeldBy(item, pairs[i].edge())
		switch {
		case err != nil:
			return p, err
		case held.Exists():
			if stamp, stamped := item[importAttr]; stamped && !isStamp(stamp) {
				return p, in.table.Corrupt(key, "its import names no window")
			}
			if importOf(item) == stamp {
				p.own = append(p.own, edgeOf(held.Edge))
			}
		case held.Ended >= placed[i].ID:
			p.ended++
		default:
			p.own = append(p.own, placed[i])
			p.missing = append(p.missing, placed[i])
			if pairs[i].ID != 0 {
				p.withID = append(p.withID, placed[i])
			}
		}
	}
	return p, nil
}

// refuseTaken returns an error if another edge of either user has one of the ids.
func (in *importer) refuseTaken(ctx context.Context, withID []Edge) error {
	places := make(map[store.Key]Edge, 2*len(withID))
	for _, e := range withID {
		for _, key := range []store.Key{in.graph.TailKey(e.edge()), in.graph.HeadKey(e.edge())} {
			if _, twice := places[key]; twice {
				return e.errTaken()
			}
			places[key] = e
		}
	}
	found, err := in.table.GetAll(ctx, slices.Collect(maps.Keys(places)), true, in.parallel)
	for key := range found {
		return places[key].errTaken()
	}
	return err
}

func (e Edge) errTaken() error {
	return fmt.Errorf("edge of %q to %q, id %v: %w", e.Follower, e.Followee, e.ID, plaza.ErrConflict)
}

// putEach writes n items, 25 per request. It builds each item just before it is
// sent, so that a window's items are never in memory all at once.
func (in *importer) putEach(ctx context.Context, n int, item func(i int) dynamo.Item) error {
	group, ctx := parallel.WithContext(ctx)
	group.SetLimit(in.parallel)
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

// importedItem is the guard item of an imported edge.
func (r *Repository) importedItem(e Edge, stamp string) dynamo.Item {
	item := r.graph.GuardItem(e.edge())
	item[importAttr] = &types.AttributeValueMemberS{Value: stamp}
	return item
}
