// Package estimate computes what a service on Plaza costs in a month, and how hot its
// hottest keys get, from what its users do.
//
// The model knows each call's cost as a formula of the data that it meets: how many
// followers there are, how full a page is. Its tests hold it to the stated costs in
// docs/costs.md, and compare it with a simulated day, metered on DynamoDB Local.
package estimate

import (
	"io"

	"github.com/plaza-sdk/plaza/meter"
)

const (
	day   = 86400.0 // seconds
	month = 30.0    // days
)

// Units are what calls cost. For one call they are an average, so requests need not be a
// whole number.
type Units struct {
	Requests float64 `json:"requests"`
	Read     float64 `json:"read"`  // RCU
	Write    float64 `json:"write"` // WCU
}

func (u Units) plus(v Units) Units {
	return Units{u.Requests + v.Requests, u.Read + v.Read, u.Write + v.Write}
}

func (u Units) times(n float64) Units { return Units{n * u.Requests, n * u.Read, n * u.Write} }

func (u Units) dollars(p meter.Prices) float64 {
	return meter.Cost{Read: u.Read, Write: u.Write}.Dollars(p)
}

// Call is what all calls of an operation cost in a month of 30 days.
type Call struct {
	Operation string  `json:"operation"`
	Calls     float64 `json:"calls"`
	Expected  Units   `json:"expected"`
	Dollars   float64 `json:"dollars"`

	// AtMost is by the stated costs: every page full, nothing in a cache.
	AtMost        Units   `json:"atMost"`
	DollarsAtMost float64 `json:"dollarsAtMost"`
}

// Key is the partition key of a table that takes the most writes or reads.
type Key struct {
	Table string `json:"table"`
	Key   string `json:"key"` // how it begins, and whose it is

	// Write and Read are units a second, at the peak.
	Write float64 `json:"write"`
	Read  float64 `json:"read"`

	Advice string `json:"advice,omitempty"` // if the key takes more than a partition does
}

// What DynamoDB gives a partition, in units a second.
const (
	MaxWrite = 1000
	MaxRead  = 3000
)

// load is the share that the key takes of what a partition can do.
func (k Key) load() float64 { return max(k.Write/MaxWrite, k.Read/MaxRead) }

// Estimate is what a service costs.
type Estimate struct {
	Input Input  `json:"input"`
	Calls []Call `json:"calls"`
	Keys  []Key  `json:"keys"`

	Total         Units   `json:"total"`
	Dollars       float64 `json:"dollars"`
	TotalAtMost   Units   `json:"totalAtMost"`
	DollarsAtMost float64 `json:"dollarsAtMost"`
}

// Of estimates from an input, with followers by Zipf's law.
func Of(in Input, prices meter.Prices) (Estimate, error) {
	if err := in.check(); err != nil {
		return Estimate{}, err
	}
	return of(in, zipf(in.Users, in.Follows, in.Zipf), prices), nil
}

// OfEdges estimates with the followers of an edge list: follower and followee on each
// line. The list gives the number of users and of whom they follow.
func OfEdges(in Input, edges io.Reader, prices meter.Prices) (Estimate, error) {
	g, users, err := readEdges(edges)
	if err != nil {
		return Estimate{}, err
	}
	if users == 0 {
		return Estimate{}, invalid("edges", "are none")
	}
	in.Users, in.Follows = users, g.edges()/float64(users)
	if err := in.check(); err != nil {
		return Estimate{}, err
	}
	return of(in, g, prices), nil
}

func of(in Input, g graph, prices meter.Prices) Estimate {
	m := newModel(in, g)
	e := Estimate{Input: in}
	for _, r := range m.rows {
		c := Call{
			Operation: r.operation, Calls: month * r.calls,
			Expected: r.expected.times(month), AtMost: r.most.times(month),
		}
		c.Dollars, c.DollarsAtMost = c.Expected.dollars(prices), c.AtMost.dollars(prices)
		e.Calls = append(e.Calls, c)
		e.Total, e.TotalAtMost = e.Total.plus(c.Expected), e.TotalAtMost.plus(c.AtMost)
	}
	e.Dollars, e.DollarsAtMost = e.Total.dollars(prices), e.TotalAtMost.dollars(prices)
	e.Keys = m.hottest()
	return e
}
