package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/feed"
)

// publishers is how many of the most followed people publish when pushing and pulling are
// compared.
const publishers = 100

// comparison has feeds over one graph: on one side everybody is pushed, on the other
// everybody with many followers is pulled.
type comparison struct {
	*service
	out   io.Writer
	graph *graph
	feeds map[string]*feed.Repository // by the name of their side
}

const pushed, pulled, cached = "pushed", "pulled", "and cached"

// comparePulled fails unless the homes have what they should have, pushed and pulled.
func comparePulled(ctx context.Context, out io.Writer, s *service, g *graph, above int64) error {
	c := &comparison{service: s, out: out, graph: g, feeds: map[string]*feed.Repository{}}
	one, err := s.env.CreateTable(ctx, feed.Table("quickstart-pushed"))
	if err != nil {
		return err
	}
	other, err := s.env.CreateTable(ctx, feed.Table("quickstart-pulled"))
	if err != nil {
		return err
	}
	for _, side := range []struct {
		name, table string
		opts        *feed.Options
	}{{pushed, one, nil}, {pulled, other, nil}, {cached, other, &feed.Options{PullCache: publishers}}} {
		if c.feeds[side.name], err = feed.New(s.env.DB, side.table, s.ids, s.follows, side.opts); err != nil {
			return err
		}
	}
	if err := c.pull(ctx, above); err != nil {
		return err
	}
	posts, err := c.publish(ctx, above)
	if err != nil {
		return err
	}
	return c.read(ctx, posts)
}

// pull switches everybody with more than above followers.
func (c *comparison) pull(ctx context.Context, above int64) error {
	owners, homes := c.graph.mostFollowed(len(c.graph.people), above+1), int64(0)
	for _, owner := range owners {
		homes += c.graph.people[owner].Followers
	}
	c.head("Switch", "of %d with more than %s followers: %s homes changed", len(owners), ledger.Thousands(above), ledger.Thousands(homes))
	return c.measure(pulled, func(feeds *feed.Repository) error {
		for _, owner := range owners {
			if _, err := feeds.Outbox(owner).SetPulled(ctx, true); err != nil {
				return err
			}
		}
		return deliver(ctx, feeds)
	})
}

// publish publishes the same activities of the most followed on both sides.
func (c *comparison) publish(ctx context.Context, above int64) ([]feed.Activity, error) {
	posts, err := c.posts(ctx, c.graph, publishers)
	if err != nil {
		return nil, err
	}
	c.head("Publish", "by the %d most followed, %d of them pulled", len(posts), len(c.graph.mostFollowed(publishers, above+1)))
	for _, side := range []string{pushed, pulled} {
		if err := c.measure(side, func(feeds *feed.Repository) error { return publishAll(ctx, feeds, posts) }); err != nil {
			return nil, err
		}
	}
	return posts, nil
}

func publishAll(ctx context.Context, feeds *feed.Repository, posts []feed.Activity) error {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for _, a := range posts {
		group.Go(func() error {
			_, _, err := feeds.Outbox(a.Actor.ID).Publish(groupCtx, a)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return deliver(ctx, feeds)
}

// deliver finishes what waits in the queue. A service leaves this to Run.
func deliver(ctx context.Context, feeds *feed.Repository) error {
	for more := 1; more > 0; {
		var err error
		if more, err = feeds.Deliver(ctx); err != nil {
			return err
		}
	}
	return nil
}

// read reads homes to the end and compares them with the graph.
func (c *comparison) read(ctx context.Context, posts []feed.Activity) error {
	readers := c.graph.readers()
	c.head("Homes", "%d read to the end, each with what it should have", len(readers))
	for _, side := range []string{pushed, pulled, cached} {
		err := c.measure(side, func(feeds *feed.Repository) error {
			for _, reader := range readers {
				if err := checkHome(ctx, feeds, c.graph, reader, posts); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// measure calls f with the feeds of a side, and prints what it took.
func (c *comparison) measure(side string, f func(*feed.Repository) error) (err error) {
	began := time.Now()
	cost := c.env.Cost(func() { err = f(c.feeds[side]) })
	if err != nil {
		return fmt.Errorf("%s: %w", side, err)
	}
	report(c.out, "", "%54s %8s %8s %8.1f %7.2f", side,
		ledger.Thousands(cost.Requests), ledger.Thousands(int(cost.Write)), cost.Read, time.Since(began).Seconds())
	return nil
}

func (c *comparison) head(what, format string, args ...any) {
	report(c.out, what, "%-54s %8s %8s %8s %7s", fmt.Sprintf(format, args...), "requests", "WCU", "RCU", "s")
}
