package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/meter"
)

// contest is the last week, on one board that counts ranks and then folds them.
type contest struct {
	*league
	best    []game // of each player, in the order of the board
	reads   []read
	counted []meter.Cost // of the reads
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
	c.reads = c.readsAt("top", 0)
	c.reads = append(c.reads, c.readsAt("middle", players/2)...)
	c.reads = append(c.reads, c.readsAt("bottom", players-1)...)
	defer func() { err = errors.Join(err, c.folder.stop()) }()

	fmt.Fprintf(out, "The best scores of %s players in a week.\n\n", ledger.Thousands(players))
	l.ledger = ledger.New(out, l.env.Meter)
	return l.do(ctx, c.enter, c.count, c.fold, c.again, c.overtake, c.check)
}

// standings returns each player's best game in the order of a board.
func (w week) standings() []game {
	best := map[string]game{}
	for _, d := range w {
		for _, g := range d.games {
			if b, played := best[g.id]; !played || g.score > b.score {
				best[g.id] = g
			}
		}
	}
	games := make([]game, 0, len(best))
	for _, g := range best {
		games = append(games, g)
	}
	rank(games)
	return games
}

// rank puts games in the order of a board: of equal scores the earlier is above.
func rank(games []game) {
	slices.SortFunc(games, func(a, b game) int {
		return cmp.Or(cmp.Compare(b.score, a.score), a.at.Compare(b.at), strings.Compare(a.id, b.id))
	})
}

// enter submits everybody's best game.
func (c *contest) enter(ctx context.Context) error {
	c.ledger.Title("One board keeps everybody's best of the week, and counts ranks")
	err := c.ledger.Do("define weekly", defineCost, func() error { return c.rankBy(ctx, leaderboard.RankByCount) })
	if err != nil {
		return err
	}
	stated := ledger.Sum(againCost, openCost, times(firstCost, len(c.best)))
	return c.ledger.Do(ledger.Thousands(len(c.best))+" players", stated, func() error {
		if err := c.submitAll(ctx, c.best[:1]); err != nil { // it opens the week
			return err
		}
		began := time.Now()
		err := c.submitAll(ctx, c.best[1:])
		c.ledger.Show("%.0f submissions a second", float64(len(c.best)-1)/time.Since(began).Seconds())
		return err
	})
}

// rankBy defines the board.
func (c *contest) rankBy(ctx context.Context, by leaderboard.Ranking) error {
	_, err := c.boards.Define(ctx, leaderboard.Board{Name: weekly, Cron: everyMonday, Zone: zone, Ranking: by})
	return err
}

func (c *contest) submitAll(ctx context.Context, games []game) error {
	for some := range slices.Chunk(games, 10_000) {
		all := make([]leaderboard.Submission, len(some))
		for i, g := range some {
			all[i] = leaderboard.Submission{Board: weekly, Player: g.id, Score: leaderboard.Int(g.score), At: g.at, Name: g.name}
		}
		results, err := c.boards.SubmitMany(ctx, all)
		if err != nil {
			return err
		}
		c.final = leaderboard.In{Board: weekly, Period: results[len(results)-1].Value.Period}
	}
	return nil
}

// overtake lets one player in 20 improve while the folder leads.
func (c *contest) overtake(ctx context.Context) error {
	c.ledger.Title("Players improve, and the folder follows")
	var better []game
	for i := 0; i < len(c.best); i += 20 {
		g := &c.best[i]
		g.score, g.at = g.score*2+5, c.now
		better = append(better, *g)
	}
	rank(c.best)
	stated := times(betterCost, len(better)+1)
	var submitted time.Time
	err := c.ledger.Do(ledger.Thousands(len(better))+" better scores", stated, func() error {
		if err := c.submitAll(ctx, better); err != nil {
			return err
		}
		submitted = time.Now()
		c.best[0].score++ // so that the board changes, and no rank does
		return c.submitAll(ctx, c.best[:1])
	})
	if err != nil {
		return err
	}
	return c.follow(ctx, "the folder follows", submitted)
}

// check compares the ranks of a sample with a sort.
func (c *contest) check(ctx context.Context) error {
	step := max(1, len(c.best)/1000)
	n := (len(c.best) + step - 1) / step
	stated := times(foldedRankCost(len(c.best)), n)
	return c.ledger.Do(ledger.Thousands(n)+" ranks beside a sort", stated, func() error {
		for i := 0; i < len(c.best); i += step {
			got, err := c.boards.Rank(ctx, c.final, c.best[i].id)
			if err := cmp.Or(err, differs("rank", got.Ordinal, int64(i)+1)); err != nil {
				return fmt.Errorf("%s: %w", c.best[i].name, err)
			}
		}
		c.ledger.Show("all are right")
		return nil
	})
}

// differs returns an error if two numbers differ.
func differs(what string, got, want int64) error {
	if got != want {
		return fmt.Errorf("the %s is %d, and not %d", what, got, want)
	}
	return nil
}
