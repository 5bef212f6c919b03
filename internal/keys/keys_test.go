package keys_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
)

func TestDifferentPartsNeverShareAKey(t *testing.T) {
	t.Parallel()
	part := rapid.StringOfN(rapid.SampledFrom([]rune(`a#\_é`)), 0, 4, -1)
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(part, 1, 4).Draw(t, "a")
		b := rapid.SliceOfN(part, 1, 4).Draw(t, "b")
		require.Equal(t, equal(a, b), keys.Join(a...) == keys.Join(b...))
	})
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestJoinReadsWell(t *testing.T) {
	t.Parallel()
	require.Equal(t, "R#chris#0", keys.Join("R", "chris", "0"))
	require.Equal(t, `R#a\#b\\c#0`, keys.Join("R", `a#b\c`, "0"))
}

func TestCheckName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "用户", "a b#c", strings.Repeat("x", 256)} {
		require.NoError(t, keys.CheckName("User", name))
	}
	for _, name := range []string{"", strings.Repeat("x", 257), "a\xff"} {
		err := keys.CheckName("User", name)
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.Equal(t, "User", invalid.Field)
		require.ErrorIs(t, err, plaza.ErrInvalid)
	}
}
