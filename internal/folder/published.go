package folder

import (
	"bytes"
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

// Cache reads and caches what folders published. It is safe for concurrent use.
type Cache struct {
	table *store.Table
	now   func() time.Time

	roots  *lru.Cache[store.Key, *Published]
	blocks *lru.Cache[store.Key, *fold.Block] // which never change

	rootReads  share.Group[rootRead, *Published]
	blockReads share.Group[store.Key, *fold.Block]
}

type rootRead struct {
	key        store.Key
	consistent bool
}

// NewCache does no I/O.
func NewCache(table *store.Table, now func() time.Time) (*Cache, error) {
	c := &Cache{table: table, now: now}
	var err error
	if c.roots, err = lru.New[store.Key, *Published](maxRoots); err != nil {
		return nil, err
	}
	c.blocks, err = lru.New[store.Key, *fold.Block](maxBlocks)
	return c, err
}

// Purge empties the cache.
func (c *Cache) Purge() {
	c.roots.Purge()
	c.blocks.Purge()
}

var (
	errUnpublished = errors.New("folder: nothing is published that can be used")
	errNoBlock     = errors.New("a block that it refers to is missing")
	errBounds      = errors.New("a block that it refers to contradicts it")
)

// Use calls do with what is published of a period under fold, as Boards.Fold says. If a
// newer publication has replaced it meanwhile, it calls do again. used is false if there
// is nothing that can be used. Damage is reported.
func (c *Cache) Use(ctx context.Context, n Name, fold int64, do func(*Published) error) (used bool, err error) {
	p, err := c.root(ctx, n.rootKey())
	if err == nil {
		err = c.try(ctx, p, fold, do)
	}
	if errors.Is(err, errUnpublished) || c.table.Skips(err) {
		return false, nil
	}
	return err == nil, err
}

func (c *Cache) try(ctx context.Context, p *Published, fold int64, do func(*Published) error) error {
	for {
		switch {
		case p.damage != nil:
			return p.damage
		case p.item.root == nil || p.item.Fold != fold:
			return errUnpublished
		}
		err := do(p)
		if !errors.Is(err, plaza.ErrNotFound) {
			return err
		}
		before := p
		if p, err = c.readRoot(ctx, p.key, true); err != nil {
			return err
		}
		if p.same(before) { // a root goes before its blocks do, so this one was lost
			return c.table.Corrupt(p.key, errNoBlock.Error())
		}
	}
}

// root returns what is published, as of at most rootLife ago.
func (c *Cache) root(ctx context.Context, key store.Key) (*Published, error) {
	if p, ok := c.roots.Get(key); ok && share.Fresh(p.read, c.now(), rootLife) {
		return p, nil
	}
	return c.readRoot(ctx, key, false)
}

// readRoot reads past the cache.
func (c *Cache) readRoot(ctx context.Context, key store.Key, consistent bool) (*Published, error) {
	return c.rootReads.Do(ctx, rootRead{key, consistent}, func(ctx context.Context) (*Published, error) {
		p := &Published{cache: c, key: key, read: c.now()}
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
func (c *Cache) block(ctx context.Context, key store.Key) (*fold.Block, error) {
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

// Published is the last publication of a period, as it was read. It is never modified.
type Published struct {
	cache  *Cache
	key    store.Key
	item   rootItem // its root is nil if there is nothing to use
	damage error
	read   time.Time // when the read began
}

// AsOf is the time up to which all changes are in it.
func (p *Published) AsOf() time.Time { return p.item.AsOf }

// Len returns the number of keys.
func (p *Published) Len() int64 { return p.item.root.Len() }

// Leaf returns the leaf in which a key belongs.
func (p *Published) Leaf(ctx context.Context, key []byte) (leaf fold.Leaf, err error) {
	root := p.item.root
	i := root.Block(key)
	err = p.inBlock(ctx, i, func(b *fold.Block) (err error) {
		leaf, err = root.Leaf(i, b, key)
		if err == nil && bytes.Compare(leaf.From, key) > 0 {
			err = errBounds
		}
		return err
	})
	return leaf, err
}

// LeafAt returns the leaf of the key that has this many keys before it.
func (p *Published) LeafAt(ctx context.Context, above int64) (leaf fold.Leaf, err error) {
	root := p.item.root
	i := root.BlockAt(above)
	err = p.inBlock(ctx, i, func(b *fold.Block) (err error) {
		leaf, err = root.LeafAt(i, b, above)
		return err
	})
	return leaf, err
}

// leaves returns all leaves in order.
func (p *Published) leaves(ctx context.Context) (all []fold.Leaf, err error) {
	root := p.item.root
	for i := range max(1, len(root.Blocks())) {
		err := p.inBlock(ctx, i, func(b *fold.Block) error {
			leaves, err := root.Leaves(i, b)
			all = append(all, leaves...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// inBlock reads block i for find, which gets nil if the root has no blocks.
func (p *Published) inBlock(ctx context.Context, i int, find func(*fold.Block) error) error {
	var b *fold.Block
	if blocks := p.item.root.Blocks(); len(blocks) > 0 {
		var err error
		if b, err = p.cache.block(ctx, store.Key{PK: p.key.PK, SK: blockSK(blocks[i])}); err != nil {
			return err
		}
	}
	if err := find(b); err != nil {
		return p.cache.table.Corrupt(p.key, err.Error())
	}
	return nil
}

// same reports whether nothing was published in between.
func (p *Published) same(o *Published) bool {
	return p.item.root != nil && p.item.Gen == o.item.Gen && p.item.Seq == o.item.Seq
}
