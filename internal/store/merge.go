package store

import (
	"context"
	"errors"

	"github.com/plaza-sdk/plaza"
)

// Merge changes an item by arithmetic that makes a repeat harmless: the greatest of, the
// union of, the lease of. Next returns the write for the item that is stored, a new T if
// there is none, on condition that the item is still so. It returns ErrSame if there is
// nothing to change, or the error of the call. First is sent without reading the item; it
// may be nil.
//
// A refused write leaves no doubt: the item shows what is left to do. Changed is true
// if this call wrote; if the SDK has sent a write again, it may be false.
func Merge[T any](ctx context.Context, t *Table, key Key, first Write, next func(*T) (Write, error)) (changed bool, err error) {
	seen := new(T)
	w := first
	if w == nil {
		if err := t.Get(ctx, key, true, seen); err != nil && !errors.Is(err, plaza.ErrNotFound) {
			return false, err
		}
	}
	for range maxTries {
		if w == nil {
			if w, err = next(seen); err != nil {
				return false, notSame(err)
			}
		}
		err := t.Run(ctx, w)
		refused, ok := AsRefused(err)
		if !ok {
			return err == nil, err
		}
		seen, w = new(T), nil
		if found, _ := refused.At(0); found != nil {
			if err := t.Decode(found, seen); err != nil {
				return false, err
			}
		}
	}
	return false, plaza.ErrBusy
}

// notSame returns err, unless it is ErrSame.
func notSame(err error) error {
	if errors.Is(err, ErrSame) {
		return nil
	}
	return err
}
