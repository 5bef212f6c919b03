package dynamotest

import (
	"testing"

	"github.com/plaza-sdk/plaza/internal/dynamotest/meter"
)

// Cost is the cost of some calls.
type Cost = meter.Cost

// Meter counts the requests that pass through it. It prices only those in AtMost, and
// all after Price. Give it to DB before an injector of faults: then it counts only the
// requests that reach the engine.
type Meter struct {
	*meter.Meter
	always bool
}

// NewMeter returns a meter that reads zero.
func NewMeter() *Meter {
	m := &Meter{Meter: meter.New(transport())}
	m.Meter.Price(false)
	return m
}

// Price prices all requests from now on, for tests that read units by Take.
func (m *Meter) Price() *Meter {
	m.always = true
	m.Meter.Price(true)
	return m
}

// AtMost fails the test if f costs more than want in any respect. It returns the
// cost.
func (m *Meter) AtMost(t testing.TB, name string, want Cost, f func()) Cost {
	t.Helper()
	m.Meter.Price(true)
	defer m.Meter.Price(m.always)
	m.Take()
	f()
	got := m.Take()
	if got.Requests > want.Requests || got.Read > want.Read || got.Write > want.Write {
		t.Errorf("%s used %v; at most %v are allowed", name, got, want)
	}
	return got
}
