package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
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
	env    *plazatest.Env
	boards *leaderboard.Repository
	ledger *ledger.Ledger
	now    time.Time
	season []week
	final  leaderboard.In // the standings of the last week

	passed atomic.Int64 // nanoseconds since now
}

func (l *league) clock() time.Time { return l.now.Add(time.Duration(l.passed.Load())) }

// open starts a DynamoDB for the season of that many players. The caller must close env.
func open(ctx context.Context, players int) (*league, error) {
	season, err := newSeason(players)
	if err != nil {
		return nil, err
	}
	env, err := plazatest.Open(ctx, &plazatest.Options{Tables: tables.Names{Leaderboard: "leaderboard"}})
	if err != nil {
		return nil, err
	}
	l := &league{env: env, season: season, now: season[0][0].date}
	gen, err := ids.New(1, nil) // there are no other processes
	if err == nil {
		l.boards, err = leaderboard.New(env.DB, env.Tables.Leaderboard, gen, &leaderboard.Options{Now: l.clock})
	}
	if err != nil {
		return nil, errors.Join(err, env.Close())
	}
	return l, nil
}

// tour plays the season and shows its results.
func tour(ctx context.Context, out io.Writer, players int) (err error) {
	l, err := open(ctx, players)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.env.Close()) }()

	fmt.Fprintf(out, "%s players, %d weeks, in %s. The clocks go forward on 29 March.\n\n", ledger.Thousands(players), len(l.season), zone)
	l.ledger = ledger.New(out, l.env.Meter)
	return l.do(ctx, l.define, l.play, l.catch, l.reset, l.results)
}

// do runs the parts of a tour.
func (l *league) do(ctx context.Context, parts ...func(context.Context) error) error {
	for _, part := range parts {
		if err := part(ctx); err != nil {
			return err
		}
	}
	l.ledger.Close("the code in examples/leaderboard, then go doc ./leaderboard")
	return nil
}

func (l *league) define(ctx context.Context) error {
	l.ledger.Title("Two boards keep everybody's best, of the day and of the week")
	return l.ledger.Do("define daily and weekly", ledger.Sum(defineCost, defineCost), func() error {
		_, err := l.boards.Define(ctx, leaderboard.Board{Name: daily, Cron: everyDay, Zone: zone})
		if err != nil {
			return err
		}
		_, err = l.boards.Define(ctx, leaderboard.Board{Name: weekly, Cron: everyMonday, Zone: zone})
		return err
	})
}

func (l *league) play(ctx context.Context) error {
	l.ledger.Title("They play; each game goes to both boards")
	for n, w := range l.season {
		what := fmt.Sprintf("week %d: %s players, %s games", n+1, ledger.Thousands(len(w.bests())), ledger.Thousands(w.count()))
		err := l.ledger.Do(what, playCost(w), func() error {
			began := time.Now()
			for _, d := range w {
				l.now = d.evening()
				if err := l.submit(ctx, d.games); err != nil {
					return err
				}
			}
			l.ledger.Show("%.0f submissions a second", float64(2*w.count())/time.Since(began).Seconds())
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// submit submits the games of a day to both boards. The first game opens the day. The
// others follow, several at once.
func (l *league) submit(ctx context.Context, games []game) error {
	var all []leaderboard.Submission
	for _, g := range games {
		for _, board := range []string{daily, weekly} {
			all = append(all, leaderboard.Submission{
				Board: board, Player: g.id, Score: leaderboard.Int(g.score), At: g.at, Name: g.name,
			})
		}
	}
	first := min(2, len(all))
	for _, some := range [][]leaderboard.Submission{all[:first], all[first:]} {
		if _, err := l.boards.SubmitMany(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

func (l *league) catch(ctx context.Context) error {
	const tooGood = 1990
	l.ledger.Title("On the last evening somebody cheats, and is hidden")
	err := l.ledger.Do("a game too good to be true", firstCost, func() error {
		result, _, err := l.boards.Submit(ctx, leaderboard.Submission{
			Board: weekly, Player: cheater, Name: "xX_aimbot_Xx", Score: leaderboard.Int(tooGood), At: l.now,
		})
		l.final = leaderboard.In{Board: weekly, Period: result.Period}
		return err
	})
	if err != nil {
		return err
	}
	if err := l.top(ctx, "the best 4", l.final, 4, tooGood); err != nil {
		return err
	}
	err = l.ledger.Do("hide xX_aimbot_Xx", hideCost, func() error {
		_, err := l.boards.Hide(ctx, l.final, cheater)
		return err
	})
	if err != nil {
		return err
	}
	return l.top(ctx, "the ranks close up", l.final, 4, tooGood)
}

// top shows the best n. greatest is the score of a full bar; 0 means the first player's.
func (l *league) top(ctx context.Context, what string, in leaderboard.In, n int, greatest int64) error {
	return l.ledger.Do(what, topCost, func() error {
		page, err := l.boards.Top(ctx, in, cursor.PageRequest{Limit: n})
		if err == nil && greatest == 0 {
			greatest = page.Items[0].Score.Int64()
		}
		l.standings(page.Items, greatest)
		return err
	})
}
