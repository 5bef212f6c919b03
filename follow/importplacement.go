package follow

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// placementItem is I#name / placement: the ids and shards of the current window's
// edges. It is stored before the edges, so that a resumed import writes the same
// items. This matters because a request that a killed process sent may still
// arrive at any time.
type placementItem struct {
	PK     string `dynamo:"pk"`
	SK     string `dynamo:"sk"`
	Window int    `dynamo:"window"`
	Digest uint64 `dynamo:"digest"` // of the sequence up to the end of the window
	Places []byte `dynamo:"places"` // for each pair, in order: an id and a shard
}

const placeSize = 8 + 1 // bytes of an id and of a shard

func (in *importer) placementKey() store.Key { return store.Key{PK: in.checkpoint.PK, SK: "placement"} }

// place sets the ids and shards of the window's pairs. If an earlier run began the
// window, it uses that run's.
func (in *importer) place(ctx context.Context, pairs []Edge) ([]Edge, error) {
	key := in.placementKey()
	item := placementItem{PK: key.PK, SK: key.SK, Window: in.number, Digest: in.digest.Sum64()}
	for _, e := range pairs {
		e, err := in.prepare(ctx, e)
		if err != nil {
			return nil, err
		}
		item.Places = binary.BigEndian.AppendUint64(item.Places, uint64(e.ID))
		item.Places = append(item.Places, byte(e.place-1))
	}
	err := in.table.Run(ctx, in.table.Put(item).If("attribute_not_exists(pk) OR 'window' < ?", in.number))
	if refused, ok := store.AsRefused(err); ok {
		stored, _ := refused.At(0)
		item = placementItem{}
		err = in.table.Decode(stored, &item)
	}
	if err != nil {
		return nil, fmt.Errorf("placement: %w", err)
	}
	if item.Window != in.number || item.Digest != in.digest.Sum64() {
		return nil, errOtherSequence
	}
	if len(item.Places) != placeSize*len(pairs) {
		return nil, in.table.Corrupt(key, "it places another number of edges")
	}
	placed := slices.Clone(pairs)
	for i := range placed {
		at := item.Places[i*placeSize:]
		placed[i].ID, placed[i].place = ids.ID(binary.BigEndian.Uint64(at)), int(at[8])+1
		if keys.CheckID("ID", placed[i].ID) != nil || placed[i].place > MaxShards {
			return nil, in.table.Corrupt(key, "it places an edge with an impossible id or shard")
		}
	}
	return placed, nil
}

// prepare sets the id and the shard of a new edge.
func (in *importer) prepare(ctx context.Context, e Edge) (Edge, error) {
	if e.ID == 0 {
		var err error
		if e.ID, err = in.gen.Next(ctx); err != nil {
			return e, err
		}
	}
	shard, err := in.graph.ShardFor(e.edge())
	e.place = shard + 1
	return e, err
}

// deletePlacement is the last step of an import.
func (in *importer) deletePlacement(ctx context.Context) error {
	return in.table.Run(ctx, in.table.Delete(in.placementKey()))
}
