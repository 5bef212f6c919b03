package leaderboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
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
		if a.period.closed(now) != b.period.closed(now) {
			return cmp.Compare(a.period.end.Unix(), 0)
		}
		return b.period.start.Compare(a.period.start)
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

func (f *foldLoad) readShard(ctx context.Context, t *store.Table, part string) error {
	span := store.IndexSpan{Partition: part, Ascending: true, Limit: atOnce}
	for {
		rows, rest, err := store.ReadIndex[rowItem](ctx, t, ranking, span)
		if err != nil {
			return err
		}
		for _, row := range rows {
			f.set.Add(row.key)
		}
		f.entries.Store(int64(f.set.Len()))
		if rest == "" {
			return nil
		}
		span.From = after(rows[len(rows)-1].key)
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
		return l.survive(ctx, fmt.Errorf("leaderboard: fold period %s of %q: %w", p.period.name(), p.board.name, err))
	}
	moves := p.moves
	p.state, p.tries, p.moves = foldFollows, 0, nil
	p.set, p.ready, p.stored = read.set, read.ended, read.stored
	p.dirty, p.changed = true, l.opts.Now()
	for _, m := range moves {
		m.apply(p.set)
	}
	return nil
}

// bound leaves periods to be counted while there are too many entries: those that only
// pass through memory first, then the largest.
func (l *folding) bound(now time.Time) {
	entries := 0
	for _, p := range l.periods {
		entries += p.size()
	}
	for entries > l.opts.MaxEntries {
		var largest *foldedPeriod
		for _, p := range l.periods {
			if p.size() > 0 && (largest == nil || cmp.Or(compareBool(p.period.closed(now), largest.period.closed(now)), cmp.Compare(p.size(), largest.size())) > 0) {
				largest = p
			}
		}
		entries -= largest.size()
		largest.drop()
		largest.state, largest.dirty = foldTooLarge, true
	}
}

// foldStored is what there is stored of a period from before it was loaded.
type foldStored struct {
	blocks []store.Key // in order
	gen    uint64      // of the root; 0: there is none
	repair ids.ID      // of Repair's order to load it
}

func (r *Repository) foldStored(ctx context.Context, board string, p period) (foldStored, error) {
	items, err := store.Query[foldStoredItem](ctx, r.table, store.Span{
		PK: foldPK(board, p), Ascending: true, Consistent: true, Only: []string{"pk", "sk", "gen", "id"},
	})
	var s foldStored
	for _, i := range items {
		switch key := (store.Key{PK: i.PK, SK: i.SK}); key {
		case rootKey(board, p):
			s.gen = i.Gen
		case foldRepairKey(board, p):
			s.repair = i.ID
		default:
			s.blocks = append(s.blocks, key)
		}
	}
	return s, err
}

// foldStoredItem is an item under R#board#period.
type foldStoredItem struct {
	PK  string
	SK  string
	Gen uint64
	ID  ids.ID
}

// UnmarshalDynamoItem reads damaged ones too.
func (i *foldStoredItem) UnmarshalDynamoItem(item dynamo.Item) error {
	key := store.KeyOf(item)
	i.PK, i.SK = key.PK, key.SK
	_ = dynamo.UnmarshalItem(dynamo.Item{"gen": item["gen"]}, &struct{ Gen *uint64 `dynamo:"gen"` }{&i.Gen})
	return nil
}
