// Package meter counts what calls to DynamoDB cost: requests, units and dollars, by
// Plaza's operation.
package meter

import (
	"maps"
	"sync"
)

// Meter adds up costs by operation. Its methods may be called concurrently.
type Meter struct {
	mu    sync.Mutex
	costs map[string]Cost
}

// New returns a meter that reads zero.
func New() *Meter { return &Meter{costs: make(map[string]Cost)} }

// Add counts a cost of an operation, which is "" outside of Plaza's calls.
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
func (m *Meter) Total() Cost {
	var sum Cost
	for _, c := range m.ByOperation() {
		sum = sum.Plus(c)
	}
	return sum
}

// Reset sets the meter to zero.
func (m *Meter) Reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.costs)
}
