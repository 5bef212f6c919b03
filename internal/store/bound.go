package store

import "slices"

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
