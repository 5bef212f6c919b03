package callstest

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/meter"
)

// Metered makes calls and compares what they cost with what their comments state.
type Metered struct {
	*dynamotest.Meter
	Stated Costs
	t      *testing.T
}

// NewMetered reads the comments of a package. Root is the folder of Plaza.
func NewMetered(t *testing.T, root, pkg string) Metered {
	t.Helper()
	return Metered{dynamotest.NewMeter(), ReadCosts(t, root, pkg), t}
}

// Costs fails unless the call costs at most what these cases of it state, or its usual
// cost.
func (m Metered) Costs(call func(context.Context) error, of string, cases ...string) {
	m.t.Helper()
	m.AtMost(fmt.Sprint(of, " ", cases), m.Stated.Of(of, cases...), call)
}

// AtMost fails unless the call costs at most so much.
func (m Metered) AtMost(name string, want meter.Cost, call func(context.Context) error) {
	m.t.Helper()
	got := m.Meter.AtMost(m.t, name, want, func() { require.NoError(m.t, call(m.t.Context()), name) })
	require.NotZero(m.t, got.Requests, name)
	m.t.Logf("%s: %v", name, got)
}
