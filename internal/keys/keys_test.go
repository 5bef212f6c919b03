package keys_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// The test joins every combination of up to three parts, each of up to two of the
// characters that matter.
func TestDifferentPartsNeverShareAKey(t *testing.T) {
	const alphabet = `a#\`
	parts := []string{""}
	for i := 0; len(parts[i]) < 2; i++ {
		for _, c := range alphabet {
			parts = append(parts, parts[i]+string(c))
		}
	}
	joined := map[string][]string{}
	var extend func(list []string)
	extend = func(list []string) {
		if len(list) == 3 {
			return
		}
		for _, part := range parts {
			longer := append(slices.Clone(list), part)
			key := keys.Join(longer...)
			other, taken := joined[key]
			require.False(t, taken, "%q and %q", longer, other)
			joined[key] = longer
			require.Equal(t, longer, keys.Split(key))
			extend(longer)
		}
	}
	extend(nil)
	require.Len(t, joined, 13+13*13+13*13*13)
}

func TestJoinedKeysAreReadable(t *testing.T) {
	require.Equal(t, "R#chris#0", keys.Join("R", "chris", "0"))
	require.Equal(t, `R#a\#b\\c#0`, keys.Join("R", `a#b\c`, "0"))
}

func TestCheckName(t *testing.T) {
	check := func(name string) map[string]error {
		return map[string]error{
			"User":       keys.CheckName("User", name),
			"Actor.Kind": keys.CheckPart("Actor", "Kind", name),
			"Users[1]":   keys.CheckNames("Users", []string{"b", name, "b"}),
			"Members[1]": keys.CheckSet("Members", []string{"b", name}),
		}
	}
	for _, name := range []string{"a", "用户", "a b#c", strings.Repeat("x", 256)} {
		for field, err := range check(name) {
			require.NoError(t, err, field)
		}
	}
	for _, name := range []string{"", strings.Repeat("x", 257), "a\xff"} {
		for field, err := range check(name) {
			requireInvalid(t, err, field)
		}
	}
	requireInvalid(t, keys.CheckSet("To", []string{"b", "a", "b"}), "To[2]")
}

func requireInvalid(t *testing.T, err error, field string) {
	t.Helper()
	var invalid *plaza.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, field, invalid.Field)
	require.ErrorIs(t, err, plaza.ErrInvalid)
}
