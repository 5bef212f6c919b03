package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/meter"
)

// read is a call at a place of the board. It fails where its answer is not that of a sort.
type read struct {
	what            string
	do              func(context.Context) error
	counted, folded meter.Cost // as stated
}

const neighbours, rangeRows = 7, 20

// readsAt returns the reads at a place, 0 for the best.
func (c *contest) readsAt(name string, place int) []read {
	n := len(c.best)
	own := c.best[place]
	above := func(score int64) int { // how many are better than score
		i, _ := slices.BinarySearchFunc(c.best, score, func(g game, score int64) int { return cmp.Compare(score, g.score) })
		return i
	}
	better, others := above(own.score), above(own.score-1)
	first := min(place, max(0, n-rangeRows))
	percent := max(1, float64(100*(place+1)/n))

	return []read{
		{"Rank, " + name, func(ctx context.Context) error {
			rank, err := c.boards.Rank(ctx, c.final, own.id)
			return cmp.Or(err, differs("rank", rank.Ordinal, int64(place)+1))
		}, rankCost(better, place-better), foldedRankCost(n)},
		{"Around, " + name, func(ctx context.Context) error {
			rows, err := c.boards.Around(ctx, c.final, own.id, neighbours)
			return cmp.Or(err, c.differ(rows, max(0, min(place-neighbours/2, n-neighbours))))
		}, aroundCost(better, place-better), ledger.Sum(foldedRankCost(n), topCost, topCost)},
		{"Percentile, " + name, func(ctx context.Context) error {
			percentile, err := c.boards.Percentile(ctx, c.final, own.id)
			return cmp.Or(err, differs("percentile", int64(percentile), int64((100*(n-others)+n-1)/n)))
		}, ledger.Sum(getCost, countCost(others), countCost(n-others)), foldedRankCost(n)},
		{fmt.Sprintf("TopPercent, %.0f %%", percent), func(ctx context.Context) error {
			page, err := c.boards.TopPercent(ctx, c.final, percent, cursor.PageRequest{Limit: rangeRows})
			return cmp.Or(err, c.differ(page.Items, 0))
		}, ledger.Sum(topCost, countCost(n)), ledger.Sum(topCost, rootCost(n))},
		{"Range, " + name, func(ctx context.Context) error {
			rows, err := c.boards.Range(ctx, c.final, int64(first)+1, rangeRows)
			return cmp.Or(err, c.differ(rows, first))
		}, rangeCost(first + rangeRows), ledger.Sum(rootCost(n), leafCost())},
	}
}

// differ returns an error if rows are not the standings from a place on.
func (c *contest) differ(rows []leaderboard.Standing, from int) error {
	for i, row := range rows {
		if err := cmp.Or(differs("ordinal", row.Ordinal, int64(from+i)+1), differs("score", row.Score.Int64(), c.best[from+i].score)); err != nil {
			return err
		}
	}
	return nil
}

// count measures the reads while ranks are counted.
func (c *contest) count(ctx context.Context) error {
	c.ledger.Title("Counting reads what is above")
	stated := againCost
	for _, r := range c.reads {
		stated = ledger.Sum(stated, r.counted)
	}
	return c.ledger.Do(fmt.Sprintf("%d reads, counted", len(c.reads)), stated, func() (err error) {
		c.counted, err = c.measure(ctx)
		return err
	})
}

// again measures the reads while ranks are folded, and shows them beside the others.
func (c *contest) again(ctx context.Context) error {
	var stated meter.Cost
	for _, r := range c.reads {
		stated = ledger.Sum(stated, r.folded)
	}
	return c.ledger.Do("the same reads, folded", stated, func() error {
		folded, err := c.measure(ctx)
		if err != nil {
			return err
		}
		const line = "%-20s %9s %9s %10s   %9s %9s %10s"
		c.ledger.Show(line, "", "counted", "", "", "folded", "", "")
		c.ledger.Show(line, "", "requests", "RCU", "µ$", "requests", "RCU", "µ$")
		for i, r := range c.reads {
			was, is := c.counted[i], folded[i]
			c.ledger.Show(line, r.what, strconv.Itoa(was.Requests), units(was.Read), micro(was), strconv.Itoa(is.Requests), units(is.Read), micro(is))
		}
		return nil
	})
}

// measure does each read once, and returns what it cost.
func (c *contest) measure(ctx context.Context) ([]meter.Cost, error) {
	costs := make([]meter.Cost, len(c.reads))
	for i, r := range c.reads {
		var err error
		costs[i] = c.ledger.Cost(func() { err = r.do(ctx) })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.what, err)
		}
	}
	return costs, nil
}

func units(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) }

// micro returns a price in millionths of a dollar.
func micro(c meter.Cost) string {
	return strconv.FormatFloat(1e6*c.Dollars(meter.USEast1()), 'f', 2, 64)
}
