package feed

import (
	"context"
	"time"

	"github.com/plaza-sdk/plaza/ids"
)

// Rows are an activity and its references in the outboxes of To, as Publish stores them.
func (r *Repository) Rows(a Activity) ([]any, error) {
	about, err := r.about(a)
	item := newActivityItem(a)
	item.About = about
	rows := []any{item}
	for _, to := range a.To {
		rows = append(rows, activityItem{PK: outboxPK(to), ID: a.ID, Owner: a.Owner, About: about})
	}
	return rows, err
}

// ParseEntryKey reads the key of an entry.
func ParseEntryKey(text string) error {
	_, err := parseEntryKey(text)
	return err
}

// PullCache remembers rows of outboxes that read returns.
type PullCache struct{ cache *pullCache }

// NewPullCache returns a cache of the ids that read returns.
func NewPullCache(size int, now func() time.Time, read func(ctx context.Context, owner string) ([]ids.ID, error)) (PullCache, error) {
	cache, err := newPullCache(size, now, func(ctx context.Context, owner string) (newest, error) {
		found, err := read(ctx, owner)
		n := newest{}
		for _, id := range found {
			n.items = append(n.items, pulledItem{ID: id})
		}
		return n, err
	})
	return PullCache{cache}, err
}

// Newest returns ids of the owner's outbox.
func (c PullCache) Newest(ctx context.Context, owner string) ([]ids.ID, error) {
	found, err := c.cache.newest(ctx, owner)
	var newest []ids.ID
	for _, item := range found.items {
		newest = append(newest, item.ID)
	}
	return newest, err
}

// Len is how many outboxes the cache remembers.
func (c PullCache) Len() int { return c.cache.outboxes.Len() }

// OpenPull makes the home read the source's outbox by an edge, as a switch does.
func (h Home) OpenPull(ctx context.Context, source string, edge, since, at ids.ID) (bool, error) {
	return h.openPull(ctx, edge, pull{Source: source, Since: since, At: at})
}

// ClosePull bounds what the home reads by an edge, as a switch does.
func (h Home) ClosePull(ctx context.Context, source string, edge, until, at ids.ID) (bool, error) {
	return h.closePull(ctx, source, edge, until, at)
}

// PullName names a home's pull of an edge.
func PullName(edge ids.ID, source string) string { return pullName(edge, source) }
