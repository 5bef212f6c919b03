package leaderboard

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/fold"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// foldLoads is how many periods are read from the index at once.
const foldLoads = 8

// foldLoad reads a period from the index, in a goroutine of its own.
type foldLoad struct {
	cancel  context.CancelFunc
	entries atomic.Int64 // read so far
	done    chan struct{}

	// These are set when done is closed.
	set    *fold.Set
	stored foldStored
	ended  time.Time
	err    error
}

// load drops what has expired, takes over what was read, and begins to read what has
// waited long enough.
func (l *folding) load(ctx context.Context) error {
	now := l.boards.opts.Now()
	running := 0
	var next []*foldedPeriod
	for key, p := range l.periods {
		if p.period.expired(now) {
			l.remove(key)
			continue
		}
		if p.state == foldReads {
			if err := l.collect(ctx, key, p); err != nil {
				return err
			}
		}
		switch {
		case p.state == foldReads:
			running++
		case p.state == foldFails && time.Now().After(p.since):
			p.wait()
		case p.state == foldWaits && time.Since(p.since) >= l.opts.Settle:
			next = append(next, p)
		}
	}
	l.bound(now)
	slices.SortFunc(next, func(a, b *foldedPeriod) int {
		switch {
		case a.period.closed(now) == b.period.closed(now):
			return b.period.start.Compare(a.period.start)
		case a.period.closed(now):
			return 1
		}
		return -1
	})
	for _, p := range next[:min(len(next), max(0, foldLoads-running))] {
		if p.state == foldWaits { // and not too large
			l.start(ctx, p)
		}
	}
	return nil
}

func (l *folding) start(ctx context.Context, p *foldedPeriod) {
	ctx, cancel := context.WithCancel(ctx)
	read := &foldLoad{cancel: cancel, done: make(chan struct{})}
	p.state, p.read = foldReads, read
	board, period := p.board.name, p.period
	l.loads.Go(func() error {
		defer close(read.done)
		defer cancel()
		read.err = parallel.Catch(func() error { return read.run(ctx, l.boards, board, period) })
		read.ended = l.opts.Now()
		return nil
	})
}

// run reads the index after the number of shards: entries in later shards are written
// minutes after that, and come by the stream.
func (f *foldLoad) run(ctx context.Context, r *Repository, board string, p period) error {
	var item periodItem
	if err := r.table.Get(ctx, periodKey(board, p.start), true, &item); err != nil {
		return err
	}
	p = item.period()
	var err error
	if f.stored, err = r.foldStored(ctx, board, p); err != nil {
		return err
	}
	f.set = new(fold.Set)
	for shard := range p.shards {
		if err := f.readShard(ctx, r.table, shardPart(board, p, shard)); err != nil {
			return err
		}
	}
	return nil
}

// readShard waits after each request as long as it took: readers of the same partition
// must not be throttled by a load.
func (f *foldLoad) readShard(ctx context.Context, t *store.Table, part string) error {
	span := store.IndexSpan{Partition: part, Ascending: true, Limit: atOnce, Only: []string{"key"}}
	for {
		began := time.Now()
		rows, rest, err := store.ReadIndex[rowItem](ctx, t, ranking, span)
		if err != nil {
			return err
		}
		for _, row := range rows {
			f.set.Add(row.Key)
		}
		f.entries.Store(int64(f.set.Len()))
		if rest == "" {
			return nil
		}
		if span.From = after(rows[len(rows)-1].Key); span.From == nil { // no key is larger
			return nil
		}
		if err := parallel.Sleep(ctx, time.Since(began)); err != nil {
			return err
		}
	}
}

// collect takes over what was read of a period, if that has ended.
func (l *folding) collect(ctx context.Context, key string, p *foldedPeriod) error {
	read := p.read
	select {
	case <-read.done:
	default:
		return nil
	}
	p.read = nil
	if err := read.err; err != nil {
		if errors.Is(err, plaza.ErrNotFound) {
			l.remove(key)
			return nil
		}
		p.drop()
		p.state, p.since = foldFails, time.Now().Add(min(l.opts.Every<<min(p.tries, 10), time.Minute))
		p.tries++
		return l.survive(ctx, p.attempt("fold", err))
	}
	if s := read.stored; s.gen > l.gen || s.gen == l.gen && s.seq > l.seq {
		return foldLost(s.gen) // before blocks of that gen are stored again: LEADER may have been deleted
	}
	pending := p.pending
	p.state, p.tries, p.pending = foldFollows, 0, nil
	p.set, p.ready, p.stored = read.set, read.ended, read.stored
	if p.order != nil {
		p.stored.repair, p.order = p.order, nil
	}
	p.dirty, p.changed = true, read.ended
	for _, c := range pending {
		p.take(c, l.opts.Now())
	}
	return nil
}

// bound leaves periods to be counted while there are too many entries: closed ones
// first, which only pass through memory, and the largest of them.
func (l *folding) bound(now time.Time) {
	entries := 0
	var all []*foldedPeriod
	for _, p := range l.periods {
		entries += p.size()
		all = append(all, p)
	}
	if entries <= l.opts.MaxEntries {
		return
	}
	slices.SortFunc(all, func(a, b *foldedPeriod) int {
		switch {
		case a.period.closed(now) == b.period.closed(now):
			return cmp.Compare(b.size(), a.size())
		case a.period.closed(now):
			return -1
		}
		return 1
	})
	for _, p := range all {
		if n := p.size(); n > 0 && entries > l.opts.MaxEntries {
			p.leave()
			entries -= n
		}
	}
}

// foldStored is what there is stored of a period from before it was loaded.
type foldStored struct {
	blocks   []store.Key // in order
	gen, seq uint64      // of the root; 0 if there is none or it is damaged
	repair   dynamo.Item // Repair's order to load it, nil if there is none
}

func (r *Repository) foldStored(ctx context.Context, board string, p period) (foldStored, error) {
	items, err := store.Query[dynamo.Item](ctx, r.table, store.Span{
		PK: foldPK(board, p), Ascending: true, Consistent: true, Only: []string{"pk", "sk", "gen", "seq", "id"},
	})
	var s foldStored
	for _, item := range items {
		switch key := store.KeyOf(item); key {
		case rootKey(board, p):
			s.gen, s.seq = foldVersion(item)
		case foldRepairKey(board, p):
			s.repair = item
		default:
			s.blocks = append(s.blocks, key)
		}
	}
	return s, err
}
