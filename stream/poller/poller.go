package poller

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/lease"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/stream"
)

// Poller gives the records of a stream to a stream.Processor. The workers of a group, each
// a Run, share the stream's shards evenly.
//
// A group begins with the oldest records there are, and continues where its
// workers stopped. Records come at least once; those of one shard in order, and
// those of a shard's children after its own. A record that the Processor can
// neither handle nor dead-letter holds its shard and the shard's children.
//
// A stream that is switched off and on again has a new ARN. Run the old stream's poller until
// it returns nil, then the new one's.
type Poller struct {
	source    *source
	leases    leases
	processor *stream.Processor
	opts      Options
}

// Options are the options of a Poller. The zero value works.
type Options struct {
	// Lease is how long other workers wait, without a sign of life from a worker, before they
	// take its shards. Their clocks need not agree. Defaults to 30 s; at least 1 s.
	Lease time.Duration

	// Renew is how often a worker gives a sign of life and looks for work.
	// Defaults to a third of Lease; at most half of it.
	Renew time.Duration

	// Idle is the longest pause before a shard that had nothing new is read
	// again: by default a request for each shard and second. Defaults to 1 s.
	Idle time.Duration

	// OnError is called with each failure that Run survives, sometimes by several
	// goroutines at once. Defaults to nothing.
	OnError func(error)

	// OnCorrupt is called with each damaged item of the table. The shard of a
	// damaged lease is not read. Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)

	// Rand names workers. It must never repeat itself. Defaults to
	// crypto/rand.Reader.
	Rand io.Reader
}

func (o *Options) withDefaults() (Options, error) {
	v := args.Given(o)
	if v.OnError == nil {
		v.OnError = func(error) {}
	}
	v.Rand = cmp.Or(v.Rand, rand.Reader)
	v.Lease = cmp.Or(v.Lease, 30*time.Second)
	err := cmp.Or(
		args.AtLeast("Lease", v.Lease, time.Second),
		args.Default("Renew", &v.Renew, v.Lease/3, 0, v.Lease/2),
		args.DefaultAtLeast("Idle", &v.Idle, time.Second, 0),
	)
	return v, err
}

// Group says which workers share a stream.
type Group struct {
	// Table is the table of the leases, which the function Table describes.
	Table string

	// Stream is the stream's ARN. The stream must carry new and old images.
	Stream string

	// Name has up to 256 bytes. Each group handles all records of the stream.
	Name string
}

// New does no I/O.
func New(db *dynamo.DB, streams *dynamodbstreams.Client, g Group, p *stream.Processor, opts *Options) (*Poller, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	t, err := store.Open(db, g.Table, o.OnCorrupt, false)
	if err != nil {
		return nil, err
	}
	s, err := newSource(streams, g.Stream)
	if err != nil {
		return nil, err
	}
	if err := keys.CheckName("group", g.Name); err != nil {
		return nil, err
	}
	if p == nil {
		return nil, &plaza.InvalidError{Field: "p", Reason: "is nil"}
	}
	return &Poller{source: s, leases: newLeases(t, g.Name, g.Stream), processor: p, opts: o}, nil
}

// Run is a worker: it reads its part of the shards until ctx ends, and returns
// the context's error. It returns nil if the stream was switched off and all its
// records were handled.
//
// stream.ErrGap, a wrong table or stream, and a missing permission end it too. It reports
// any other failure to Options.OnError and goes on. At its end it waits for its handlers,
// stores how far they got, and gives its shards to other workers.
//
// Cost: every Options.Renew 2 requests, 1 RCU, 1 WCU; each read of a shard
// 1 request, and 1 request, 1 WCU where it had records.
//
//plaza:cost every Options.Renew: 2 requests, 1 RCU, 1 WCU
//plaza:cost every Options.Renew, each 100 shards, more: 1 request
//plaza:cost every Options.Renew, each further 4 KB of leases, more: 1 RCU
//plaza:cost an idle shard, every Options.Idle: 1 request
//plaza:cost a busy shard, each second: 5 requests
//plaza:cost a read that had records, more: 1 request, 1 WCU
func (p *Poller) Run(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "stream/poller.Poller.Run")
	name, err := lease.NewOwner(p.opts.Rand)
	if err != nil {
		return fmt.Errorf("poller: %w", err)
	}
	err = newWorker(p, name).run(ctx)
	if errors.Is(err, errDrained) {
		return nil
	}
	return err
}
