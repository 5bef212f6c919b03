package danmu

import (
	"fmt"
	"sync"

	"github.com/guregu/dynamo/v2"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// turns bounds how often a write is tried anew when what it met changed.
const turns = 20

// maxKnown is of how many objects a process remembers the layout.
const maxKnown = 10_000

// Repository keeps comments in one table. It is safe for concurrent use.
type Repository struct {
	table *store.Table
	gen   ids.Source
	opts  Options

	mu      sync.Mutex // of what is added to objects
	objects *lru.Cache[string, *layout]
	layouts flights[string, *layout]
	reads   flights[part, []Comment]
	cache   *cache // nil: none
}

// New does no I/O. The table is one that Table describes.
func New(db *dynamo.DB, table string, gen ids.Source, opts *Options) (*Repository, error) {
	t, err := store.Open(db, table, nil)
	if err != nil {
		return nil, err
	}
	if gen == nil {
		return nil, &plaza.InvalidError{Field: "gen", Reason: "is nil"}
	}
	r := &Repository{table: t, gen: gen}
	if opts != nil {
		r.opts = *opts
	}
	if err := r.opts.setDefaults(); err != nil {
		return nil, err
	}
	if r.objects, err = lru.New[string, *layout](maxKnown); err != nil {
		return nil, fmt.Errorf("danmu: %w", err)
	}
	if r.opts.Cache > 0 {
		if r.cache, err = newCache(r.opts.CacheSize, r.opts.Cache, r.opts.Now); err != nil {
			return nil, fmt.Errorf("danmu: cache: %w", err)
		}
	}
	return r, nil
}

// wrap names the operation and whose it is.
func wrap(what, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("danmu: %s %q: %w", what, name, err)
}

// wrapID names the operation and the comment.
func wrapID(what, object string, id ID, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("danmu: %s %v of %q: %w", what, id, object, err)
}
