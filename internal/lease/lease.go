// Package lease has items, each owned by one process at a time. Gen rises with every
// owner, and what an owner writes names its gen. So a process that lost its lease
// while it was frozen cannot write.
//
// These items have no times: an owner is dead if its beat did not change for a while
// by the clock of whoever watches it.
package lease

import (
	"context"
	"encoding/base32"
	"fmt"
	"io"
	"time"

	"github.com/plaza-sdk/plaza/internal/store"
)

// Lease is what every such item has.
type Lease struct {
	Owner string `dynamo:"owner,omitempty"` // "": nobody
	Gen   int64  `dynamo:"gen,omitempty"`   // 0: nobody has owned it
}

// NewOwner returns a name that no other process has.
func NewOwner(random io.Reader) (string, error) {
	var name [16]byte
	if _, err := io.ReadFull(random, name[:]); err != nil {
		return "", fmt.Errorf("random source: %w", err)
	}
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(name[:]), nil
}

// Take is an update that makes next the lease, on condition that nobody took it
// since it was seen. Next has a higher gen.
func Take(t *store.Table, key store.Key, seen, next Lease) *store.Update {
	update := t.Update(key).Set("owner", next.Owner).Set("gen", next.Gen)
	if seen.Gen == 0 {
		return update.If("NOT gen >= ?", 1) // there is none, or it is no such number
	}
	return update.If("gen = ?", seen.Gen)
}

// Owned is an update by the owner.
func Owned(t *store.Table, key store.Key, held Lease) *store.Update {
	return t.Update(key).If("'owner' = ? AND gen = ?", held.Owner, held.Gen)
}

// Release is an update by the owner that gives the lease to nobody.
func Release(t *store.Table, key store.Key, held Lease) *store.Update {
	return Owned(t, key, held).Remove("owner")
}

// Refused runs a write and returns the stored item if a condition refused it: nil if
// none did, an empty one if there is no item.
func Refused[T any](ctx context.Context, t *store.Table, w store.Write) (found *T, err error) {
	err = t.Run(ctx, w)
	refused, ok := store.AsRefused(err)
	if !ok {
		return nil, err
	}
	found = new(T)
	if item, _ := refused.At(0); item != nil {
		return found, t.Decode(item, found)
	}
	return found, nil
}

// Watch is a beat and since when it has been the same. The zero value has seen none.
type Watch struct {
	beat  int64
	since time.Time
}

// Left is how much longer the owner lives if this beat, which was asked for at that
// time, does not change. A beat's age runs from when it was first answered until it
// is asked for again.
func (w *Watch) Left(beat int64, asked time.Time, lease time.Duration) time.Duration {
	if w.since.IsZero() || w.beat != beat {
		*w = Watch{beat, time.Now()}
	}
	return lease - asked.Sub(w.since)
}
