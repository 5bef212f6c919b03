package folder

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/fold"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	loadsAtOnce = 8      // periods
	rowsAtOnce  = 10_000 // of an index partition
)

// load drops what has expired, takes over what was read, and begins to read what has
// waited long enough.
func (t *Term) load(ctx context.Context) error {
	now := t.Boards.Now()
	running := 0
	var next []*period
	for _, p := range t.periods {
		if p.expired(now) {
			t.remove(p)
			continue
		}
		if p.state == reads {
			if err := t.collect(ctx, p); err != nil {
				return err
			}
		}
		switch {
		case p.state == reads:
			running++
		case p.state == fails && time.Now().After(p.since):
			p.wait()
		case p.state == waits && time.Since(p.since) >= t.Settle:
			next = append(next, p)
		}
	}
	t.bound(now)
	slices.SortFunc(next, func(a, b *period) int { // open ones first, then the newest
		return cmp.Or(compare(a.closed(now), b.closed(now)), cmp.Compare(b.Name.Period, a.Name.Period))
	})
	for _, p := range next[:min(len(next), max(0, loadsAtOnce-running))] {
		if p.state == waits { // and not too large
			t.start(ctx, p)
		}
	}
	return nil
}

// compare orders false before true.
func compare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func (t *Term) start(ctx context.Context, p *period) {
	ctx, cancel := context.WithCancel(ctx)
	l := &load{cancel: cancel, done: make(chan struct{})}
	p.state, p.load = reads, l
	name := p.Name
	t.loads.Go(func() error {
		defer close(l.done)
		defer cancel()
		l.err = parallel.Catch(func() error { return t.read(ctx, name, l) })
		l.ended = t.Now()
		return nil
	})
}

// read reads the index after the number of shards: entries in later shards are written
// minutes after that, and come by the stream.
func (t *Term) read(ctx context.Context, n Name, l *load) error {
	p, err := t.Boards.Period(ctx, n)
	if err != nil {
		return err
	}
	if l.stored, err = t.readStored(ctx, n); err != nil {
		return err
	}
	l.set = new(fold.Set)
	for _, part := range p.Parts {
		if err := t.readShard(ctx, part, l); err != nil {
			return err
		}
	}
	return nil
}

func (f *Folder) readStored(ctx context.Context, n Name) (stored, error) {
	items, err := store.Query[dynamo.Item](ctx, f.Table, store.Span{
		PK: n.pk(), Ascending: true, Consistent: true, Only: []string{"pk", "sk", "gen", "seq", "id"},
	})
	var s stored
	for _, item := range items {
		switch key := store.KeyOf(item); key {
		case n.rootKey():
			s.gen, s.seq = version(item)
		case n.orderKey():
			s.order = item
		default:
			s.blocks = append(s.blocks, key)
		}
	}
	return s, err
}

// row is a row of the index without the rest.
type row struct {
	Key []byte `dynamo:"key"`
}

// readShard waits after each request as long as it took: readers of the same partition
// must not be throttled by a load.
func (f *Folder) readShard(ctx context.Context, part string, l *load) error {
	span := store.IndexSpan{Partition: part, Ascending: true, Limit: rowsAtOnce, Only: []string{"key"}}
	for {
		began := time.Now()
		rows, rest, err := store.ReadIndex[row](ctx, f.Table, f.Index, span)
		if err != nil {
			return err
		}
		for _, row := range rows {
			l.set.Add(row.Key)
		}
		l.entries.Store(int64(l.set.Len()))
		if rest == "" {
			return nil
		}
		if span.From = store.After(rows[len(rows)-1].Key); span.From == nil { // no key is larger
			return nil
		}
		if err := parallel.Sleep(ctx, time.Since(began)); err != nil {
			return err
		}
	}
}

// collect takes over what was read of a period, if that has ended.
func (t *Term) collect(ctx context.Context, p *period) error {
	l := p.load
	select {
	case <-l.done:
	default:
		return nil
	}
	p.load = nil
	if err := l.err; err != nil {
		if errors.Is(err, plaza.ErrNotFound) {
			t.remove(p)
			return nil
		}
		p.drop()
		p.state, p.since = fails, time.Now().Add(min(t.Every<<min(p.tries, 10), time.Minute))
		p.tries++
		return t.survive(ctx, p.attempt("fold", err))
	}
	if s := l.stored; s.gen > t.gen || s.gen == t.gen && s.seq > t.seq {
		return lost(s.gen) // before blocks of that gen are stored again: LEADER may have been deleted
	}
	pending := p.pending
	p.state, p.tries, p.pending = follows, 0, nil
	p.set, p.ready, p.stored = l.set, l.ended, l.stored
	if p.order != nil {
		p.stored.order, p.order = p.order, nil
	}
	p.dirty, p.changed = true, l.ended
	for _, c := range pending {
		p.take(c, t.Now())
	}
	return nil
}

// bound leaves periods to be counted while there are too many entries: closed ones
// first, which only pass through memory, and the largest of them.
func (t *Term) bound(now time.Time) {
	entries := 0
	var all []*period
	for _, p := range t.periods {
		entries += p.size()
		all = append(all, p)
	}
	if entries <= t.MaxEntries {
		return
	}
	slices.SortFunc(all, func(a, b *period) int {
		return cmp.Or(compare(b.closed(now), a.closed(now)), cmp.Compare(b.size(), a.size()))
	})
	for _, p := range all {
		if n := p.size(); n > 0 && entries > t.MaxEntries {
			p.leave()
			entries -= n
		}
	}
}
