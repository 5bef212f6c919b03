package store

import (
	"math"
	"slices"
)

// MaxIndexKey is the length of the longest sort key, or bound of a span, that DynamoDB
// accepts for an index, in bytes.
const MaxIndexKey = 1024

// After returns the bound between a key of an index and all larger keys, or nil if no key
// is larger.
func After(key []byte) []byte {
	if len(key) >= MaxIndexKey { // no other key begins with it
		return Past(key)
	}
	return append(slices.Clone(key), 0)
}

// Before returns a bound between a key of an index and all smaller keys, for spans with
// two ends. It needs keys that have no byte 0xff after their first bytes.
func Before(key []byte) []byte {
	bound := slices.Clone(key)
	last := &bound[len(bound)-1]
	if *last == 0 {
		return bound[:len(bound)-1]
	}
	*last--
	return append(bound, math.MaxUint8)[:min(len(bound)+1, MaxIndexKey)]
}

// Past returns the bound between the keys that begin with prefix and all larger keys, or
// nil if no key is larger.
func Past(prefix []byte) []byte {
	bound := slices.Clone(prefix)
	for i := range slices.Backward(bound) {
		if bound[i]++; bound[i] != 0 {
			return bound[:i+1]
		}
	}
	return nil
}
