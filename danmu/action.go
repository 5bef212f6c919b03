package danmu

import (
	"context"
	"errors"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Action is what User does to a comment. What is done once says so once, or not
// at all where its first answer was lost on the way and it has no Op. Where the
// object's shards grew since it was sent, what is done costs a failed try more
// for each time; where there is no such comment, 1 RCU more.
type Action struct {
	Object string
	ID     ID
	User   string

	// Op names a Like, a Report or a Protect, so that a repeat is known, and the
	// Like or Protect that an Unlike or Unprotect takes back. What was taken back
	// does not return: an Op up to that one is plaza.ErrRemoved, for 30 days of a
	// like. Without it a call has an id of its own. Recall and Remove need none:
	// nobody undoes them.
	Op ids.ID
}

func (r *Repository) checkAction(a Action) error {
	if err := keys.CheckName("User", a.User); err != nil {
		return err
	}
	return r.checkOp(a)
}

func (r *Repository) checkOp(a Action) error {
	if err := checkAddress(a.Object, a.ID); err != nil {
		return err
	}
	if a.Op == 0 {
		return nil
	}
	return keys.CheckNewID("Op", a.Op, r.opts.Now())
}

// op is the identity of a call.
type op struct {
	id     ids.ID
	minted bool
}

func (r *Repository) op(ctx context.Context, a Action) (op, error) {
	if a.Op != 0 {
		return op{id: a.Op}, nil
	}
	id, err := r.gen.Next(ctx)
	return op{id, true}, err
}

// above reports whether the op is above another: one that was minted becomes so,
// since this call comes after that.
func (o *op) above(other ids.ID) bool {
	if o.minted && o.id <= other {
		o.id = keys.After(o.id, other)
	}
	return o.id > other
}

// change updates a comment that stands, in the first place where it is found.
// Where a condition of build fails, refused says of what is there why; nil is no
// change.
func (r *Repository) change(ctx context.Context, a Action, build func(*dynamo.Update), refused func(row) error) (changed bool, err error) {
	err = r.locate(ctx, a, false, func(key store.Key) error {
		update := r.table.Update(key).If("attribute_exists(pk) AND attribute_not_exists('state')")
		build(update)
		err := r.table.Run(ctx, update)
		if was, ok := store.AsRefused(err); ok {
			return r.refusedRow(was, refused)
		}
		changed = err == nil
		return err
	})
	return changed, err
}

// burying makes a tombstone of a comment that stands, of both copies where there
// are two, and in older places also of one that is yet to come. Where a condition
// of build fails, refused says of what is there why; nil is no change.
func (r *Repository) burying(ctx context.Context, a Action, build func(*dynamo.Update), refused func(row) error) (changed bool, err error) {
	found := false
	err = r.locate(ctx, a, true, func(key store.Key) error {
		update := bury(r.table.Update(key))
		if !found {
			update.If("attribute_exists(pk)")
		}
		build(update.If("attribute_not_exists('state')"))
		err := r.table.Run(ctx, update)
		if was, ok := store.AsRefused(err); ok {
			err = r.refusedRow(was, refused)
		} else if !found {
			changed = err == nil
		}
		found = found || err == nil
		return err
	})
	return changed, err
}

func (r *Repository) refusedRow(was *store.Refused, refused func(row) error) error {
	item, _ := was.At(0)
	if item == nil {
		return plaza.ErrNotFound
	}
	var there row
	if err := r.table.Decode(item, &there); err != nil {
		return err
	}
	return refused(there)
}

// locate tries the places where the comment can be, the latest first, until it
// is found, or its copies too; at last those that only the table knows of.
func (r *Repository) locate(ctx context.Context, a Action, copies bool, try func(store.Key) error) error {
	tried := map[store.Key]bool{}
	for _, consistent := range []bool{false, true} {
		l, err := r.known(ctx, a.Object, consistent)
		if err != nil {
			return err
		}
		found := false
		for _, p := range slices.Backward(l.places(a.ID)) {
			key := p.key(a.ID)
			if tried[key] {
				continue
			}
			tried[key] = true
			switch err := try(key); {
			case err == nil && copies:
				found = true
			case !errors.Is(err, plaza.ErrNotFound):
				return err
			}
		}
		if found {
			return nil
		}
	}
	return plaza.ErrNotFound
}
