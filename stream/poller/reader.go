package poller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/stream"
)

// readers is how many shards a Reader reads at once.
const readers = 32

// Reader reads all shards of a stream from now on, in one process and without
// leases or checkpoints. It is for a process that keeps the state of a whole
// table in memory. It must not be used by two goroutines at once.
type Reader struct {
	source *source
	opts   ReaderOptions

	shards  map[string]*tail // those that are read, or wait for their parent
	done    map[string]bool  // those that have ended
	listed  time.Time        // zero: list before the next round
	listing *listing         // the last one
	began   time.Time        // the first round that succeeded, by Options.Now
	whole   time.Time        // the last listing, by Options.Now
	quiet   int              // rounds in a row without items
	turn    time.Time        // the next round waits until then
}

// ReaderOptions are the options of a Reader. The zero value works.
type ReaderOptions struct {
	// Idle is the longest pause between two rounds if there was nothing new.
	// Defaults to 1 s.
	Idle time.Duration

	// List is how often shards are listed, at least. Defaults to 10 s.
	List time.Duration

	// OnError is called with each failure that Next survives, sometimes by several
	// goroutines at once. Defaults to nothing.
	OnError func(error)

	// Now is the clock of stream.Round.Through. Defaults to time.Now.
	Now func() time.Time
}

func (o *ReaderOptions) withDefaults() (ReaderOptions, error) {
	v := args.Given(o)
	if v.OnError == nil {
		v.OnError = func(error) {}
	}
	if v.Now == nil {
		v.Now = time.Now
	}
	err := cmp.Or(
		args.DefaultAtLeast("Idle", &v.Idle, time.Second, 0),
		args.DefaultAtLeast("List", &v.List, 10*time.Second, 0),
	)
	return v, err
}

// NewReader does no I/O. The stream must carry new and old images.
func NewReader(streams *dynamodbstreams.Client, arn string, opts *ReaderOptions) (*Reader, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	s, err := newSource(streams, arn)
	if err != nil {
		return nil, err
	}
	r := &Reader{source: s, opts: o}
	r.Reset()
	return r, nil
}

// Table returns the name of the table whose changes the stream has.
func (r *Reader) Table() string { return r.source.table }

// Reset forgets what was read. The next Next begins as the first one did: changes
// before it are not returned.
func (r *Reader) Reset() {
	*r = Reader{
		source: r.source, opts: r.opts, turn: r.turn, // so that a loop of Reset and Next still pauses
		shards: map[string]*tail{}, done: map[string]bool{},
	}
}

// tail is a shard of a Reader.
type tail struct {
	shard
	from    streamtypes.ShardIteratorType
	at      string // "" if it must be asked for
	seq     string // the last record returned
	through time.Time
	spent   int // empty answers in a row that count towards its end
	ended   bool

	failures int
	retry    time.Time // the next attempt waits until then

	items []stream.Item // of this round
}

// Next reads every shard once and returns what they had. Its first call that
// succeeds decides where they begin: every change after it is returned, and some
// older ones may be. A record that cannot be read is an Item with an error.
//
// If a shard cannot be read, the round has no items of it; only the first call fails for that.
// After stream.ErrGap rebuild what the records feed, and call Reset. stream.ErrEnd means that
// the stream has ended.
//
// Cost: 1 request for each shard that is open; every ReaderOptions.List 1 for each
// 100 shards; without news it waits up to ReaderOptions.Idle first.
func (r *Reader) Next(ctx context.Context) (stream.Round, error) {
	ctx = plaza.WithOperation(ctx, "stream/poller.Reader.Next")
	if err := wait(ctx, time.Until(r.turn)); err != nil {
		return stream.Round{}, err
	}
	begun := time.Now()
	now := r.opts.Now()
	if r.listed.IsZero() || time.Since(r.listed) >= r.opts.List {
		if err := r.list(ctx); err != nil {
			if r.began.IsZero() || ctx.Err() != nil || errors.Is(err, plaza.ErrTable) || errors.Is(err, stream.ErrGap) {
				return stream.Round{}, err
			}
			r.opts.OnError(err)
		}
	}
	if r.listing.retired && len(r.shards) == 0 {
		return stream.Round{}, fmt.Errorf("%w: %s", stream.ErrEnd, r.source.arn)
	}
	if err := r.round(ctx); err != nil {
		return stream.Round{}, err
	}
	if r.began.IsZero() {
		r.began = now
	}
	return r.collect(begun), nil
}

