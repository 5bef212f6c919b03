package main

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/letters"
	"github.com/plaza-sdk/plaza/stream/poller"
)

// streamIdle is the time between two looks at a stream that has nothing new. AWS bills each
// look.
func (a *app) streamIdle() time.Duration {
	if a.onLambda {
		return time.Second
	}
	return 200 * time.Millisecond
}

// streamed is a table, and a group of workers on its stream.
// Several groups may read one table.
type streamed struct {
	table  string
	group  string
	handle stream.Handler
}

// handlers lists the work that people's writes cause.
func (a *app) handlers() []streamed {
	t := a.db.tables
	all := []streamed{
		{t.Follow, "bell", a.onFollow},
		{t.Feed, "bell", a.onPin},
		{t.Reaction, "bell", a.onLike},
		{t.Comment, "bell", a.onComment},
	}
	if !a.onLambda { // there no page is open to this process
		all = append(all, streamed{t.Notify, "pages", a.onNotice})
	}
	return all
}

// switchOnStreams switches on the streams of the tables. Call it after the seed, whose
// records nobody needs.
func (a *app) switchOnStreams(ctx context.Context) error {
	for _, s := range a.handlers() {
		if _, err := a.db.stream(ctx, s.table); err != nil {
			return err
		}
	}
	return nil
}

// read returns a worker that handles the records of a stream until its context ends.
// Workers of another process share the work, and go on where this one stopped.
func (s streamed) read(a *app) func(context.Context) error {
	group := s.group
	return func(ctx context.Context) error {
		p, err := s.poller(ctx, a, group)
		if err == nil {
			err = p.Run(ctx)
		}
		if errors.Is(err, stream.ErrGap) {
			// Pinboard was off for more than a day. Nobody is notified of the lost records.
			group = s.group + " " + time.Now().UTC().Format(time.DateOnly)
		}
		if err == nil {
			err = errors.New("the stream was switched off")
		}
		return err
	}
}

func (s streamed) poller(ctx context.Context, a *app, group string) (*poller.Poller, error) {
	arn, err := a.db.stream(ctx, s.table)
	if err != nil {
		return nil, err
	}
	db := dynamo.New(a.db.config)
	dead, err := letters.New(db, a.db.tables.Letters, s.table+" "+s.group, nil)
	if err != nil {
		return nil, err
	}
	processor, err := stream.NewProcessor(stream.Each(s.handle, 1), dead, nil)
	if err != nil {
		return nil, err
	}
	shared := poller.Group{Table: a.db.tables.Pollers, Stream: arn, Name: group}
	p, err := poller.New(db, dynamodbstreams.NewFromConfig(a.db.config), shared, processor, &poller.Options{
		Idle:      a.streamIdle(),
		OnError:   a.failures.Failed(s.table + " " + group),
		OnCorrupt: a.failures.Corrupt,
	})
	if err != nil {
		return nil, err
	}
	return p, p.Init(ctx)
}
