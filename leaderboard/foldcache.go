package leaderboard

import (
	"context"
	"errors"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/fold"
	"github.com/plaza-sdk/plaza/internal/share"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	// rootLife is how long a root is cached. Folders publish about as often.
	rootLife = time.Second

	maxRoots  = 1000 // in the cache, up to 33 KB for each 10 million entries
	maxBlocks = 1000 // likewise, about 4 KB each
)

// published is a folder's last publication of a period, as it was read. It is never
// modified.
type published struct {
	key    store.Key
	item   rootItem // its root is nil if there is nothing to use
	damage error
	read   time.Time // when the read began
}

// asOf returns a Position with nothing but AsOf and Folded.
func (p *published) asOf() Position { return Position{AsOf: p.item.AsOf, Folded: true} }

// same reports whether nothing was published in between.
func (p *published) same(o *published) bool {
	return p.item.root != nil && p.item.Gen == o.item.Gen && p.item.Seq == o.item.Seq
}

// foldCache caches what folders published. It is safe for concurrent use.
type foldCache struct {
	table *store.Table
	now   func() time.Time

	roots  *lru.Cache[store.Key, *published]
	blocks *lru.Cache[store.Key, *fold.Block] // which never change

	rootReads  share.Group[rootRead, *published]
	blockReads share.Group[store.Key, *fold.Block]
}

type rootRead struct {
	key        store.Key
	consistent bool
}

func newFoldCache(table *store.Table, now func() time.Time) (*foldCache, error) {
	c := &foldCache{table: table, now: now}
	var err error
	if c.roots, err = lru.New[store.Key, *published](maxRoots); err != nil {
		return nil, err
	}
	c.blocks, err = lru.New[store.Key, *fold.Block](maxBlocks)
	return c, err
}

// root returns what is published, as of at most rootLife ago.
func (c *foldCache) root(ctx context.Context, key store.Key) (*published, error) {
	if p, ok := c.roots.Get(key); ok && share.Fresh(p.read, c.now(), rootLife) {
		return p, nil
	}
	return c.readRoot(ctx, key, false)
}

// readRoot reads past the cache.
func (c *foldCache) readRoot(ctx context.Context, key store.Key, consistent bool) (*published, error) {
	return c.rootReads.Do(ctx, rootRead{key, consistent}, func(ctx context.Context) (*published, error) {
		p := &published{key: key, read: c.now()}
		err := c.table.Get(ctx, key, consistent, &p.item)
		switch {
		case errors.Is(err, plaza.ErrCorrupt):
			p.damage, p.item = err, rootItem{}
		case errors.Is(err, plaza.ErrNotFound):
		case err != nil:
			return nil, err
		}
		p.item.Data = nil // it is in root
		c.roots.Add(key, p)
		return p, nil
	})
}

// block returns a block. If it is gone, the error is plaza.ErrNotFound.
func (c *foldCache) block(ctx context.Context, key store.Key) (*fold.Block, error) {
	if block, ok := c.blocks.Get(key); ok {
		return block, nil
	}
	return c.blockReads.Do(ctx, key, func(ctx context.Context) (*fold.Block, error) {
		var item blockItem
		// Consistent, since the root may have come from a replica that is ahead.
		if err := c.table.Get(ctx, key, true, &item); err != nil {
			return nil, err
		}
		c.blocks.Add(key, item.block)
		return item.block, nil
	})
}
