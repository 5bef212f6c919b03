package danmu

import (
	"context"
	"errors"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Action is what User does to a comment.
type Action struct {
	Object string
	ID     ID
	User   string

	// Op names a Like, an Unlike or a Report, so that it can be repeated. Unlike
	// takes back the like of its Op. For 30 days an Op that was taken back is
	// plaza.ErrRemoved. Defaults to an id of the call's own. Recall ignores it.
	Op ids.ID
}

// Moderation is what the service does to a comment on behalf of somebody whom
// it has authorized: the owner of the object, or a moderator.
type Moderation struct {
	Object string
	ID     ID

	// Op names a Protect or an Unprotect, so that it can be repeated. Unprotect
	// takes back the Protect of its Op. An Op that was taken back is
	// plaza.ErrRemoved. Defaults to an id of the call's own. Remove ignores it.
	Op ids.ID
}

func (r *Repository) checkAction(a Action) error {
	if err := keys.CheckName("User", a.User); err != nil {
		return err
	}
	return r.checkModeration(Moderation{a.Object, a.ID, a.Op})
}

func (r *Repository) checkModeration(m Moderation) error {
	if err := checkAddress(m.Object, m.ID); err != nil {
		return err
	}
	if m.Op == 0 {
		return nil
	}
	return keys.CheckNewID("Op", m.Op, r.opts.Now())
}

// op is the identity of a call.
type op struct {
	id     ids.ID
	minted bool
}

// op returns the given op, or a new one if that is 0.
func (r *Repository) op(ctx context.Context, given ids.ID) (op, error) {
	if given != 0 {
		return op{id: given}, nil
	}
	id, err := r.gen.Next(ctx)
	return op{id, true}, err
}

// above reports whether the op is above another. A minted op is raised above it,
// because this call comes later.
func (o *op) above(other ids.ID) bool {
	if o.minted && o.id <= other {
		o.id = keys.After(o.id, other)
	}
	return o.id > other
}

// change updates a comment in the first place where it is found. If a condition of
// build fails, refused gets the stored row and returns the error; nil means that there
// is nothing to change. It is a transaction: when the SDK repeats it, that undoes nothing
// that followed.
func (r *Repository) change(ctx context.Context, object string, id ID, build func(*store.Update), refused func(row) error) (changed bool, err error) {
	err = r.locate(ctx, object, id, false, func(key store.Key) error {
		update := r.table.Update(key).If("attribute_exists(pk) AND attribute_not_exists('state')")
		build(update)
		err := r.table.Run(ctx, r.table.Tx().Update(update))
		if was, ok := store.AsRefused(err); ok {
			return r.refusedRow(was, refused)
		}
		changed = err == nil
		return err
	})
	return changed, err
}

// bury makes a comment a tombstone, both copies if there are two. It also puts a
// tombstone in older places, where a copy may still arrive. refused is as in change.
func (r *Repository) bury(ctx context.Context, object string, id ID, state string, build func(*store.Update), refused func(row) error) (changed bool, err error) {
	found := false
	err = r.locate(ctx, object, id, true, func(key store.Key) error {
		update := tombstone(r.table.Update(key), state)
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

// The states of tombstones.
const (
	recalled = "recalled"
	removed  = "removed"
	erased   = "erased" // with its user
)

// errState is returned for a tombstone with an unknown state.
var errState = errors.New("its state is none")

// tombstone refuses a late repeat of the send. The counters stay, so that likes
// can be taken back.
func tombstone(u *store.Update, state string) *store.Update {
	return u.Set("state", state).Remove(store.Deleted[row]()...)
}

func (r *Repository) refusedRow(was *store.Refused, refused func(row) error) error {
	item, _ := was.At(0)
	if item == nil {
		return plaza.ErrNotFound
	}
	var stored row
	if err := r.table.Decode(item, &stored); err != nil {
		return err
	}
	return refused(stored)
}

// locate calls try for the places where the comment can be, the latest first, until it
// is found. With copies it tries the older places too. If no place has the comment, it
// reads the layout again and tries the places that are new.
func (r *Repository) locate(ctx context.Context, object string, id ID, copies bool, try func(store.Key) error) error {
	tried := map[store.Key]bool{}
	for _, consistent := range []bool{false, true} {
		l, err := r.layout(ctx, object, consistent)
		if err != nil {
			return err
		}
		found := false
		for _, p := range slices.Backward(l.places(id)) {
			key := p.key(id)
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