// list finds new shards. The first time, those without children are read from now on,
// and the others count as ended. Later shards are read from their beginning.
func (r *Reader) list(ctx context.Context) error {
	now := r.opts.Now()
	l, err := r.source.list(ctx)
	if errors.Is(err, errVanish) {
		if !r.began.IsZero() {
			return fmt.Errorf("%w: %w", stream.ErrGap, err)
		}
		return fmt.Errorf("%w: %w", plaza.ErrTable, err)
	}
	if err != nil {
		return err
	}
	for _, s := range l.shards {
		parent := r.shards[s.parent]
		switch {
		case r.shards[s.id] != nil || r.done[s.id]:
		case !r.began.IsZero():
			t := &tail{shard: s, from: horizon, through: r.began}
			if parent != nil { // at the last listing it was no parent
				t.through = r.whole
			}
			r.shards[s.id] = t
		case l.parents[s.id]:
			r.done[s.id] = true
		default:
			r.shards[s.id] = &tail{shard: s, from: latest}
		}
	}
	for id, t := range r.shards {
		if t.ended { // its children have tails now
			delete(r.shards, id)
			r.done[id] = true
		}
	}
	for id := range r.done {
		if !l.known[id] {
			delete(r.done, id)
		}
	}
	r.listed, r.whole, r.listing = time.Now(), now, l
	return nil
}

// round reads the shards whose turn it is.
func (r *Reader) round(ctx context.Context) error {
	group := parallel.New()
	group.SetLimit(readers)
	for _, t := range r.shards {
		if parent := r.shards[t.parent]; t.ended || parent != nil || time.Now().Before(t.retry) {
			continue
		}
		group.Go(func() error { return r.advance(ctx, t) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// advance reads a shard once. It returns errors that end the round.
func (r *Reader) advance(ctx context.Context, t *tail) error {
	now := r.opts.Now()
	items, next, err := r.readTail(ctx, t, now)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errVanish), errors.Is(err, errTrimmed) && t.seq != "":
		return fmt.Errorf("%w: %w", stream.ErrGap, err)
	case errors.Is(err, plaza.ErrTable), err != nil && t.from == latest:
		return err
	case err != nil:
		if t.failures++; t.failures > 1 || !routine(err) {
			r.opts.OnError(err)
		}
		t.retry = time.Now().Add(backoff(t.failures))
		if errors.Is(err, errTrimmed) && r.listing.parents[t.id] {
			t.spent++ // all that it had may be too old
		}
		t.ended = t.spent >= emptyReads
		return nil
	}
	t.failures, t.retry = 0, time.Time{}
	t.at, t.items = next, append(t.items, items...) // after those of a round that failed
	for _, item := range items {
		if item.Seq != "" {
			t.seq = item.Seq
		}
		at := item.Record.At
		if at.After(now) {
			at = now
		}
		if at.After(t.through) {
			t.through = at
		}
	}
	switch {
	case len(items) > 0:
		t.spent = 0
	case r.listing.endless(t.id):
		t.spent++
		fallthrough
	default:
		t.through = now
	}
	t.ended = next == "" || t.spent >= emptyReads
	return nil
}

// readTail reads at the shard's position. If that was lost, it begins after the last
// record, or with the oldest one if none was returned.
func (r *Reader) readTail(ctx context.Context, t *tail, now time.Time) (items []stream.Item, next string, err error) {
	if t.at == "" {
		if t.at, err = r.source.iterator(ctx, t.id, t.seq, t.from); err != nil {
			return nil, "", err
		}
		if t.from == latest {
			t.through, t.from = now, horizon
		}
	}
	items, next, err = r.source.read(ctx, t.id, t.at)
	if routine(err) {
		t.at = ""
	}
	return items, next, err
}

// collect returns what the shards of this round had.
func (r *Reader) collect(begun time.Time) stream.Round {
	round := stream.Round{Through: r.whole} // a shard that has children may have stayed open
	news := false
	wait := r.opts.Idle
	for _, t := range r.shards {
		round.Through = earlier(round.Through, t.through)
		news = news || len(t.items) > 0
		if t.ended {
			r.listed, wait = time.Time{}, 0 // its children come next
		}
	}
	if r.quiet++; news {
		r.quiet = 0
	}
	for _, t := range r.shards {
		if !news || len(t.items) > 0 {
			wait = min(wait, pause(t.items, r.quiet, r.opts.Idle))
		}
		round.Items = append(round.Items, t.items...)
		t.items = nil
	}
	r.turn = begun.Add(wait)
	return round
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
