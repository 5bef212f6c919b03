package feed

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/store"
)

// hydrator reads the activities of home entries, through the cache if there is
// one. Readers who miss the same activity at the same time share one read.
type hydrator struct {
	table      *store.Table
	cache      Cache // may be nil
	consistent bool

	mu      sync.Mutex
	flights map[CacheKey]*flight
}

// flight is a read in progress, which other readers may wait for.
type flight struct {
	done  chan struct{}
	found map[CacheKey]Cached // set once done; lacks keys that were not found
}

// read returns the activities of keys, and the item under header unless that is
// the zero Key. Missing and damaged activities are absent; a removed one is
// Gone.
func (h *hydrator) read(ctx context.Context, keys []CacheKey, header store.Key) (map[CacheKey]Cached, dynamo.Item, error) {
	if h.cache == nil {
		return h.fetch(ctx, keys, header)
	}
	cached := h.cache.Get(ctx, keys)
	if header == (store.Key{}) && !slices.ContainsFunc(keys, func(key CacheKey) bool { _, ok := cached[key]; return !ok }) {
		return cached, nil, nil
	}
	known := make(map[CacheKey]Cached, len(keys))
	maps.Copy(known, cached)
	own := &flight{done: make(chan struct{})}
	mine, others := h.divide(keys, known, own)
	item, err := h.readOwn(ctx, own, mine, header)
	if err != nil {
		return nil, nil, err
	}
	maps.Copy(known, own.found)
	var missed []CacheKey
	for key, other := range others {
		select {
		case <-other.done:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
		if cached, ok := other.found[key]; ok {
			known[key] = cached
		} else {
			missed = append(missed, key) // erased, or that read failed
		}
	}
	found, _, err := h.fetch(ctx, missed, store.Key{})
	maps.Copy(known, found)
	return known, item, err
}

// divide returns the keys that own has to read, and the flights that read the
// others.
func (h *hydrator) divide(keys []CacheKey, known map[CacheKey]Cached, own *flight) (mine []CacheKey, others map[CacheKey]*flight) {
	h.mu.Lock()
	defer h.mu.Unlock()
	others = map[CacheKey]*flight{}
	for _, key := range keys {
		if _, ok := known[key]; ok {
			continue
		}
		if other := h.flights[key]; other != nil {
			others[key] = other
			continue
		}
		h.flights[key] = own
		mine = append(mine, key)
	}
	return mine, others
}

// readOwn reads the keys of own and ends the flight, even if the read fails.
func (h *hydrator) readOwn(ctx context.Context, own *flight, mine []CacheKey, header store.Key) (item dynamo.Item, err error) {
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, key := range mine {
			delete(h.flights, key)
		}
		close(own.done)
	}()
	found, item, err := h.fetch(ctx, mine, header)
	if err == nil {
		h.cache.Put(ctx, found)
		own.found = found
	}
	return item, err
}

// remember caches an activity that was just written, so that its writer sees
// it.
func (h *hydrator) remember(ctx context.Context, key CacheKey, written Cached) {
	if h.cache != nil {
		h.cache.Put(ctx, map[CacheKey]Cached{key: written})
	}
}

// fetch reads from the table.
func (h *hydrator) fetch(ctx context.Context, keys []CacheKey, header store.Key) (map[CacheKey]Cached, dynamo.Item, error) {
	wanted := make([]store.Key, len(keys), len(keys)+1)
	for i, key := range keys {
		wanted[i] = activityKey(key.Owner, key.ID)
	}
	all := wanted
	if header != (store.Key{}) {
		all = append(all, header)
	}
	items, err := h.table.GetAll(ctx, all, h.consistent, 1)
	if err == nil && !h.consistent {
		err = addLagging(ctx, h.table, items, wanted)
	}
	if err != nil {
		return nil, nil, err
	}
	found := make(map[CacheKey]Cached, len(keys))
	var stored activityItem
	for i, key := range keys {
		item := items[wanted[i]]
		if item == nil {
			continue
		}
		stored = activityItem{}
		err := h.table.Decode(item, &stored)
		switch {
		case h.table.Skips(err):
		case stored.Removed != 0:
			found[key] = Cached{Gone: true}
		case stored.Owner == "": // otherwise the key is now a reference to another owner's activity
			found[key] = Cached{Activity: stored.activityOf(key.Owner)}
		}
	}
	return found, items[header], nil
}

// addLagging reads again, consistently, what an eventually consistent read did
// not find. Entries and references are written after their activity, so it
// exists unless it was erased. A page without it would lose it.
func addLagging(ctx context.Context, table *store.Table, items map[store.Key]dynamo.Item, wanted []store.Key) error {
	var missing []store.Key
	for _, key := range wanted {
		if items[key] == nil {
			missing = append(missing, key)
		}
	}
	late, err := table.GetAll(ctx, missing, true, 1)
	maps.Copy(items, late)
	return err
}
