package prefs

import (
	"context"
	"fmt"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/notifytable"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Repository keeps users' preferences in notify's table. It is safe for concurrent use.
type Repository struct {
	table *store.Table
	gen   ids.Source
	verbs map[string]Verb
	cache *cache
	opts  Options
}

// New does no I/O. The table is notify's, which notify.Table describes.
func New(db *dynamo.DB, table string, gen ids.Source, opts *Options) (*Repository, error) {
	r := &Repository{gen: gen, verbs: map[string]Verb{}, opts: args.Given(opts)}
	var err error
	if r.table, err = store.Open(db, table, r.opts.OnCorrupt, r.opts.Now != nil); err != nil {
		return nil, err
	}
	if gen == nil {
		return nil, &plaza.InvalidError{Field: "gen", Reason: "is nil"}
	}
	if err := r.opts.setDefaults(); err != nil {
		return nil, err
	}
	for _, verb := range r.opts.Verbs {
		r.verbs[verb.Name] = verb
	}
	if r.cache, err = newCache(r.opts.CacheSize, r.opts.CacheTTL, r.opts.Now); err != nil {
		return nil, err
	}
	return r, nil
}

// Verify checks the table as notify.Repository.Verify does.
//
// Cost: 3 requests, 0.5 RCU.
func (r *Repository) Verify(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "notify/prefs.Repository.Verify")
	return r.table.Verify(ctx, notifytable.Feature())
}

func wrap(what, user string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("prefs: %s %q: %w", what, user, err)
}
