package dynamotest

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/plaza-sdk/plaza/internal/localmeter"
	"github.com/plaza-sdk/plaza/meter"
)

// Cost is the cost of some calls.
type Cost = meter.Cost

// Meter counts the requests that pass through it. It prices only those in AtMost, and
// all after Price. Give it to DB before an injector of faults: then it counts only the
// requests that reach the engine.
type Meter struct {
	*meter.Meter
	local  *localmeter.Local
	always bool
}

// NewMeter returns a meter that reads zero.
func NewMeter() *Meter {
	m := &Meter{Meter: meter.New()}
	m.local = localmeter.New(m.Meter, transport(), nil)
	m.local.Price(false)
	return m
}

// Wrap counts the requests that go to next.
func (m *Meter) Wrap(next aws.HTTPClient) aws.HTTPClient { return m.local.Wrap(next) }

// Price prices all requests from now on, for tests that read units with Take.
func (m *Meter) Price() *Meter {
	m.always = true
	m.local.Price(true)
	return m
}

// Take returns the cost since the last Take.
func (m *Meter) Take() Cost { return meter.Sum(m.Reset()) }

// AtMost fails the test if f costs more than want in any respect. It returns the
// cost.
func (m *Meter) AtMost(t testing.TB, name string, want Cost, f func()) Cost {
	t.Helper()
	m.local.Price(true)
	defer m.local.Price(m.always)
	m.Take()
	f()
	got := m.Take()
	if got.Requests > want.Requests || got.Read > want.Read || got.Write > want.Write {
		t.Errorf("%s used %v; at most %v are allowed", name, got, want)
	}
	return got
}
