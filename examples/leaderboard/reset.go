package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func (l *league) reset(ctx context.Context) error {
	l.now = l.season[weeks-1][0].date.AddDate(0, 0, 7).Add(3 * time.Hour)
	l.ledger.Title("Monday, 3 o'clock: a new week, and the old ones stay")
	err := l.ledger.Do("how many play this week", ledger.Sum(againCost, nobodyCost, countCost(0)), func() error {
		n, err := l.boards.Count(ctx, leaderboard.In{Board: weekly})
		l.ledger.Show("%d players", n)
		return err
	})
	if err != nil {
		return err
	}
	if err := l.prizes(ctx); err != nil {
		return err
	}
	stated := ledger.Sum(periodsCost, getCost)
	for range weeks {
		stated = ledger.Sum(stated, topCost)
	}
	err = l.ledger.Do("all weeks, and who was the best", stated, func() error {
		return l.periods(ctx, weekly, func(p leaderboard.Period) error {
			best, err := l.boards.Top(ctx, leaderboard.In{Board: weekly, Period: p.Name}, cursor.PageRequest{Limit: 1})
			for _, row := range best.Items {
				l.ledger.Show("%s  %s %s %5s", l.span(p), medal(1), l.ledger.Paint(style(row), fmt.Sprintf("%-18s", row.Name)), ledger.Thousands(row.Score.Int64()))
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	return l.ledger.Do("the days when the clocks went forward", ledger.Sum(againCost, periodsCost), func() error {
		return l.periods(ctx, daily, func(p leaderboard.Period) error {
			if p.End.Sub(p.Start) != 24*time.Hour {
				l.ledger.Show("%s", l.span(p))
			}
			return nil
		})
	})
}

// prizes gives a prize to the best player of each day and each week that ended.
func (l *league) prizes(ctx context.Context) error {
	stated := ledger.Sum(dueCost, againCost)
	for range 8 * weeks { // seven days and the week
		stated = ledger.Sum(stated, endedCost, getCost, topCost)
	}
	return l.ledger.Do("prizes for all days and weeks that ended", stated, func() error {
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
		players := map[string]bool{}
		for _, winner := range winners {
			players[winner] = true
		}
		l.ledger.Show("%d periods, %d prizes for %d players", done, len(winners), len(players))
		return err
	})
}

// periods calls do for each of the board's periods, the oldest first.
func (l *league) periods(ctx context.Context, board string, do func(leaderboard.Period) error) error {
	page, err := l.boards.Periods(ctx, board, cursor.PageRequest{})
	if err != nil {
		return err
	}
	for _, p := range slices.Backward(page.Items) {
		if err := do(p); err != nil {
			return err
		}
	}
	return nil
}

// span formats the beginning and the length of a period.
func (l *league) span(p leaderboard.Period) string {
	return fmt.Sprintf("%s  %5.1f h", p.Start.In(l.now.Location()).Format("Mon _2 Jan 15:04"), p.End.Sub(p.Start).Hours())
}
