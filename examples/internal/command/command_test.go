package command

import (
	"bytes"
	"flag"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFlagsAreReadOrRefused(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		n    int
		done bool
		err  string
	}{
		"none":             {nil, 1, false, ""},
		"a flag":           {[]string{"-n", "7"}, 7, false, ""},
		"help":             {[]string{"-h"}, 1, true, ""},
		"another argument": {[]string{"x"}, 1, false, `"x"`},
		"another flag":     {[]string{"-m"}, 1, false, "-m"},
		"no number":        {[]string{"-n", "x"}, 1, false, "-n"},
	} {
		var out bytes.Buffer
		flags := flag.NewFlagSet("test", flag.ContinueOnError)
		n := flags.Int("n", 1, "a number")
		done, err := Parse(flags, c.args, &out)
		require.Equal(t, c.done, done, name)
		require.Equal(t, c.done, bytes.Contains(out.Bytes(), []byte("a number")), "only help is printed")
		if c.err != "" {
			require.ErrorContains(t, err, c.err, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, c.n, *n, name)
	}
}
