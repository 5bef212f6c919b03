package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/meter"
)

// publishers is how many of the most followed people publish when pushing and pulling
// are compared.
const publishers = 100

// comparison has feeds over one graph: on one side everybody is pushed, on the other
// everybody with many followers is pulled.
type comparison struct {
	*local
	out   io.Writer
	graph *graphFile

	pushed, pulled side
	cached         side // pulled, with a PullCache
}

// side is one way to reach homes. It has two tables: a plain client measures the seconds
// in one, and a metered client the units in the other, because the meter takes time.
type side struct {
	name           string
	plain, metered *feed.Repository
}

// comparePulled fails unless the homes have what they should have, pushed and pulled.
func comparePulled(ctx context.Context, out io.Writer, s *local, graph *graphFile, above int) error {
	tables := make([]string, 4)
	for i := range tables {
		var err error
		if tables[i], err = s.env.CreateTable(ctx, feed.Table("quickstart-compared")); err != nil {
			return err
		}
	}
	var err error
	c := &comparison{local: s, out: out, graph: graph}
	if c.pushed, err = c.side("pushed", tables[0], tables[1], nil); err != nil {
		return err
	}
	if c.pulled, err = c.side("pulled", tables[2], tables[3], nil); err != nil {
		return err
	}
	if c.cached, err = c.side("and cached", tables[2], tables[3], &feed.Options{PullCache: publishers}); err != nil {
		return err
	}
	if err := c.pull(ctx, above); err != nil {
		return err
	}
	published, err := c.publish(ctx, above)
	if err != nil {
		return err
	}
	return c.read(ctx, published)
}

func (c *comparison) side(name, plain, metered string, opts *feed.Options) (s side, err error) {
	s.name = name
	if s.plain, err = c.feeds(c.db, plain, opts); err != nil {
		return s, err
	}
	s.metered, err = c.feeds(c.env.DB, metered, opts)
	return s, err
}

func (c *comparison) feeds(db *dynamo.DB, table string, opts *feed.Options) (*feed.Repository, error) {
	follows, err := follow.New(db, c.env.Tables.Follow, c.ids, nil)
	if err != nil {
		return nil, err
	}
	return feed.New(db, table, c.ids, follows, opts)
}

// pull switches everybody with more than above followers.
func (c *comparison) pull(ctx context.Context, above int) error {
	owners := c.graph.followedByMoreThan(above)
	cost, took, err := c.measure(c.pulled, func(feeds *feed.Repository) error {
		for _, owner := range owners {
			if _, err := feeds.Outbox(owner).SetPulled(ctx, true); err != nil {
				return err
			}
		}
		if err := deliver(ctx, feeds); err != nil {
			return err
		}
		for _, owner := range owners {
			mode, err := feeds.Outbox(owner).Mode(ctx)
			if err != nil {
				return err
			}
			if mode != feed.Pulled {
				return fmt.Errorf("%q is %s", owner, mode)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	homes := int64(0)
	for _, owner := range owners {
		homes += c.graph.people[owner].Followers
	}
	c.head("Switch", "of %d with more than %s followers: %s homes changed", len(owners), ledger.Thousands(above), ledger.Thousands(homes))
	c.line(c.pulled, cost, took)
	return nil
}

// publish publishes the same activities of the most followed on both sides, and returns
// the owner of each.
func (c *comparison) publish(ctx context.Context, above int) (map[ids.ID]string, error) {
	owners := c.graph.mostFollowed(publishers)
	c.head("Publish", "by the %d most followed, %d of them pulled",
		len(owners), min(len(owners), len(c.graph.followedByMoreThan(above))))
	published := map[ids.ID]string{}
	var posts []feed.Activity
	for _, owner := range owners {
		id, err := c.ids.Next(ctx)
		if err != nil {
			return nil, err
		}
		posts = append(posts, feed.Activity{ID: id, Actor: feed.Ref{Kind: "user", ID: owner}, Verb: "post", Object: feed.Ref{Kind: "note", ID: "1"}})
		published[id] = owner
	}
	for _, s := range []side{c.pushed, c.pulled} {
		cost, took, err := c.measure(s, func(feeds *feed.Repository) error { return publishAll(ctx, feeds, posts) })
		if err != nil {
			return nil, err
		}
		c.line(s, cost, took)
	}
	return published, nil
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

func (c *comparison) read(ctx context.Context, published map[ids.ID]string) error {
	var some []string
	for _, star := range c.graph.mostFollowed(stars) {
		some = append(some, c.graph.someFollowers(star, readers)...)
	}
	c.head("Homes", "%d read to the end, each with what it should have", len(some))
	for _, s := range []side{c.pushed, c.pulled, c.cached} {
		cost, took, err := c.measure(s, func(feeds *feed.Repository) error {
			for _, reader := range some {
				if err := checkHome(ctx, feeds, c.graph, reader, published); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		c.line(s, cost, took)
	}
	return nil
}

// measure calls f with both repositories of a side.
func (c *comparison) measure(s side, f func(*feed.Repository) error) (cost meter.Cost, took time.Duration, err error) {
	began := time.Now()
	err = f(s.plain)
	took = time.Since(began)
	if err == nil {
		cost = c.env.Cost(func() { err = f(s.metered) })
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", s.name, err)
	}
	return cost, took, err
}

func (c *comparison) head(what, format string, args ...any) {
	report(c.out, what, "%-54s %8s %8s %8s %7s", fmt.Sprintf(format, args...), "requests", "WCU", "RCU", "s")
}

func (c *comparison) line(s side, cost meter.Cost, took time.Duration) {
	report(c.out, "", "%54s %8s %8s %8.1f %7.2f", s.name,
		ledger.Thousands(cost.Requests), ledger.Thousands(int(cost.Write)), cost.Read, took.Seconds())
}
