package edge

import (
	"maps"
	"slices"

	"github.com/plaza-sdk/plaza/internal/images"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/stream"
)

// Change is an edge that a write began or ended.
type Change struct {
	Edge
	Began         bool
	images.Images // of the guard
}

// Changes returns what a write did to the edges of a pair, ended ones first. It
// reads only the images of guards, because a guard outlives its edges.
func (s Shape) Changes(r stream.Record) ([]Change, error) {
	i, err := images.Of(r)
	if err != nil {
		return nil, err
	}
	parts := keys.Split(i.Key.PK)
	if parts[0] != s.Guard {
		return nil, nil
	}
	if len(parts) != 2 || keys.CheckName("pk", parts[1]) != nil || keys.CheckName("sk", i.Key.SK) != nil || s.loops(Edge{Tail: parts[1], Head: i.Key.SK}) {
		return nil, i.Corrupt("no guard has its key")
	}
	var ended, begun []Change
	for _, kind := range slices.Sorted(maps.Keys(s.kindsIn(i.Old, i.New))) {
		pair := Edge{Tail: parts[1], Head: i.Key.SK, Kind: kind}
		before, err := heldBy(i.Old, pair, attributesOf(pair.Kind))
		if err != nil {
			return nil, i.Corrupt(err.Error())
		}
		after, err := heldBy(i.New, pair, attributesOf(pair.Kind))
		if err != nil {
			return nil, i.Corrupt(err.Error())
		}
		if before.ID == after.ID {
			continue
		}
		if before.Exists() {
			ended = append(ended, Change{before.Edge, false, i})
		}
		if after.Exists() {
			begun = append(begun, Change{after.Edge, true, i})
		}
	}
	return append(ended, begun...), nil
}
