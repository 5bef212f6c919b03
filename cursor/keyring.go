package cursor

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
)

// Keyring holds the master keys of Sealed, from which each day's key is derived.
//
// To rotate without refusing a cursor, first add the new key in every process,
// then make it Current, and remove the old key once its cursors may expire.
type Keyring struct {
	Current byte            // The key that seals; must be in Keys.
	Keys    map[byte][]byte // 32 random bytes each. Cursors of all keys are accepted.

	// MaxAge is how long a cursor is accepted, counted from the end of the day
	// (UTC) on which it was made. Defaults to forever.
	MaxAge time.Duration

	Now func() time.Time // Defaults to time.Now.
}

const masterSize = 32

func (k Keyring) validate() error {
	if len(k.Keys) == 0 {
		return &plaza.InvalidError{Field: "Keyring.Keys", Reason: "is empty"}
	}
	for _, id := range slices.Sorted(maps.Keys(k.Keys)) {
		if n := len(k.Keys[id]); n != masterSize {
			return &plaza.InvalidError{
				Field:  fmt.Sprintf("Keyring.Keys[%d]", id),
				Reason: fmt.Sprintf("has %d bytes, not %d", n, masterSize),
			}
		}
		if bytes.Equal(k.Keys[id], make([]byte, masterSize)) { // never filled in
			return &plaza.InvalidError{Field: fmt.Sprintf("Keyring.Keys[%d]", id), Reason: "is all zero"}
		}
	}
	if _, ok := k.Keys[k.Current]; !ok {
		return &plaza.InvalidError{Field: "Keyring.Current", Reason: "is not in Keys"}
	}
	return args.AtLeast("Keyring.MaxAge", k.MaxAge, 0)
}
