package prefs

import (
	"context"
	"errors"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// maxTries bounds how often a write is tried when others change the same row.
const maxTries = 10

// change applies edit to a row, and returns the row that it wrote. It writes even if
// edit changes nothing: the next rev then refuses an earlier request that arrives
// late. The transaction has a token, so an attempt whose answer was lost is not
// mistaken for another call's write.
func (r *Repository) change(ctx context.Context, key store.Key, edit func(*row) (changed bool)) (next row, changed bool, err error) {
	for range maxTries {
		var seen row
		err := r.table.Get(ctx, key, true, &seen)
		if err != nil && !errors.Is(err, plaza.ErrNotFound) {
			return row{}, false, err
		}
		next := seen
		changed := edit(&next)
		next.Rev = seen.Rev + 1
		next.TTL = 0
		if next.empty() {
			next.TTL = r.opts.Now().Add(endedTTL).Unix()
		}
		err = r.table.Run(ctx, r.table.Tx().Update(r.write(key, seen, next)))
		if _, outdated := store.AsRefused(err); outdated {
			continue
		}
		if err != nil {
			return row{}, false, err
		}
		return next, changed, nil
	}
	return row{}, false, plaza.ErrBusy
}

// write turns the row as it was seen into next.
func (r *Repository) write(key store.Key, seen, next row) *store.Update {
	update := r.table.Update(key).Set("rev", next.Rev).SetSet("on", next.On).SetSet("off", next.Off)
	for _, attribute := range []struct {
		name  string
		value int64
	}{{"since", next.Since}, {"ttl", next.TTL}} {
		if attribute.value == 0 {
			update.Remove(attribute.name)
		} else {
			update.Set(attribute.name, attribute.value)
		}
	}
	if seen.Rev == 0 {
		return update.If("attribute_not_exists(rev)")
	}
	return update.If("rev = ?", seen.Rev)
}
