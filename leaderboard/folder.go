package leaderboard

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/folder"
	"github.com/plaza-sdk/plaza/internal/lease"
	"github.com/plaza-sdk/plaza/stream"
)

// Folder counts the entries of the boards whose Ranking is RankByFold. It follows the
// table's stream, holds about 42 bytes an entry in memory, and publishes counts from
// which readers find ranks. Run starts it.
type Folder struct {
	folds folder.Folder
	opts  FolderOptions
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

	// Now is the clock of Position.AsOf, and must be the same as poller.ReaderOptions.Now.
	// Defaults to time.Now.
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

// StreamReader reads a table's changes from now on. It is a *poller.Reader.
type StreamReader interface {
	Table() string
	Next(context.Context) (stream.Round, error)
	Reset()
}

// NewFolder does no I/O. The reader must read the stream of the boards' table, and
// serve this folder alone.
func NewFolder(r *Repository, reader StreamReader, opts *FolderOptions) (*Folder, error) {
	switch {
	case r == nil:
		return nil, &plaza.InvalidError{Field: "r", Reason: "is nil"}
	case reader == nil:
		return nil, &plaza.InvalidError{Field: "reader", Reason: "is nil"}
	case reader.Table() != r.table.Name():
		return nil, &plaza.InvalidError{Field: "reader", Reason: fmt.Sprintf("is of table %q, the boards are in %q", reader.Table(), r.table.Name())}
	}
	f := &Folder{opts: args.Given(opts)}
	if err := f.opts.setDefaults(); err != nil {
		return nil, err
	}
	f.folds.Table, f.folds.Index = r.table, ranking
	f.folds.Boards, f.folds.Reader = foldedBoards{r}, reader
	f.folds.Options = folder.Options{
		Every: f.opts.Every, Settle: f.opts.Settle, MaxEntries: f.opts.MaxEntries, Now: f.opts.Now, OnAttempt: f.report,
	}
	return f, nil
}

func (f *Folder) report(a folder.Attempt) { f.opts.OnAttempt(FolderAttempt(a)) }

// FolderStatus is what a folder does.
type FolderStatus struct {
	Leading bool `json:"leading"` // at most one folder of a table leads for long

	Following int `json:"following"` // periods, closed ones included
	Loading   int `json:"loading"`   // periods that are about to be followed
	TooLarge  int `json:"tooLarge"`  // periods that are counted because of MaxEntries
	Entries   int `json:"entries"`   // in memory

	// Through is a time up to which all changes were read.
	Through time.Time `json:"through,omitzero"`

	Published int64 `json:"published"` // how many times a period was published
	Bytes     int64 `json:"bytes"`     // published so far
}

// Status returns what the folder does, for health checks. It does no I/O.
func (f *Folder) Status() FolderStatus { return FolderStatus(f.folds.Status()) }

// Run folds until ctx ends, and returns the context's error. Any number of processes may
// run a folder: one leads, and the others wait to take over, within a third of
// FolderOptions.Lease if the leader is stopped, after Lease if it died. Until the next
// leader has read the boards, ranks are as of the last publication. A Folder has one Run
// at a time.
//
// A wrong table, a stream that is switched off and a missing permission end Run with
// plaza.ErrTable. It reports other errors to FolderOptions.OnAttempt and goes on.
//
// Cost: 1 request, 1 WCU every third of Lease; 1 request, 1 WCU for each KB of a
// published root, and as much for changed blocks.
//
//plaza:cost to lead, every third of FolderOptions.Lease: 1 request, 1 WCU
//plaza:cost to wait, every third of FolderOptions.Lease: 1 request, 1 RCU
//plaza:cost at its start, the definitions: 1 request, 1 RCU
//plaza:cost at its start, each board: 2 requests, 2 RCU
//plaza:cost at its start, each period: 2 requests, 2 RCU
//plaza:cost at its start, each MB of the index: 1 request, 128 RCU
//plaza:cost to publish a root of 1 KB: 1 request, 1 WCU
//plaza:cost to publish blocks of 1 KB: 1 request, 1 WCU
//plaza:cost the stream: as stream/poller.Reader.Next
func (f *Folder) Run(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "leaderboard.Folder.Run")
	owner, err := lease.NewOwner(f.opts.Rand)
	if err != nil {
		return fmt.Errorf("leaderboard: %w", err)
	}
	e := &lease.Election{
		Table: f.folds.Table, Key: folder.LeaderKey, Owner: owner,
		Lease: f.opts.Lease, Lead: f.folds.Lead, OnError: func(err error) { f.report(folder.Attempt{Err: err}) },
	}
	return e.Run(ctx)
}
