package meter

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Meter adds up costs by operation. Its methods may be called concurrently.
type Meter struct {
	mu    sync.Mutex
	costs map[string]Cost
}

// New returns a meter that reads zero.
func New() *Meter { return &Meter{costs: make(map[string]Cost)} }

// Attach makes m count the requests of every DynamoDB client that is made from cfg
// afterwards. Attaching it again changes nothing.
func (m *Meter) Attach(cfg *aws.Config) {
	observe(cfg, fmt.Sprintf("plaza/meter.Meter %p", m), func(_ context.Context, c Call) {
		m.Add(c.Operation, c.Cost)
	})
}

// Add adds a cost to an operation, which is "" outside of Plaza's calls.
func (m *Meter) Add(operation string, c Cost) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.costs[operation] = m.costs[operation].Plus(c)
}

// ByOperation returns the costs since the start or the last Reset, by operation.
func (m *Meter) ByOperation() map[string]Cost {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.costs)
}

// Total returns the sum over all operations.
func (m *Meter) Total() Cost { return Sum(m.ByOperation()) }

// Reset sets the meter to zero and returns what ByOperation would have returned. No cost
// is lost between the two.
func (m *Meter) Reset() map[string]Cost {
	m.mu.Lock()
	defer m.mu.Unlock()
	was := m.costs
	m.costs = make(map[string]Cost)
	return was
}

// Sum returns the sum over all operations.
func Sum(costs map[string]Cost) Cost {
	var sum Cost
	for _, c := range costs {
		sum = sum.Plus(c)
	}
	return sum
}
