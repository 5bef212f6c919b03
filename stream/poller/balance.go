package poller

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/plaza-sdk/plaza/internal/parallel"
)

// ready returns the shards that may be read: their parent has ended or is gone.
func ready(l *listing, known map[string]leaseItem) []string {
	var ids []string
	for id, stored := range known {
		if stored.Ended || stored.damaged != nil {
			continue
		}
		parent, there := known[stored.Parent]
		if stored.Parent == "" || parent.Ended || !there && !l.known[stored.Parent] {
			ids = append(ids, id)
		}
	}
	return ids
}

// balance takes leases up to this worker's share, or gives back those beyond it. It takes none
// from a live worker, which gives back its own surplus.
func (w *worker) balance(ctx, within context.Context, l *listing, known map[string]leaseItem, live map[string]bool) error {
	shares := map[string]int{}
	for name := range live {
		shares[name] = 0
	}
	var free []leaseItem
	open := ready(l, known)
	for _, id := range open {
		stored := known[id]
		if live[stored.Owner] {
			shares[stored.Owner]++
		}
		_, held := w.held[id]
		_, drained := w.drained[id]
		if !held && !drained && (!live[stored.Owner] || stored.Owner == w.name) {
			free = append(free, stored)
		}
	}
	part := quota(w.name, shares, len(open))
	var active []*holding
	for _, h := range w.held {
		if !h.stopping {
			active = append(active, h)
		}
	}
	if over := len(active) - part; over > 0 {
		for _, h := range active[:over] {
			h.stop()
		}
		return nil
	}
	return w.take(ctx, within, free, known, part-len(active))
}

// quota is how many of n shards a worker should have: as many as every other, and one
// more if it is among the first. Those with the most shards come first, so that few
// shards change hands.
func quota(name string, shares map[string]int, n int) int {
	names := make([]string, 0, len(shares))
	for name := range shares {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(shares[b], shares[a]), cmp.Compare(a, b))
	})
	part := n / len(names)
	if slices.Index(names, name) < n%len(names) {
		part++
	}
	return part
}

// take acquires up to n of the free leases and reads their shards. A lease may already
// be in this worker's name, after an answer was lost or its leases lapsed.
func (w *worker) take(ctx, within context.Context, free []leaseItem, known map[string]leaseItem, n int) error {
	rand.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] }) // else workers race for the same
	slices.SortStableFunc(free, func(a, b leaseItem) int { return cmp.Compare(w.foreign(a), w.foreign(b)) })
	for n > 0 && len(free) > 0 {
		batch := free[:min(n, len(free), writers)]
		free = free[len(batch):]
		taken := make([]leaseItem, len(batch))
		group := parallel.New()
		for i, seen := range batch {
			group.Go(func() (err error) {
				if taken[i] = seen; seen.Owner != w.name {
					taken[i], err = w.leases.acquire(within, seen, w.name)
				}
				return err
			})
		}
		err := group.Wait()
		for i, stored := range taken {
			if stored.Owner == w.name && !stored.Ended {
				_, follows := known[stored.Parent]
				first := stored.Gen == 1 && batch[i].Gen == 0 && !follows
				w.hold(ctx, stored, first)
				n--
			}
		}
		if err != nil {
			return fmt.Errorf("poller: acquire: %w", err)
		}
	}
	return nil
}

func (w *worker) foreign(l leaseItem) int {
	if l.Owner == w.name {
		return 0
	}
	return 1
}
