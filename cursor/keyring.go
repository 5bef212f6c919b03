package cursor

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza"
)

// Keyring is what Sealed encrypts with. Keys are master keys: each day's key
// is derived from them.
//
// To rotate without refusing a cursor, add the new key everywhere, then make
// it Current, then remove the old one when its cursors may be forgotten.
type Keyring struct {
	Current byte            // The key that seals; must be in Keys.
	Keys    map[byte][]byte // 32 random bytes each. All of them open.

	// MaxAge is how long a cursor is accepted at least; it is at most a day
	// (UTC) more, since a cursor knows only the day it was sealed on: it
	// expires MaxAge after that day's end. Defaults to never.
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
		if bytes.Equal(k.Keys[id], make([]byte, masterSize)) { // what was never filled in
			return &plaza.InvalidError{Field: fmt.Sprintf("Keyring.Keys[%d]", id), Reason: "is all zero"}
		}
	}
	if _, ok := k.Keys[k.Current]; !ok {
		return &plaza.InvalidError{Field: "Keyring.Current", Reason: "is not in Keys"}
	}
	if k.MaxAge < 0 {
		return &plaza.InvalidError{Field: "Keyring.MaxAge", Reason: "is negative"}
	}
	return nil
}
