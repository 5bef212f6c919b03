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

// Action is a user's like, report or recall of a comment.
type Action struct {
	Object string
	ID     ID
	User   string

	// Op names a Like, an Unlike or a Report, so that it can be repeated. Unlike
	// takes back the like of its Op. For 30 days an Op that was taken back is
	// plaza.ErrRemoved. Defaults to an id of the call's own. Recall ignores it.
	Op ids.ID
}

// Moderation is an action on a comment by somebody whom the service has authorized: the owner
// of the object, or a moderator.
type Moderation struct {
	Object string
	ID     ID

	// Op names a Protect or an Unprotect, so that it can be repeated. Unprotect
	// takes back the Protect of its Op. A Protect with an Op that was taken back, or
	// that is older than a later Unprotect, is plaza.ErrRemoved. Defaults to an id of
	// the call's own. Remove ignores it.
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

// bury makes a comment a tombstone, both copies if there are two. It also puts a
// tombstone in older places, where a copy may still arrive. With a User, only the sender
// may do that, and not after two minutes.
func (r *Repository) bury(ctx context.Context, a Action, state string) (changed bool, err error) {
	call, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	since := ids.At(r.opts.Now().Add(-recallable))
	var older func(*store.Update) // set once the comment is found
	err = r.locate(ctx, a.Object, a.ID, true, func(key store.Key) error {
		_, buried, err := store.Change[commentItem]{
			Key: key, Call: call, Part: "end", Last: (*commentItem).lastEnd, Unread: true, Silent: true, Absent: older,
			Next: func(seen *commentItem, g store.Guard) (store.Write, error) {
				u := inLife(tombstone(g.Update(), state), seen, g.Op()).If("attribute_not_exists('state')")
				switch {
				case seen == nil && a.User != "":
					u.If("attribute_not_exists(pk) OR userId = ? AND sent >= ?", a.User, since)
				case seen == nil:
				case seen.gone():
					return nil, store.ErrSame
				case a.User != "" && seen.User != a.User:
					return nil, plaza.ErrForbidden
				case a.User != "" && seen.Sent < since:
					return nil, ErrTooLate
				}
				return u, nil
			},
		}.Run(ctx, r.table)
		if err == nil && older == nil {
			changed, older = buried, func(*store.Update) {}
		}
		return err
	})
	return changed, err
}

// inLife refuses a change of a comment that was erased and sent again since. Only imported
// comments have no Sent.
func inLife(u *store.Update, seen *commentItem, call ids.ID) *store.Update {
	switch {
	case seen == nil:
		return u.If("attribute_not_exists(sent) OR sent < ?", call)
	case seen.Sent == 0:
		return u.If("attribute_not_exists(sent)")
	}
	return u.If("sent = ?", seen.Sent)
}

// The states of tombstones.
const (
	recalled = "recalled"
	removed  = "removed"
	erased   = "erased" // with its user
)

// errState is returned for a tombstone with an unknown state.
var errState = errors.New("its state is unknown")

// tombstone refuses a late repeat of the send. The counters stay, so that likes
// can be taken back.
func tombstone(u *store.Update, state string) *store.Update {
	return u.Set("state", state).Remove(store.Deleted[commentItem]()...)
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
