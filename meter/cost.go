package meter

import "fmt"

// Cost is what some calls cost: HTTP requests, and capacity units as AWS bills them.
type Cost struct {
	Requests int     `json:"requests"`
	Read     float64 `json:"read"`  // RCU
	Write    float64 `json:"write"` // WCU
}

// Plus returns the sum of two costs.
func (c Cost) Plus(d Cost) Cost {
	return Cost{c.Requests + d.Requests, c.Read + d.Read, c.Write + d.Write}
}

// Dollars returns the price of c, without storage.
func (c Cost) Dollars(p Prices) float64 { return (c.Read*p.Read + c.Write*p.Write) / 1e6 }

func (c Cost) String() string {
	return fmt.Sprintf("%d requests, %g RCU, %g WCU", c.Requests, c.Read, c.Write)
}

// Prices are what a million units cost in dollars, with on-demand billing.
type Prices struct{ Read, Write float64 }

// USEast1 returns the on-demand prices of us-east-1 since November 2024.
func USEast1() Prices { return Prices{Read: 0.125, Write: 0.625} }
