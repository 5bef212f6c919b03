package meter_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/meter"
)

func TestCostsAddUpByOperation(t *testing.T) {
	m := meter.New()
	m.Add("a", meter.Cost{Requests: 1, Read: 0.5})
	m.Add("b", meter.Cost{Requests: 1, Write: 1})
	m.Add("a", meter.Cost{Requests: 1, Read: 1})
	want := map[string]meter.Cost{"a": {Requests: 2, Read: 1.5}, "b": {Requests: 1, Write: 1}}
	read := m.ByOperation()
	require.Equal(t, want, read)
	require.Equal(t, meter.Cost{Requests: 3, Read: 1.5, Write: 1}, m.Total())
	clear(read)
	require.Equal(t, want, m.Reset(), "what was returned is a copy")
	require.Empty(t, m.ByOperation())
	require.Zero(t, m.Total())
}

func TestNothingIsLostBetweenResets(t *testing.T) {
	const writers, each = 8, 1000
	m := meter.New()
	var running sync.WaitGroup
	for range writers {
		running.Go(func() {
			for range each {
				m.Add("a", meter.Cost{Requests: 1, Write: 0.5})
			}
		})
	}
	ended := make(chan struct{})
	go func() { running.Wait(); close(ended) }()
	var sum meter.Cost
	for done := false; !done; {
		select {
		case <-ended:
			done = true
		default:
		}
		_, _ = m.ByOperation(), m.Total()
		sum = sum.Plus(meter.Sum(m.Reset()))
	}
	require.Equal(t, meter.Cost{Requests: writers * each, Write: writers * each / 2}, sum)
}
