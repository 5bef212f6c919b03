package leaderboard

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza/ids"
)

// The ids come in any order.
func TestAnOperationIsRememberedOrTooOld(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var o ops
		var all []applied
		for range rapid.IntRange(0, 40).Draw(t, "operations") {
			a := applied{
				op:      ids.ID(rapid.Uint64Range(1, 100).Draw(t, "time")<<22 | rapid.Uint64Range(0, 5).Draw(t, "machine")),
				print:   rapid.Uint32().Draw(t, "print"),
				existed: rapid.Bool().Draw(t, "existed"), improved: rapid.Bool().Draw(t, "improved"),
				old: rapid.Uint64().Draw(t, "old"), new: rapid.Uint64().Draw(t, "new"),
			}
			if _, known := o.find(a.op); known || o.forgot(a.op) {
				continue // not new
			}
			o = o.with(a)
			all = append(all, a)

			stored, err := parseOps(o.bytes())
			require.NoError(t, err)
			require.Equal(t, o.bytes(), stored.bytes())
			for i, a := range all {
				got, known := stored.find(a.op)
				require.Equal(t, i >= len(all)-maxOps, known)
				if known {
					require.Equal(t, a, got)
				} else {
					require.True(t, stored.forgot(a.op), "never new again")
				}
			}
		}
	})
}

// Four processes write one entry. The clock of one is ahead.
func TestASourceThatIsAheadDoesNotAgeTheOperationsOfOthers(t *testing.T) {
	t.Parallel()
	var o ops
	for i := range 100 {
		o = o.with(applied{op: ids.ID(100_000+i)<<22 | 1})
		for machine := range 3 {
			op := ids.ID(i+1)<<22 | ids.ID(machine+2)
			require.False(t, o.forgot(op))
			o = o.with(applied{op: op})
		}
	}
}

func TestOpsInTheFiles(t *testing.T) {
	t.Parallel()
	for _, line := range fileLines(t, "ops-valid.txt") {
		b, err := hex.DecodeString(line)
		require.NoError(t, err)
		o, err := parseOps(b)
		require.NoError(t, err, line)
		require.Equal(t, b, o.bytes())
	}
	for _, line := range fileLines(t, "ops-invalid.txt") {
		b, err := hex.DecodeString(line)
		require.NoError(t, err)
		_, err = parseOps(b)
		require.ErrorIs(t, err, errDamaged, line)
	}
	o, err := parseOps(nil)
	require.NoError(t, err)
	require.Zero(t, o)
}

func FuzzParseOps(f *testing.F) {
	for _, line := range append(fileLines(f, "ops-valid.txt"), fileLines(f, "ops-invalid.txt")...) {
		b, err := hex.DecodeString(strings.TrimSpace(line))
		require.NoError(f, err)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := parseOps(b)
		switch {
		case err != nil:
			require.ErrorIs(t, err, errDamaged)
		case len(b) > 0:
			require.Equal(t, b, o.bytes())
		}
	})
}
