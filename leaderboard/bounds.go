package leaderboard

import (
	"math"
	"slices"

	"github.com/plaza-sdk/plaza"
)

// longest is how long DynamoDB lets a key of an index be, and a bound.
const longest = 1024

// after is the bound between a key and all larger ones.
func after(key []byte) []byte {
	if len(key) >= longest { // of one that is damaged: none begins with it
		return past(key)
	}
	return append(slices.Clone(key), 0)
}

// before is a bound between a key and all smaller ones, for ranges that have
// both their ends: players are UTF-8, in which no byte is 0xff.
func before(key []byte) []byte {
	bound := slices.Clone(key)
	last := &bound[len(bound)-1]
	if *last == 0 {
		return bound[:len(bound)-1]
	}
	*last--
	return append(bound, math.MaxUint8)[:min(len(bound)+1, longest)]
}

// past is the bound between the keys that begin with prefix and all larger
// ones, nil where there are none.
func past(prefix []byte) []byte {
	bound := slices.Clone(prefix)
	for i := range slices.Backward(bound) {
		if bound[i]++; bound[i] != 0 {
			return bound[:i+1]
		}
	}
	return nil
}

func checkNumber(field string, score Score) error {
	if score.isNaN() {
		return &plaza.InvalidError{Field: field, Reason: "is no number"}
	}
	return nil
}

// scored is how many bytes of a key are its score.
const scored = 8

// scoreBound is the bound before all keys of a score.
func (b *board) scoreBound(field string, score Score) ([]byte, error) {
	if score.kind != b.Kind {
		return nil, &plaza.InvalidError{Field: field, Reason: "is of the other kind"}
	}
	return b.appendDecided(nil, score, 0)[:scored], nil
}
