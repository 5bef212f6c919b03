package callstest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/calls"
	"github.com/plaza-sdk/plaza/meter"
)

// Costs are the costs that the comments of a package's calls state.
type Costs struct {
	t     testing.TB
	calls map[string]calls.Call
}

// ReadCosts reads the comments of a package. Root is the folder of Plaza.
func ReadCosts(t testing.TB, root, pkg string) Costs {
	t.Helper()
	found, err := calls.Find(root, pkg)
	require.NoError(t, err)
	c := Costs{t, map[string]calls.Call{}}
	for _, call := range found {
		c.calls[call.Name] = call
	}
	return c
}

// Of returns the sum of some cases of a call, such as "Repository.Follow", or its usual
// cost.
func (c Costs) Of(call string, cases ...string) (sum meter.Cost) {
	c.t.Helper()
	of, ok := c.calls[call]
	require.True(c.t, ok, "there is no call %s", call)
	if len(cases) == 0 {
		sum, err := of.Usual()
		require.NoError(c.t, err, call)
		return sum
	}
	for _, name := range cases {
		sum = sum.Plus(c.Times(1, call, name))
	}
	return sum
}

// Times returns n times a case of a call, such as that of each further KB.
func (c Costs) Times(n float64, call, name string) meter.Cost {
	c.t.Helper()
	var names []string
	for _, row := range c.calls[call].Rows {
		if row.Case == name {
			return meter.Cost{Requests: int(n * float64(row.Cost.Requests)), Read: n * row.Cost.Read, Write: n * row.Cost.Write}
		}
		names = append(names, row.Case)
	}
	require.Fail(c.t, "no such case", "%s has no case %q, but %s", call, name, strings.Join(names, "; "))
	return meter.Cost{}
}
