package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

const (
	daily, weekly = "daily", "weekly"
	cheater       = "aimbot"

	// On 29 March there is no 02:30, so that day begins at 03:00.
	everyDay, everyMonday = "30 2 * * *", "30 2 * * 1"
)

// league holds the boards and the clock of the season.
type league struct {
	boards *leaderboard.Repository
	ledger *ledger.Ledger
	now    time.Time
	season []week
	final  leaderboard.In // the standings of the last week
}

// tour plays the season of that many players and shows its results.
func tour(ctx context.Context, out io.Writer, players int) (err error) {
	season, err := newSeason(players)
	if err != nil {
		return err
	}
	env, err := plazatest.Open(ctx, &plazatest.Options{Tables: tables.Names{Leaderboard: "leaderboard"}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	gen, err := ids.New(1, nil) // there are no other processes
	if err != nil {
		return err
	}
	l := &league{season: season, now: season[0][0].date}
	if l.boards, err = leaderboard.New(env.DB, env.Tables.Leaderboard, gen, &leaderboard.Options{
		Now: func() time.Time { return l.now },
	}); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s players, %d weeks, in %s. The clocks go forward on 29 March.\n\n", ledger.Thousands(players), len(season), zone)
	l.ledger = ledger.New(out, env.Meter)
	for _, part := range []func(context.Context) error{l.define, l.play, l.catch, l.results, l.reset} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	l.ledger.Close("the code in examples/leaderboard, then go doc ./leaderboard")
	return nil
}

func (l *league) define(ctx context.Context) error {
	l.ledger.Title("Two boards keep everybody's best, of the day and of the week")
	return l.ledger.Do("define daily and weekly", func() error {
		for name, cron := range map[string]string{daily: everyDay, weekly: everyMonday} {
			if _, err := l.boards.Define(ctx, leaderboard.Board{Name: name, Cron: cron, Zone: zone}); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *league) play(ctx context.Context) error {
	l.ledger.Title("They play; each game goes to both boards")
	for n, w := range l.season {
		what := fmt.Sprintf("week %d: %s players, %s games", n+1, ledger.Thousands(len(w.standings())), ledger.Thousands(w.count()))
		err := l.ledger.Do(what, func() error {
			for _, d := range w {
				l.now = d.evening()
				if err := l.submit(ctx, d.games); err != nil {
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

// submit submits games to both boards, many at once.
func (l *league) submit(ctx context.Context, games []game) error {
	for some := range slices.Chunk(games, 10_000) {
		var all []leaderboard.Submission
		for _, g := range some {
			for _, board := range []string{daily, weekly} {
				all = append(all, leaderboard.Submission{
					Board: board, Player: g.id, Score: leaderboard.Int(g.score), At: g.at, Name: g.name,
				})
			}
		}
		if _, err := l.boards.SubmitMany(ctx, all); err != nil {
			return err
		}
	}
	return nil
}

func (l *league) catch(ctx context.Context) error {
	l.ledger.Title("On the last evening somebody cheats, and is hidden")
	err := l.ledger.Do("a game too good to be true", func() error {
		result, _, err := l.boards.Submit(ctx, leaderboard.Submission{
			Board: weekly, Player: cheater, Name: "xX_aimbot_Xx", Score: leaderboard.Int(1990), At: l.now,
		})
		l.final = leaderboard.In{Board: weekly, Period: result.Period}
		return err
	})
	if err != nil {
		return err
	}
	if err := l.top(ctx, "the best 4", 4); err != nil {
		return err
	}
	err = l.ledger.Do("hide xX_aimbot_Xx", func() error {
		_, err := l.boards.Hide(ctx, l.final, cheater)
		return err
	})
	if err != nil {
		return err
	}
	return l.top(ctx, "the ranks close up", 4)
}

// top shows the best n.
func (l *league) top(ctx context.Context, what string, n int) error {
	return l.ledger.Do(what, func() error {
		page, err := l.boards.Top(ctx, l.final, cursor.PageRequest{Limit: n})
		l.standings(page.Items)
		return err
	})
}

// standings shows one line per player, with the time of the score: of equal scores the
// earlier is above.
func (l *league) standings(rows []leaderboard.Standing) {
	for _, row := range rows {
		l.ledger.Show("%7s  %-18s %5s  %s", ledger.Thousands(row.Rank), row.Name,
			ledger.Thousands(row.Score.Int64()), row.At.In(l.now.Location()).Format("Mon 15:04"))
	}
}

func (l *league) results(ctx context.Context) error {
	l.ledger.Title("The last week's results")
	if err := l.top(ctx, "the best 10", 10); err != nil {
		return err
	}
	err := l.ledger.Do("Zoë's rank", func() error {
		rank, err := l.boards.Rank(ctx, l.final, zoe.id)
		l.ledger.Show("%s; by time of equal scores %s", ledger.Thousands(rank.Rank), ledger.Thousands(rank.Ordinal))
		return err
	})
	if err != nil {
		return err
	}
	err = l.ledger.Do("and her percentile", func() error {
		percentile, err := l.boards.Percentile(ctx, l.final, zoe.id)
		l.ledger.Show("better than %.0f in a hundred, rounded up", percentile)
		return err
	})
	if err != nil {
		return err
	}
	err = l.ledger.Do("Zoë among her 6 neighbours", func() error {
		rows, err := l.boards.Around(ctx, l.final, zoe.id, 7)
		l.standings(rows)
		return err
	})
	if err != nil {
		return err
	}
	return l.ledger.Do("how many have 600 or more", func() error {
		n, err := l.boards.CountBetween(ctx, l.final, leaderboard.Int(600), leaderboard.Int(math.MaxInt64))
		l.ledger.Show("%s players", ledger.Thousands(n))
		return err
	})
}

func (l *league) reset(ctx context.Context) error {
	l.now = l.season[weeks-1][0].date.AddDate(0, 0, 7).Add(3 * time.Hour)
	l.ledger.Title("Monday, 3 o'clock: a new week, and the old ones stay")
	err := l.ledger.Do("how many play this week", func() error {
		n, err := l.boards.Count(ctx, leaderboard.In{Board: weekly})
		l.ledger.Show("%d players", n)
		return err
	})
	if err != nil {
		return err
	}
	if err := l.ledger.Do("prizes for all days and weeks that ended", func() error { return l.prizes(ctx) }); err != nil {
		return err
	}
	return l.ledger.Do("all weeks, and who was the best", func() error {
		page, err := l.boards.Periods(ctx, weekly, cursor.PageRequest{})
		for _, p := range slices.Backward(page.Items) {
			best, failed := l.boards.Top(ctx, leaderboard.In{Board: weekly, Period: p.Name}, cursor.PageRequest{Limit: 1})
			err = errors.Join(err, failed)
			for _, row := range best.Items {
				l.ledger.Show("%s  %5.1f h  %-18s %5s", p.Start.In(l.now.Location()).Format("Mon _2 Jan 15:04"), p.End.Sub(p.Start).Hours(),
					row.Name, ledger.Thousands(row.Score.Int64()))
			}
		}
		return err
	})
}

// prizes gives a prize to the best player of each day and each week that ended.
func (l *league) prizes(ctx context.Context) error {
	var mu sync.Mutex
	winners := map[string]string{} // by Key, so that a second call gives no second prize
	done, err := l.boards.Deliver(ctx, func(ctx context.Context, ended leaderboard.Ended) error {
		best, err := l.boards.Top(ctx, leaderboard.In{Board: ended.Board, Period: ended.Period.Name}, cursor.PageRequest{Limit: 1})
		mu.Lock()
		defer mu.Unlock()
		for _, row := range best.Items {
			winners[ended.Key] = row.Player
		}
		return err
	})
	l.ledger.Show("%d periods, %d prizes", done, len(winners))
	return err
}
