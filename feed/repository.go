package feed

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Graph is who follows whom. *follow.Repository is one.
type Graph interface {
	Follow(context.Context, follow.Edge) (edge follow.Edge, created bool, err error)
	Unfollow(context.Context, follow.Edge) (removed bool, err error)
	Get(context.Context, follow.Edge) (follow.Edge, error)
	Walk(ctx context.Context, followee string, req cursor.PageRequest) (cursor.Page[follow.Edge], error)
}

// MaxJobShards is the largest Options.JobShards.
const MaxJobShards = 64

// tombstoneLife is how long a late repeat of a publish finds that the
// activity was removed.
const tombstoneLife = 30 * 24 * time.Hour

// turns bounds how often a write is tried anew when what it met changed.
const turns = 5

// Options of a Repository. The zero value works.
type Options struct {
	// InlineFollowers is how many followers Publish itself delivers to, at
	// most 1,000; Run or Deliver reaches the rest. Defaults to 500; negative
	// is none.
	InlineFollowers int

	// Retention is how long an activity stays in homes, from its id's time.
	// Defaults to 90 days.
	Retention time.Duration

	// JobShards is over how many partitions delivery jobs are spread, 1 to
	// MaxJobShards; a partition takes about 200 publishes a second. It may
	// grow at any time, and what is stored counts. Defaults to 4.
	JobShards int

	// Parallel is how many batches of 25 entries a delivery writes at once.
	// Defaults to 8.
	Parallel int

	// Poll is how long Run waits after it found nothing to do, give or take a
	// quarter. Defaults to 2 s.
	Poll time.Duration

	// OnDelivery hears of every delivery that ended, also of those that
	// failed and will be tried again. It must not block. Defaults to nothing.
	OnDelivery func(Delivery)

	// Consistent makes lists and Get strongly consistent, at twice the units.
	Consistent bool

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

func (o *Options) setDefaults() error {
	if o.InlineFollowers == 0 {
		o.InlineFollowers = 500
	}
	if o.Retention == 0 {
		o.Retention = 90 * 24 * time.Hour
	}
	if o.JobShards == 0 {
		o.JobShards = 4
	}
	if o.Parallel == 0 {
		o.Parallel = 8
	}
	if o.Poll == 0 {
		o.Poll = 2 * time.Second
	}
	if o.OnDelivery == nil {
		o.OnDelivery = func(Delivery) {}
	}
	if o.Codec == nil {
		o.Codec = cursor.Plain()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	for field, bad := range map[string]bool{
		"InlineFollowers": o.InlineFollowers > 1000,
		"Retention":       o.Retention < 0,
		"JobShards":       o.JobShards < 1 || o.JobShards > MaxJobShards,
		"Parallel":        o.Parallel < 1,
		"Poll":            o.Poll < 0,
	} {
		if bad {
			return &plaza.InvalidError{Field: "Options." + field, Reason: "is out of bounds"}
		}
	}
	return nil
}

// Repository keeps outboxes and homes in one table.
type Repository struct {
	table *store.Table
	gen   ids.Source
	graph Graph
	opts  Options

	jobShardsStored atomic.Bool // by this process, or known to be
}

// New does no I/O. The table is one that Table describes.
func New(db *dynamo.DB, table string, gen ids.Source, graph Graph, opts *Options) (*Repository, error) {
	t, err := store.Open(db, table)
	if err != nil {
		return nil, err
	}
	switch {
	case gen == nil:
		return nil, &plaza.InvalidError{Field: "gen", Reason: "is nil"}
	case graph == nil:
		return nil, &plaza.InvalidError{Field: "graph", Reason: "is nil"}
	}
	r := &Repository{table: t, gen: gen, graph: graph}
	if opts != nil {
		r.opts = *opts
	}
	if err := r.opts.setDefaults(); err != nil {
		return nil, err
	}
	return r, nil
}

// Outbox is what owner published. It does no I/O.
func (r *Repository) Outbox(owner string) Outbox { return Outbox{r: r, owner: owner} }

// Home is what reader reads. It does no I/O.
func (r *Repository) Home(reader string) Home { return Home{r: r, reader: reader} }

// Outbox is the handle of what one owner published.
type Outbox struct {
	r     *Repository
	owner string
}

func (o Outbox) check() error { return keys.CheckName("Owner", o.owner) }

// Home is the handle of what one reader reads.
type Home struct {
	r      *Repository
	reader string
}

func (h Home) check() error { return keys.CheckName("Reader", h.reader) }
