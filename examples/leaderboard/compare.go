package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/meter"
)

// contest is the last week, on one board that counts ranks and then folds them.
type contest struct {
	*league
	best    []game // of each player, in the order of the board
	counted []meter.Cost
	folder  folder
}

// compare reads a board with counted ranks and with folded ones.
func compare(ctx context.Context, out io.Writer, players int) (err error) {
	l, err := open(ctx, players)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.env.Close()) }()
	last := l.season[weeks-1]
	l.now = last[len(last)-1].evening()
	c := &contest{league: l, best: last.standings()}
	defer func() { err = errors.Join(err, c.folder.stop()) }()
	fmt.Fprintf(out, "The best scores of %s players in a week.\n\n", ledger.Thousands(players))
	l.ledger = ledger.New(out, l.env.Meter)
	return l.do(ctx, c.enter, c.count, c.fold, c.again, c.overtake)
}

// enter submits everybody's best game.
func (c *contest) enter(ctx context.Context) error {
	c.ledger.Title("One board keeps everybody's best of the week, and counts ranks")
	if err := c.define(ctx, "define weekly", leaderboard.RankByCount); err != nil {
		return err
	}
	err := c.ledger.Do(ledger.Thousands(len(c.best))+" players", func() error { return c.submit(ctx, c.best, weekly) })
	c.final = leaderboard.In{Board: weekly}
	return err
}

func (c *contest) define(ctx context.Context, what string, by leaderboard.Ranking) error {
	return c.ledger.Do(what, func() error {
		_, err := c.boards.Define(ctx, leaderboard.Board{Name: weekly, Cron: everyMonday, Zone: zone, Ranking: by})
		return err
	})
}

// count measures the reads while ranks are counted.
func (c *contest) count(ctx context.Context) error {
	return c.ledger.Do("reads, counted: what is above is read", func() (err error) {
		c.counted, err = c.measure(ctx)
		return err
	})
}

// fold lets a folder keep the order of all players in memory.
func (c *contest) fold(ctx context.Context) error {
	c.ledger.Apart(folding)
	c.ledger.Apart(watching)
	c.ledger.Title("A folder keeps the order of all players in memory")
	if err := c.define(ctx, "define weekly with folded ranks", leaderboard.RankByFold); err != nil {
		return err
	}
	if err := c.folder.start(ctx, c.league); err != nil {
		return err
	}
	return c.follow(ctx, "the folder loads the week", time.Now())
}

// again measures the reads while ranks are folded, and shows them beside the others.
func (c *contest) again(ctx context.Context) error {
	return c.ledger.Do("the same reads, folded", func() error {
		folded, err := c.measure(ctx)
		if err != nil {
			return err
		}
		const line = "%-22s %9v %9v   %9v %9v"
		c.ledger.Show(line, "", "counted", "", "folded", "")
		c.ledger.Show(line, "", "requests", "RCU", "requests", "RCU")
		for i, r := range c.reads() {
			was, is := c.counted[i], folded[i]
			c.ledger.Show(line, r.what, was.Requests, was.Read, is.Requests, is.Read)
		}
		return nil
	})
}

// overtake lets one player in 20 improve while the folder follows, and compares a sample
// of the ranks with a sort.
func (c *contest) overtake(ctx context.Context) error {
	c.ledger.Title("Players improve, and the folder follows")
	var better []game
	for i := 0; i < len(c.best); i += 20 {
		g := &c.best[i]
		g.score, g.at = g.score*2+5, c.now
		better = append(better, *g)
	}
	rank(c.best)
	err := c.ledger.Do(ledger.Thousands(len(better))+" better scores", func() error { return c.submit(ctx, better, weekly) })
	if err != nil {
		return err
	}
	submitted := time.Now()
	c.best[0].score++ // so that the board changes after that time, and no rank does
	if err := c.submit(ctx, c.best[:1], weekly); err != nil {
		return err
	}
	if err := c.follow(ctx, "the folder follows", submitted); err != nil {
		return err
	}
	step := max(1, len(c.best)/1000)
	return c.ledger.Do(ledger.Thousands((len(c.best)+step-1)/step)+" ranks beside a sort", func() error {
		for i := 0; i < len(c.best); i += step {
			if err := c.hasRank(ctx, i); err != nil {
				return err
			}
		}
		return nil
	})
}

// hasRank fails unless the rank of a place is that of the sort.
func (c *contest) hasRank(ctx context.Context, place int) error {
	got, err := c.boards.Rank(ctx, c.final, c.best[place].id)
	if err == nil && got.Ordinal != int64(place)+1 {
		err = fmt.Errorf("the rank of %s is %d, not %d", c.best[place].name, got.Ordinal, place+1)
	}
	return err
}

type read struct {
	what string
	do   func(context.Context) error
}

// reads are calls at the top, in the middle and at the bottom of the board.
func (c *contest) reads() (all []read) {
	for _, at := range []struct {
		name  string
		place int
	}{{"top", 0}, {"middle", len(c.best) / 2}, {"bottom", len(c.best) - 1}} {
		id := c.best[at.place].id
		all = append(all,
			read{"Rank, " + at.name, func(ctx context.Context) error { return c.hasRank(ctx, at.place) }},
			read{"Around, " + at.name, func(ctx context.Context) error { _, err := c.boards.Around(ctx, c.final, id, 7); return err }},
			read{"Percentile, " + at.name, func(ctx context.Context) error { _, err := c.boards.Percentile(ctx, c.final, id); return err }},
			read{"Range, " + at.name, func(ctx context.Context) error {
				_, err := c.boards.Range(ctx, c.final, int64(min(at.place, len(c.best)-20))+1, 20)
				return err
			}})
	}
	return append(all, read{"TopPercent, 50 %", func(ctx context.Context) error {
		_, err := c.boards.TopPercent(ctx, c.final, 50, cursor.PageRequest{Limit: 20})
		return err
	}})
}

// measure does each read once, and returns what it cost.
func (c *contest) measure(ctx context.Context) (costs []meter.Cost, err error) {
	for _, r := range c.reads() {
		costs = append(costs, c.ledger.Cost(func() { err = r.do(ctx) }))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.what, err)
		}
	}
	return costs, nil
}

// follow waits until the folder has published all changes up to a time.
func (c *contest) follow(ctx context.Context, what string, at time.Time) error {
	watch := plaza.WithOperation(ctx, watching)
	return c.ledger.Do(what, func() error {
		began := time.Now()
		for {
			select {
			case <-time.After(250 * time.Millisecond):
			case err := <-c.folder.done:
				c.folder.cancel = nil
				return cmp.Or(err, errors.New("the folder ended"))
			}
			c.passed.Add(int64(2 * time.Second)) // so that nothing is cached
			rank, err := c.boards.Rank(watch, c.final, c.best[0].id)
			if err != nil {
				return err
			}
			if rank.Folded && !rank.AsOf.Before(at) {
				break
			}
		}
		c.ledger.Show("%.1f s, %s entries; the folder took %v", time.Since(began).Seconds(), ledger.Thousands(c.folder.Status().Entries), c.ledger.Taken(folding))
		return nil
	})
}
