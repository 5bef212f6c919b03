package prefs

import (
	"context"

	"github.com/plaza-sdk/plaza/internal/store"
)

// change applies edit to a row, and returns the row as it is stored then.
func (r *Repository) change(ctx context.Context, key store.Key, edit func(*row) (changed bool)) (stored row, changed bool, err error) {
	call, err := r.gen.Next(ctx)
	if err != nil {
		return row{}, false, err
	}
	return store.Change[row]{
		Key: key, Call: call, Part: "change", Last: (*row).last,
		Absent: func(note *store.Update) { note.Set("ttl", r.expiry()) },
		Next: func(seen *row, g store.Guard) (store.Write, error) {
			next := *seen
			if !edit(&next) {
				return nil, store.ErrSame
			}
			u := g.Update().SetSet("on", next.On).SetSet("off", next.Off)
			if next.Since == 0 {
				u.Remove("since")
			} else {
				u.Set("since", next.Since)
			}
			if next.empty() {
				return u.Set("ttl", r.expiry()), nil
			}
			return u.Remove("ttl"), nil
		},
	}.Run(ctx, r.table)
}

// expiry is when a row expires that becomes empty now.
func (r *Repository) expiry() int64 { return r.opts.Now().Add(endedTTL).Unix() }
