package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/ledger"
)

func TestThousandsHaveCommas(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 103689: "103,689", 1234567: "1,234,567"} {
		require.Equal(t, want, ledger.Thousands(n))
	}
}
