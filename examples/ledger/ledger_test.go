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

func TestAStepCostsWhatItsCallsCost(t *testing.T) {
	var out bytes.Buffer
	m := meter.New()
	l := ledger.New(&out, m)
	read := meter.Cost{Requests: 1, Read: 1}
	for range 2 {
		m.Add("before the step", read)
		require.NoError(t, l.Do("a step", func() error {
			m.Add("read", read)
			m.Add("list", read)
			return nil
		}))
	}
	l.Close("nothing")
	require.Regexp(t, `a step +2 +0 +2\n`, out.String())
	require.Regexp(t, `All of it +4 +0 +4\n`, out.String())
}
