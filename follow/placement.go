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

// placementItem is I#name / placement: the ids and shards of the edges of the
// window at hand. It is stored before any of them, so that whoever resumes
// writes the very same items: a request that a killed process had sent may
// arrive at any time.
type placementItem struct {
	PK     string `dynamo:"pk"`
	SK     string `dynamo:"sk"`
	Window int    `dynamo:"window"`
	Digest uint64 `dynamo:"digest"` // of the sequence up to the end of the window
	Places []byte `dynamo:"places"` // an id and a shard for each pair, in order
}

const placeSize = 8 + 1

func (in *importer) placementKey() store.Key { return store.Key{PK: in.log.PK, SK: "placement"} }

// place gives the pairs of the window their ids and shards: those stored, if
// an earlier run began the window.
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
			return nil, in.table.Corrupt(key, "it places an edge where none can be")
		}
	}
	return placed, nil
}

// prepare gives a new edge its id and its place.
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

// forgetPlacement ends an import.
func (in *importer) forgetPlacement(ctx context.Context) error {
	return in.table.Run(ctx, in.table.Delete(in.placementKey()))
}
