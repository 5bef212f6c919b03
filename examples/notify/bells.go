package main

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/letters"
)

// bells notifies of what the site's streams report.
type bells struct {
	*notify.Repository

	env     *plazatest.Env
	seen    *seen
	letters *letters.Repository

	streams []streamed
	arns    map[string]string // of the streams, by table
}

// streamed is a table and what handles the records of its stream.
type streamed struct {
	table  string
	handle stream.Handler
}

func newBells(ctx context.Context, env *plazatest.Env, gen ids.Source, graph notify.Graph) (*bells, error) {
	b := &bells{env: env, seen: newSeen(), arns: map[string]string{}}
	var err error
	b.Repository, err = notify.New(env.DB, env.Tables.Notify, gen, &notify.Options{
		Watchers: graph, Consistent: true, Poll: 100 * time.Millisecond,
		OnDelivery: func(d notify.Delivery) { b.seen.delivery(d) },
	})
	if err != nil {
		return nil, err
	}
	if b.letters, err = letters.New(env.DB, env.Tables.Letters, "bells", nil); err != nil {
		return nil, err
	}
	b.streams = []streamed{
		{env.Tables.Follow, b.onFollow},
		{env.Tables.Reaction, b.onReaction},
		{env.Tables.Comment, b.onComment},
		{env.Tables.Notify, b.onRing},
	}
	for _, s := range b.streams {
		if b.arns[s.table], err = env.Stream(ctx, s.table); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// run notifies until ctx ends, also those who watch.
func (b *bells) run(ctx context.Context) error {
	g, running := errgroup.WithContext(ctx)
	g.Go(func() error { return b.read(running, "first") })
	g.Go(func() error { return b.Run(running) })
	return ended(ctx, g.Wait())
}

// read reads the streams until ctx ends. Each group begins with the oldest records,
// and goes on where it stopped.
func (b *bells) read(ctx context.Context, group string) error {
	g, running := errgroup.WithContext(ctx)
	for _, s := range b.streams {
		g.Go(func() error {
			poller, err := b.poller(running, group, s)
			if err == nil {
				err = poller.Run(running)
			}
			if err == nil {
				err = errors.New("a stream was switched off")
			}
			return err
		})
	}
	return ended(ctx, g.Wait())
}

// ended is nil for work that ended because ctx did.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil //nolint:nilerr // that is how it ends
	}
	return err
}

func (b *bells) poller(ctx context.Context, group string, s streamed) (*stream.Poller, error) {
	handler := func(ctx context.Context, r stream.Record) error {
		err := s.handle(ctx, r)
		if err == nil {
			b.seen.record(group, r.ID)
		}
		return err
	}
	processor, err := stream.NewProcessor(stream.Each(handler, 1), b.letters, nil)
	if err != nil {
		return nil, err
	}
	shared := stream.PollerGroup{Table: b.env.Tables.Pollers, Stream: b.arns[s.table], Name: group}
	poller, err := stream.NewPoller(b.env.DB, dynamodbstreams.NewFromConfig(b.env.Config), shared, processor, &stream.PollerOptions{
		Idle: 100 * time.Millisecond, OnError: b.seen.problem,
	})
	if err != nil {
		return nil, err
	}
	return poller, poller.Init(ctx)
}

func (b *bells) onFollow(ctx context.Context, r stream.Record) error {
	changes, err := follow.Changes(r)
	for _, c := range changes {
		followee, invalid := feed.ParseRef(c.Edge.Followee)
		if invalid != nil || followee.Kind != "" {
			continue // a thing: its followers watch it
		}
		err = errors.Join(err, b.tell(ctx, c.Kind == follow.Followed, notify.Notification{
			User: c.Edge.Followee,
			Activity: feed.Activity{
				ID: c.Edge.ID, Actor: feed.Ref{ID: c.Edge.Follower}, Verb: "follow", Object: followee,
			},
			CountBy: notify.ByActor,
		}))
	}
	return err
}

func (b *bells) onReaction(ctx context.Context, r stream.Record) error {
	changes, err := reaction.Changes(r)
	for _, c := range changes {
		object, invalid := feed.ParseRef(c.Reaction.Object)
		if invalid != nil {
			return stream.Permanent(invalid)
		}
		err = errors.Join(err, b.tell(ctx, c.Kind == reaction.Reacted, notify.Notification{
			User: owners[c.Reaction.Object],
			Activity: feed.Activity{
				ID: c.Reaction.ID, Actor: feed.Ref{ID: c.Reaction.User}, Verb: c.Reaction.Kind, Object: object,
			},
			CountBy: notify.ByActor,
		}))
	}
	return err
}

// onComment notifies the owner of what was commented on, and those who watch it.
func (b *bells) onComment(ctx context.Context, r stream.Record) error {
	changes, err := comment.Changes(r)
	for _, c := range changes {
		about, invalid := feed.ParseRef(c.Comment.Object)
		if invalid != nil {
			return stream.Permanent(invalid)
		}
		n := notify.Notification{Activity: feed.Activity{
			ID: c.Comment.ID, Actor: feed.Ref{ID: c.Comment.User}, Verb: verbs[about.Kind],
			Object: feed.Ref{Kind: "comment", ID: c.Comment.ID.String()}, Target: about,
		}}
		switch c.Kind {
		case comment.Added:
			stored, failed := b.Watchers(ctx, about, n)
			if err = errors.Join(err, failed); stored {
				b.seen.watch()
			}
		case comment.Removed, comment.Hidden, comment.Erased:
		default:
			continue
		}
		n.User = owners[c.Comment.Object]
		err = errors.Join(err, b.tell(ctx, c.Kind == comment.Added, n))
	}
	return err
}

// verbs are what a comment on such a thing is.
var verbs = map[string]string{"picture": "comment", "question": "answer"}

// tell notifies of what began, and takes back what ended. A repeat of either does
// nothing.
func (b *bells) tell(ctx context.Context, began bool, n notify.Notification) (err error) {
	if began {
		_, _, err = b.Notify(ctx, n)
	} else {
		_, err = b.Retract(ctx, n)
	}
	return err
}

// onRing is what pushes to open pages, by package live for example.
func (b *bells) onRing(_ context.Context, r stream.Record) error {
	changes, err := notify.Changes(r)
	for _, c := range changes {
		if c.Kind == notify.Notified {
			b.seen.ring(c.User, r.ID)
		}
	}
	return err
}
