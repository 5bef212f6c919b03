package main

import (
	"math"

	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/meter"
)

// The costs of the steps, as the comments of the methods state them.
var (
	defineCost  = meter.Cost{Requests: 2, Write: 2, Read: 1}
	againCost   = meter.Cost{Requests: 2, Read: 2} // a board is read again after Options.Refresh
	openCost    = meter.Cost{Requests: 3, Write: 6, Read: 2}
	nobodyCost  = meter.Cost{Requests: 2, Read: 2} // no period is open yet
	firstCost   = meter.Cost{Requests: 1, Write: 2}
	betterCost  = meter.Cost{Requests: 1, Write: 3}
	worseCost   = meter.Cost{Requests: 1, Write: 1}
	topCost     = meter.Cost{Requests: 1, Read: 1}
	hideCost    = meter.Cost{Requests: 1, Write: 3}
	getCost     = meter.Cost{Requests: 1, Read: 1}
	periodsCost = meter.Cost{Requests: 1, Read: 0.5}
	dueCost     = meter.Cost{Requests: 1, Read: 0.5} // to find the periods that ended
	endedCost   = meter.Cost{Requests: 4, Write: 2, Read: 2}
)

// playCost returns the cost of all submissions, and of opening each day and week.
func playCost(w week) meter.Cost {
	cost := openCost
	weekly := map[string]int64{}
	for _, d := range w {
		cost = ledger.Sum(cost, againCost, againCost, openCost)
		daily := map[string]int64{}
		for _, g := range d.games {
			cost = ledger.Sum(cost, submitCost(daily, g), submitCost(weekly, g))
		}
	}
	return cost
}

// submitCost returns the cost of submitting a game, and updates bests.
func submitCost(bests map[string]int64, g game) meter.Cost {
	best, played := bests[g.id]
	bests[g.id] = max(best, g.score)
	switch {
	case !played:
		return firstCost
	case g.score > best:
		return betterCost
	}
	return worseCost
}

// rowBytes is the size of an entry in the index, by the formula in Count's comment.
// Players have up to 7 bytes, names up to 18, and parts look like weekly#20260330T003000Z#0.
const rowBytes = 2*7 + 2*25 + 18 + 40

// countCost returns the cost of counting rows. DynamoDB Local's pages end at 1 MB of whole
// entries, which are up to twice as large as their rows.
func countCost(rows int) meter.Cost {
	return meter.Cost{
		Requests: 1 + 2*rows*rowBytes/(1<<20),
		Read:     0.5 + math.Ceil(2*float64(rows*rowBytes)/8192)/2,
	}
}

func rankCost(better, tied int) meter.Cost {
	return ledger.Sum(getCost, countCost(better), countCost(tied))
}

func aroundCost(better, tied int) meter.Cost {
	return ledger.Sum(rankCost(better, tied), topCost, topCost)
}

// rangeCost returns the cost of reading rows, up to 10,000 in a request. The last one may
// read as many although fewer are missing.
func rangeCost(rows int) meter.Cost {
	if rows <= 10_000 {
		return countCost(rows + 128)
	}
	return countCost(rows + 10_000)
}

// leafCost returns the cost of counting in one leaf, which has up to 511 entries.
func leafCost() meter.Cost { return countCost(511) }

// rootCost returns the cost of reading what a folder published of n entries: the root,
// which has a byte for each leaf and some 50 for each block of 128 or more, and a block.
func rootCost(n int) meter.Cost {
	leaves := 1 + n/256
	root := leaves + 50*(1+leaves/128)
	return ledger.Sum(topCost, meter.Cost{Requests: 1, Read: math.Ceil(float64(root)/4096) / 2})
}

func foldedRankCost(n int) meter.Cost { return ledger.Sum(getCost, rootCost(n), leafCost()) }

// times returns n times a cost.
func times(c meter.Cost, n int) meter.Cost {
	return meter.Cost{Requests: n * c.Requests, Read: float64(n) * c.Read, Write: float64(n) * c.Write}
}
