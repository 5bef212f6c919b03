package leaderboard

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/stream"
)

// Folder counts the entries of the boards whose Ranking is RankByFold. It holds their
// order keys in memory, about 42 bytes an entry, follows the table's stream, and
// publishes counts from which readers find ranks. Run starts it.
type Folder struct {
	boards *Repository
	reader *stream.Reader
	opts   FolderOptions

	mu     sync.Mutex
	status FolderStatus
}

// FolderOptions are the options of a Folder. The zero value works.
type FolderOptions struct {
	// Every is the least time between two publications of a period. Defaults to
	// 1 s.
	Every time.Duration

	// Settle is how long a period is followed before its index is read. It must be
	// longer than the index lags. Defaults to 1 min.
	Settle time.Duration

	// Lease is how long after a leader died another folder takes over, at least 1 s.
	// Clocks need not agree. Defaults to 30 s.
	Lease time.Duration

	// MaxEntries is how many entries are held in memory, of all periods together, up
	// to 100 million. If there are more, the largest periods are not folded: readers
	// count them. Defaults to 10 million.
	MaxEntries int

	// OnAttempt is called after every attempt to publish a period, and after every other
	// failure that Run survives. It must not block and is called by several goroutines
	// at once. Defaults to nothing.
	OnAttempt func(FolderAttempt)

	// Now is the clock of Position.AsOf, and must be ReaderOptions.Now's. Defaults to
	// time.Now.
	Now func() time.Time

	// Rand names the folder. Defaults to crypto/rand.Reader.
	Rand io.Reader
}

const (
	maxFolded = 100_000_000
	minLease  = time.Second
)

