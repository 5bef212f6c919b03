package main

import "github.com/plaza-sdk/plaza/meter"

// What each step may cost, as the Cost lines of the methods state it for small
// items and eventually consistent reads.
var (
	homeCost          = meter.Cost{Requests: 2, Read: 12}
	homePastCost      = meter.Cost{Requests: 4, Read: 24} // hidden entries fill half a page or more
	outboxCost        = meter.Cost{Requests: 1, Read: 0.5}
	editCost          = meter.Cost{Requests: 1, Write: 1}
	unfollowCost      = meter.Cost{Requests: 3, Write: 11, Read: 1}
	removeForeignCost = meter.Cost{Requests: 2, Write: 1, Read: 1}
	countsCost        = meter.Cost{Requests: 1, Read: 0.5}
	followersCost     = meter.Cost{Requests: 2, Read: 2}
)

// followCost is the transaction, the source's mode with the home's header, one read of the
// source's outbox, and the activities that are copied from there.
func followCost(copied int) meter.Cost {
	return meter.Cost{Requests: 3 + batches(copied), Write: 10 + float64(copied), Read: 3 + float64(copied)/4}
}

// publishCost is n times the transaction with a foreign id, the publisher's mode,
// two reads of the followers, an entry for each of them, and the end of the job.
// A process reads the mode once in 30 s.
func publishCost(n, followers int) meter.Cost {
	return meter.Cost{
		Requests: n * (5 + batches(followers)),
		Write:    float64(n * (4 + 2 + followers + 1)),
		Read:     float64(n * 3),
	}
}

// firstCost is what a process's first publish costs for the job shards.
var firstCost = meter.Cost{Requests: 1, Write: 1}

func relationsCost(others int) meter.Cost {
	return meter.Cost{Requests: 1, Read: float64(others)}
}

// batches is the number of requests of 25 writes.
func batches(n int) int { return (n + 24) / 25 }
