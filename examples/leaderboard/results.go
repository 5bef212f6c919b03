package main

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func (l *league) results(ctx context.Context) error {
	l.ledger.Title("The last week's results")
	if err := l.top(ctx, "the best 10", l.final, 10, 0); err != nil {
		return err
	}
	bests := l.season[weeks-1].bests()
	if err := l.zoe(ctx, bests); err != nil {
		return err
	}
	return l.distribution(ctx, bests)
}

// zoe shows where she stands.
func (l *league) zoe(ctx context.Context, bests map[string]int64) error {
	better, tied := 0, 0
	for _, best := range bests {
		switch own := bests[zoe.id]; {
		case best > own:
			better++
		case best == own:
			tied++
		}
	}
	err := l.ledger.Do("Zoë's rank", rankCost(better, tied), func() error {
		rank, err := l.boards.Rank(ctx, l.final, zoe.id)
		l.ledger.Show("%s of %s; %d have that score, by time she is %s",
			ledger.Thousands(rank.Rank), ledger.Thousands(len(bests)), tied, ledger.Thousands(rank.Ordinal))
		return err
	})
	if err != nil {
		return err
	}
	err = l.ledger.Do("and her percentile", ledger.Sum(getCost, countCost(0), countCost(len(bests))), func() error {
		percentile, err := l.boards.Percentile(ctx, l.final, zoe.id)
		l.ledger.Show("better than %.0f in a hundred, rounded up", percentile)
		return err
	})
	if err != nil {
		return err
	}
	return l.ledger.Do("Zoë among her 6 neighbours", aroundCost(better, tied), func() error {
		rows, err := l.boards.Around(ctx, l.final, zoe.id, 7)
		l.standings(rows, slices.Max(slices.Collect(maps.Values(bests))))
		return err
	})
}

// distribution counts the players in steps of fifty points. This costs as much as
// counting all players, and one request for each bar.
func (l *league) distribution(ctx context.Context, bests map[string]int64) error {
	const width, bars = 50, 21
	stated := countCost(len(bests))
	counts := make([]int64, bars)
	for range counts {
		stated = ledger.Sum(stated, countCost(0))
	}
	return l.ledger.Do("all scores, by fifties", stated, func() error {
		for i := range counts {
			low, high := int64(i*width), int64(i*width+width-1)
			if i == bars-1 {
				high = math.MaxInt64
			}
			var err error
			counts[i], err = l.boards.CountBetween(ctx, l.final, leaderboard.Int(low), leaderboard.Int(high))
			if err != nil {
				return err
			}
		}
		most := slices.Max(counts)
		for i, n := range counts {
			mark, style := "", scale[i*len(scale)/bars]
			if int64(i) == min(bests[zoe.id]/width, bars-1) {
				mark, style = l.ledger.Paint(ledger.Marked, here), ledger.Marked
			}
			l.ledger.Show("from %5s  %6s  %s%s", ledger.Thousands(int64(i*width)), ledger.Thousands(n), l.ledger.Paint(style, bar(n, most)), mark)
		}
		return nil
	})
}
