package danmu

import (
	"context"
	"slices"

	"github.com/plaza-sdk/plaza/internal/store"
)

// find reads a comment, or its tombstone, where it may lie. With one place
// left it is 0.5 or 1 RCU, and as much for each more, in one request.
func (r *Repository) find(ctx context.Context, places []place, id ID, consistent bool) (found row, ok bool, err error) {
	if len(places) == 0 {
		return row{}, false, nil
	}
	wanted := make([]store.Key, len(places))
	for i, p := range places {
		wanted[i] = p.key(id)
	}
	items, err := r.table.GetAll(ctx, wanted, consistent, 1)
	if err != nil {
		return row{}, false, err
	}
	for _, key := range wanted {
		item := items[key]
		if item == nil {
			continue
		}
		var copied row
		if err := r.table.Decode(item, &copied); err != nil {
			return row{}, false, err
		}
		if ok {
			copied = found.join(copied)
		}
		found, ok = copied, true
	}
	return found, ok, nil
}

func except(places []place, one place) []place {
	return slices.DeleteFunc(places, func(p place) bool { return p == one })
}
