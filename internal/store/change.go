package store

import (
	"context"
	"errors"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
)

// maxTries bounds how often a Change or a Merge is tried while others change its item.
const maxTries = 20

// ErrSame is returned by the Next of a Change or a Merge where there is nothing to change.
var ErrSame = errors.New("store: nothing to change")

// Change is a call that changes one part of one item, once: although the SDK sends a
// request again, clocks differ and others change the item too. It is known by its Call,
// which the item remembers in its Last. A call that finds nothing to change notes itself,
// so that no earlier one comes after it.
//
// An item that can be erased and begun again begins with a Mark whose Op and Call are an id
// of the call that creates it. Otherwise its Last has a Life, and Next makes its write
// conditional on that.
type Change[T any] struct {
	Key  Key
	Call ids.ID // minted for this call

	// Part names the attribute of the Last, which Last finds in an item.
	Part string
	Last func(*T) Last

	// Next returns the write that changes the item, made with the Guard: an Update, a Put, or
	// a transaction that begins with one. It returns ErrSame if there is nothing to change, or
	// the error of the call. Nil is an item that was not read.
	Next func(*T, Guard) (Write, error)

	// Seen is the item, if the call has read it. Defaults to reading it.
	Seen *T

	// Unread sends the first request without reading the item. It must have a condition
	// that refuses it if there is nothing to change. It relies on the clocks of both calls.
	Unread bool

	// Silent is set if a call that finds nothing to change notes nothing.
	Silent bool

	// Read reads the item and what else Next needs, each time. Defaults to reading the item,
	// and to taking the one that a refusal returned.
	Read func(context.Context) (T, error)

	// Others returns the error of a refusal of the other writes of a transaction. Nil tries
	// again, and so it is nil if only the item itself refused. Defaults to nil.
	Others func(*Refused) error

	// Absent is set if the change may create its item. It sets the expiry of the note that a
	// call leaves where there was no item.
	Absent func(*Update)
}

// Run applies the change and returns the item as it is now, or as Next saw it where the
// write does not return it. Changed is what the first attempt would have answered.
//
// An absent item that the change does not create is plaza.ErrNotFound, a damaged one
// plaza.ErrCorrupt. If an answer was lost and two other calls have changed the item since,
// or one has removed it, the error is plaza.ErrUnknownOutcome; if the item was not read
// before, one call is enough. Contention is plaza.ErrBusy.
func (c Change[T]) Run(ctx context.Context, t *Table) (stored T, changed bool, err error) {
	g := Guard{table: t, key: c.Key, part: c.Part, call: c.Call, op: c.Call, creates: c.Absent != nil}
	seen := c.Seen // nil: not read
	if seen == nil && !c.Unread {
		if seen, err = c.read(ctx, t, &g); err != nil {
			return stored, false, err
		}
	}
	var unknown bool // a request may have been applied, and the item does not say
	var lost bool    // one may have been applied before a removal, or may still be
	var noted bool   // the item remembers a call that is later than this one
	for range maxTries {
		if seen != nil {
			stored = *seen
			if err := g.see(c.Last(seen)); err != nil {
				return stored, false, err
			}
		}
		w, err := c.Next(seen, g)
		same := errors.Is(err, ErrSame)
		switch {
		case unknown && (err == nil || same || gone(err)):
			return stored, false, plaza.ErrUnknownOutcome
		case same && (noted || c.Silent):
			return stored, false, nil
		case same:
			w = g.note(c.Absent)
		case err != nil: // a removal may have taken the Last with it
			return stored, false, unsure(lost && g.last.Op == 0 && gone(err), err)
		}
		now, refused, err := c.try(ctx, t, w, stored)
		if refused == nil {
			return now, err == nil && !same, unsure(lost && err != nil, err)
		}
		if c.Others != nil {
			if err := c.Others(refused); err != nil {
				return stored, false, unsure(lost, err)
			}
		}
		lost = lost || !same && refused.Doubtful()
		if seen, err = c.met(ctx, t, refused, &g); err != nil {
			return stored, false, unsure(lost && !errors.Is(err, plaza.ErrCorrupt), err)
		}
		met := c.Last(seen)
		if met.by(c.Call) {
			return *seen, true, nil
		}
		unknown = lost && !g.excludes(met)
		noted = same && met.Op >= g.op
		lost = lost && g.passes(met)
	}
	return stored, false, unsure(lost || unknown, plaza.ErrBusy)
}

// unsure returns plaza.ErrUnknownOutcome instead of err if the call may have been applied.
func unsure(lost bool, err error) error {
	if lost {
		return plaza.ErrUnknownOutcome
	}
	return err
}

// gone reports whether err says that there is no such item, or none any more.
func gone(err error) bool {
	return errors.Is(err, plaza.ErrRemoved) || errors.Is(err, plaza.ErrNotFound)
}

// read returns the item, a new one if it is absent and may be created.
func (c Change[T]) read(ctx context.Context, t *Table, g *Guard) (*T, error) {
	item := new(T)
	var err error
	if c.Read != nil {
		*item, err = c.Read(ctx)
	} else {
		err = t.Get(ctx, c.Key, true, item)
	}
	if g.absent = g.creates && errors.Is(err, plaza.ErrNotFound); g.absent {
		return new(T), nil
	}
	return item, err
}

// try sends a write. It returns the item as an update left it, or else as it was.
func (c Change[T]) try(ctx context.Context, t *Table, w Write, was T) (T, *Refused, error) {
	var now T
	u, returns := w.(*Update)
	if returns {
		w = Returning{Update: u, Out: &now}
	}
	err := t.Run(ctx, w)
	refused, _ := AsRefused(err)
	if returns && err == nil {
		return now, nil, nil
	}
	return was, refused, err
}

// met returns the item that a refusal met.
func (c Change[T]) met(ctx context.Context, t *Table, refused *Refused, g *Guard) (*T, error) {
	found, own := refused.At(0)
	switch {
	case c.Read != nil || !own:
		return c.read(ctx, t, g)
	case found == nil && !g.creates:
		return nil, plaza.ErrNotFound
	}
	item := new(T)
	if g.absent = found == nil; g.absent {
		return item, nil
	}
	return item, t.Decode(found, item)
}
