package dynamotest

import (
	"testing"

	"github.com/plaza-sdk/plaza/internal/dynamotest/meter"
)

// Cost is the cost of some calls.
type Cost = meter.Cost

// Meter counts the requests that pass through it. Give it to DB before an injector
// of faults: then it counts only the requests that reach the engine.
type Meter struct{ *meter.Meter }

// NewMeter returns a meter that reads zero.
func NewMeter() *Meter { return &Meter{meter.New(transport())} }

// AtMost fails the test if f costs more than want in any respect. It returns the
// cost.
func (m *Meter) AtMost(t testing.TB, name string, want Cost, f func()) Cost {
	t.Helper()
	m.Take()
	f()
	got := m.Take()
	if got.Requests > want.Requests || got.Read > want.Read || got.Write > want.Write {
		t.Errorf("%s used %v; at most %v are allowed", name, got, want)
	}
	return got
}