func (o *FolderOptions) setDefaults() error {
	if o.OnAttempt == nil {
		o.OnAttempt = func(FolderAttempt) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Rand = cmp.Or(o.Rand, rand.Reader)
	return cmp.Or(
		args.DefaultAtLeast("FolderOptions.Every", &o.Every, time.Second, 0),
		args.DefaultAtLeast("FolderOptions.Settle", &o.Settle, time.Minute, 0),
		args.DefaultAtLeast("FolderOptions.Lease", &o.Lease, 30*time.Second, minLease),
		args.Default("FolderOptions.MaxEntries", &o.MaxEntries, 10_000_000, 1, maxFolded),
	)
}

// FolderAttempt is the result of an attempt to publish a period, or a failure of
// something else.
type FolderAttempt struct {
	Board, Period string // empty where the failure concerns several
	Err           error  // it will be tried again
}

// NewFolder does no I/O. The reader must read the stream of the boards' table, and
// serve this folder alone.
func NewFolder(r *Repository, reader *stream.Reader, opts *FolderOptions) (*Folder, error) {
	switch {
	case r == nil:
		return nil, &plaza.InvalidError{Field: "r", Reason: "is nil"}
	case reader == nil:
		return nil, &plaza.InvalidError{Field: "reader", Reason: "is nil"}
	case reader.Table() != r.table.Name():
		return nil, &plaza.InvalidError{Field: "reader", Reason: fmt.Sprintf("is of table %q, the boards are in %q", reader.Table(), r.table.Name())}
	}
	f := &Folder{boards: r, reader: reader, opts: args.Given(opts)}
	return f, f.opts.setDefaults()
}

// FolderStatus is what a folder does.
type FolderStatus struct {
	Leading bool `json:"leading"` // at most one folder of a table leads for long

	Following int `json:"following"` // periods, closed ones included
	Loading   int `json:"loading"`   // periods that are about to be followed
	TooLarge  int `json:"tooLarge"`  // periods that MaxEntries leaves to be counted
	Entries   int `json:"entries"`   // in memory

	// Through is a time up to which all changes were read.
	Through time.Time `json:"through,omitzero"`

	Published int64 `json:"published"` // how many times a period was published
	Bytes     int64 `json:"bytes"`     // published so far
}

// Status returns what the folder does, for health checks. It does no I/O.
func (f *Folder) Status() FolderStatus {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status
}

func (f *Folder) setStatus(set func(*FolderStatus)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	set(&f.status)
}

// lead folds with the lease gen until ctx ends, or until an error that another attempt
// would meet too. errFoldLost means that a folder with a later lease publishes.
func (f *Folder) lead(ctx context.Context, gen uint64) error {
	l := newFolding(f, gen)
	ctx, cancel := context.WithCancel(ctx)
	defer l.end(cancel)
	return parallel.Catch(func() error {
		for {
			if err := l.round(ctx); err != nil {
				return err
			}
		}
	})
}

// folding is what a folder that leads has in memory. One goroutine uses it.
type folding struct {
	*Folder
	gen, seq, blocks uint64 // the lease, and the last numbers given under it

	begun   bool                     // since the last rebuild
	folded  map[string]*foldedBoard  // by name
	periods map[string]*foldedPeriod // by the prefix of their index partitions
	unread  map[string]bool          // boards that may have changed
	through time.Time

	loads   parallel.Group
	retired map[store.Key]time.Time // blocks to delete, and when
	swept   time.Time
}

func newFolding(f *Folder, gen uint64) *folding {
	f.reader.Reset()
	f.setStatus(func(s *FolderStatus) { s.Leading = true })
	l := &folding{Folder: f, gen: gen, loads: parallel.New(), retired: map[store.Key]time.Time{}}
	l.rebuild()
	return l
}

func (l *folding) end(cancel context.CancelFunc) {
	cancel()
	_ = l.loads.Wait() // each keeps its own error
	l.setStatus(func(s *FolderStatus) {
		*s = FolderStatus{Published: s.Published, Bytes: s.Bytes}
	})
}

// rebuild forgets everything that was read.
func (l *folding) rebuild() {
	for _, p := range l.periods {
		p.drop()
	}
	l.begun = false
	l.folded, l.periods, l.unread = map[string]*foldedBoard{}, map[string]*foldedPeriod{}, map[string]bool{}
}

// round reads what is new and does what follows from it.
func (l *folding) round(ctx context.Context) error {
	if err := l.follow(ctx); err != nil {
		if err = l.survive(ctx, FolderAttempt{Err: err}); err != nil {
			return err
		}
		return parallel.Sleep(ctx, min(l.opts.Every, time.Second))
	}
	if err := l.readBoards(ctx); err != nil {
		return err
	}
	if err := l.load(ctx); err != nil {
		return err
	}
	if err := l.publish(ctx); err != nil {
		return err
	}
	if err := l.sweep(ctx); err != nil {
		return err
	}
	l.report()
	return nil
}

// follow reads the stream once. The first time it finds the folded boards, which are
// read after the stream's position is known, so that no change is missed.
func (l *folding) follow(ctx context.Context) error {
	round, err := l.reader.Next(ctx)
	if errors.Is(err, stream.ErrGap) {
		l.reader.Reset()
		l.rebuild()
	}
	if err != nil {
		return err
	}
	l.through = round.Through
	if !l.begun {
		return l.begin(ctx)
	}
	for _, item := range round.Items {
		if item.Err != nil { // it may be of any entry
			l.rebuild()
			return item.Err
		}
		l.take(item.Record)
	}
	return nil
}

// survive reports an attempt, or returns its error if no other attempt can help.
func (l *folding) survive(ctx context.Context, a FolderAttempt) error {
	switch {
	case a.Err != nil && ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(a.Err, plaza.ErrTable), errors.Is(a.Err, errFoldLost):
		return a.Err
	}
	l.opts.OnAttempt(a)
	return nil
}

func (l *folding) report() {
	s := FolderStatus{Leading: true, Through: l.through}
	for _, p := range l.periods {
		s.Entries += p.size()
		switch {
		case p.state == foldTooLarge:
			s.TooLarge++
		case p.loaded(l.through):
			s.Following++
		default:
			s.Loading++
		}
	}
	l.setStatus(func(old *FolderStatus) {
		s.Published, s.Bytes = old.Published, old.Bytes
		*old = s
	})
}
