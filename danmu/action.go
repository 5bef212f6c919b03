package danmu

import (
	"context"
	"errors"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Action is what User does to a comment. What is done once says so once, or not
// at all where its first answer was lost on the way. Where the object's shards grew since
// it was sent, what is done costs a failed try more for each time; where there
// is no such comment, 1 RCU more.
type Action struct {
	Object string
	ID     ID
	User   string
}

func (a Action) check() error {
	if err := keys.CheckName("User", a.User); err != nil {
		return err
	}
	return checkAddress(a.Object, a.ID)
}

// change updates a comment that stands: one copy, or both where there are two.
// Where a condition of build fails, refused says of what is there why; nil is no
// change.
func (r *Repository) change(ctx context.Context, a Action, copies bool, build func(*dynamo.Update), refused func(row) error) (changed bool, err error) {
	err = r.locate(ctx, a, copies, func(key store.Key) error {
		update := r.table.Update(key).If("attribute_exists(pk) AND attribute_not_exists('state')")
		build(update)
		err := r.table.Run(ctx, update)
		if was, ok := store.AsRefused(err); ok {
			item, _ := was.At(0)
			if item == nil {
				return plaza.ErrNotFound
			}
			var there row
			if err := dynamo.UnmarshalItem(item, &there); err != nil {
				return err
			}
			return refused(there)
		}
		changed = changed || err == nil
		return err
	})
	return changed, err
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
