package announce

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/notifytable"
	"github.com/plaza-sdk/plaza/internal/share"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/notify"
)

// Options of a Repository. The zero value works.
type Options struct {
	// CacheSize is how many announcements this process keeps in memory, of all
	// audiences. Those of the least recently used audience go first. Defaults to
	// 10,000.
	CacheSize int

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// OnCorrupt is called with each damaged item that an answer leaves out, by
	// several goroutines at once. Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)

	// Now is the clock, the same as notify.Options.Now. Defaults to time.Now.
	Now func() time.Time
}

func (o *Options) setDefaults() error {
	o.Codec = cmp.Or(o.Codec, cursor.Plain())
	if o.Now == nil {
		o.Now = time.Now
	}
	return args.DefaultAtLeast("Options.CacheSize", &o.CacheSize, 10_000, 0)
}

// Repository keeps announcements in the table of package notify. It is safe for
// concurrent use.
type Repository struct {
	table *store.Table
	gen   ids.Source
	opts  Options

	cache *cache
	reads share.Group[string, reading]
}

var _ notify.Source = (*Repository)(nil)

// New does no I/O. The table is notify's, which notify.Table describes.
func New(db *dynamo.DB, table string, gen ids.Source, opts *Options) (*Repository, error) {
	r := &Repository{gen: gen, opts: args.Given(opts)}
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
	if r.cache, err = newCache(r.opts.CacheSize, r.opts.Now); err != nil {
		return nil, fmt.Errorf("announce: cache: %w", err)
	}
	return r, nil
}

// Verify checks the table as notify.Repository.Verify does.
//
// Cost: 3 requests, 0.5 RCU.
func (r *Repository) Verify(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "notify/announce.Repository.Verify")
	return r.table.Verify(ctx, notifytable.Feature())
}

// idAt returns a new id of the time t. Two ids of one millisecond are equal once in
// four million times.
func (r *Repository) idAt(ctx context.Context, t time.Time) (ids.ID, error) {
	unique, err := r.gen.Next(ctx)
	if err != nil {
		return 0, err
	}
	return ids.Backdate(t, unique.String())
}

// wrap adds the operation and the audience.
func wrap(what, audience string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("announce: %s %q: %w", what, audience, err)
}
