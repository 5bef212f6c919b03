package leaderboard

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/folder"
	"github.com/plaza-sdk/plaza/internal/share"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/wallclock"
	"github.com/plaza-sdk/plaza/internal/work"
)

// maxRetries is how often a write is retried when others changed the same item.
const maxRetries = 20

// Repository keeps boards in one table. It is safe for concurrent use.
type Repository struct {
	table *store.Table
	gen   ids.Source
	opts  Options

	jobs   *work.Queue[dueItem] // periods that end
	reads  share.Group[boardRead, *board]
	guards guardQueues
	folds  *folder.Cache

	mu        sync.Mutex
	known     *simplelru.LRU[string, *board]
	forgotten int // how often a board was forgotten
}

// New does no I/O. The table is one that Table describes.
func New(db *dynamo.DB, table string, gen ids.Source, opts *Options) (*Repository, error) {
	if gen == nil {
		return nil, &plaza.InvalidError{Field: "gen", Reason: "is nil"}
	}
	r := &Repository{gen: gen, opts: args.Given(opts)}
	var err error
	if r.table, err = store.Open(db, table, r.opts.OnCorrupt, r.opts.Now != nil || r.opts.TrustClock); err != nil {
		return nil, err
	}
	if err := r.opts.setDefaults(); err != nil {
		return nil, err
	}
	r.jobs = &work.Queue[dueItem]{
		Table: r.table, PK: func(int) string { return duePK }, Lease: jobLease, Now: r.opts.Now, Shards: 1, MaxShards: 1,
	}
	if r.folds, err = folder.NewCache(r.table, r.opts.Now); err != nil {
		return nil, err
	}
	r.known, err = simplelru.NewLRU[string, *board](maxBoards, nil)
	return r, err
}

// Verify checks the table's key schema, its index, its expiry and the mark that
// Init left. Any difference is plaza.ErrTable, a wrong clock a *plaza.ClockError.
//
// Cost: 3 requests, 0.5 RCU.
func (r *Repository) Verify(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Verify")
	return r.table.Verify(ctx, feature())
}

// Init verifies the table and marks it as leaderboard's, so that no other feature
// uses it. Call it once, after the table is created.
//
// Cost: 4 requests, 0.5 RCU, 1 WCU.
func (r *Repository) Init(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Init")
	return r.table.Init(ctx, feature())
}

// Options of a Repository. The zero value works.
type Options struct {
	// Refuse is called before a submission changes a score or a name. If it
	// returns an error, the submission is refused, and Submit's error is both that
	// and plaza.ErrForbidden. The Submission has its Op, At and Operator; the
	// Result is the one it would have. By default nothing is refused.
	Refuse func(context.Context, Submission, Result) error

	// Refresh is how long a process remembers a board: a redefinition reaches every
	// process within it. Up to a minute. Defaults to 30 s.
	Refresh time.Duration

	// Parallel is how many are handled at once: players by SubmitMany, boards by
	// Deliver and Run. 1 to 1,000; defaults to 16.
	Parallel int

	// Poll is how long Run waits after it found nothing to do, give or take a
	// quarter. Defaults to 10 s.
	Poll time.Duration

	// OnAttempt is called after every attempt to call do for a period that ended, even
	// one that failed and will be repeated. It must not block and is called by several
	// goroutines at once. Defaults to nothing.
	OnAttempt func(Attempt)

	// Consistent makes Definitions, ByPlayer and Periods strongly consistent, at
	// twice the units.
	Consistent bool

	// OnCorrupt is called with each damaged item that a list leaves out,
	// by several goroutines at once. Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// TrustClock lets workers run although this process's clock is more than 5 s from
	// DynamoDB's. Then a wrong clock ends periods while others score. It is set if Now
	// is given.
	TrustClock bool

	// Now is the clock. Defaults to time.Now. The ids of ids.New use the system's
	// clock: if Now is ahead of it, as in a test, set Submission.At.
	Now func() time.Time

	zones wallclock.Loader // nil means the machine's
}

const (
	maxRefresh  = time.Minute
	maxParallel = 1000
)

func (o *Options) setDefaults() error {
	if o.OnAttempt == nil {
		o.OnAttempt = func(Attempt) {}
	}
	o.Codec = cmp.Or(o.Codec, cursor.Plain())
	if o.Now == nil {
		o.Now = time.Now
	}
	return cmp.Or(
		args.Default("Options.Refresh", &o.Refresh, 30*time.Second, 0, maxRefresh),
		args.Default("Options.Parallel", &o.Parallel, 16, 1, maxParallel),
		args.DefaultAtLeast("Options.Poll", &o.Poll, 10*time.Second, 0),
	)
}
