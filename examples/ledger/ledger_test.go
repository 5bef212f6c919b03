package ledger_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/meter"
)

func TestThousandsHaveCommas(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 103689: "103,689", 1234567: "1,234,567"} {
		require.Equal(t, want, ledger.Thousands(n))
	}
}

func TestWorkBesideAStepIsNotPartOfItsCost(t *testing.T) {
	var out bytes.Buffer
	m := meter.New()
	l := ledger.New(&out, m)
	l.Apart("beside")
	read := meter.Cost{Requests: 1, Read: 1}
	m.Add("read", read) // before the step
	for range 2 {
		require.NoError(t, l.Do("a step", func() error {
			m.Add("read", read)
			m.Add("beside", read)
			require.Equal(t, read.Plus(read), l.Cost(func() {
				m.Add("read", read)
				m.Add("read", read)
				m.Add("beside", read)
			}))
			return nil
		}))
	}
	require.Equal(t, read.Plus(read).Plus(read).Plus(read), l.Taken("beside"))
	require.Zero(t, l.Taken("beside"))
	l.Close("nothing")
	require.Regexp(t, `All of it +6 +0 +6\n`, out.String())
}
