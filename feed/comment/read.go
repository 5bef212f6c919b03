package comment

import (
	"cmp"
	"context"
	"maps"

	"github.com/plaza-sdk/plaza/internal/store"
)

// rows are stored comments by their keys.
type rows map[store.Key]row

// read returns the rows with these keys, which may contain duplicates. Expired
// rows are left out, and damaged ones have their error.
func (r *Repository) read(ctx context.Context, keys []store.Key, consistent bool) (rows, error) {
	found, err := r.table.GetAll(ctx, keys, consistent, 1)
	if err != nil {
		return nil, err
	}
	rs, now := make(rows, len(found)), r.opts.Now().Unix()
	for key, item := range found {
		var i row
		if err := r.table.Decode(item, &i); err != nil {
			i = row{PK: key.PK, SK: key.SK, damaged: err}
		}
		if !i.expired(now) {
			rs[key] = i
		}
	}
	return rs, nil
}

// readListed reads rows that a list names, with their roots. It reads again,
// consistently, those that an eventually consistent read did not find: each was
// written together with its place in the list, so a page without it would lose
// it.
func (r *Repository) readListed(ctx context.Context, listed []row) (rows, error) {
	keys := keysOfRows(listed)
	found, err := r.read(ctx, keys, r.opts.Consistent)
	if err != nil || r.opts.Consistent {
		return found, err
	}
	var lagging []store.Key
	for _, key := range keys {
		if _, ok := found[key]; !ok {
			lagging = append(lagging, key)
		}
	}
	late, err := r.read(ctx, lagging, true)
	maps.Copy(found, late)
	return found, err
}

// at finds a comment under either of the keys that it can have.
func (rs rows) at(at Address) (found row, ok bool) {
	for _, rest := range []bool{false, true} {
		i, there := rs[at.key(rest)]
		if !there || ok && i.TTL != 0 {
			continue
		}
		found, ok = i, true
		found.at, found.rest = at, rest && at.Root != 0
		if at.Root != 0 {
			root := rs[at.root().key(false)]
			found.rootHidden, found.damaged = root.Hidden, cmp.Or(found.damaged, root.damaged)
		}
	}
	return found, ok
}

// readable reports whether a row was found and is not damaged. It reports
// damage to OnCorrupt.
func (r *Repository) readable(found row, ok bool) (row, bool) {
	return found, ok && !r.table.Skips(found.damaged)
}

// keysOf are all keys that the comments can have, and their roots' keys.
func keysOf(ats []Address) []store.Key {
	var keys []store.Key
	for _, at := range ats {
		keys = append(keys, at.keys()...)
	}
	return keys
}

// keysOfRows are the keys of rows whose places are known, and their roots' keys.
func keysOfRows(known []row) []store.Key {
	var keys []store.Key
	for _, i := range known {
		keys = append(keys, i.key())
		if i.at.Root != 0 {
			keys = append(keys, i.at.root().key(false))
		}
	}
	return keys
}
