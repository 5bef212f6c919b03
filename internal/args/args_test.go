package args_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
)

func TestBoundsAreAllowedAndWhatIsBeyondIsRefused(t *testing.T) {
	for name, check := range map[string]func(n int) error{
		"between": func(n int) error { return args.Between("Field", n, 3, 5) },
		"one of default": func(n int) error {
			return args.Default("Field", &n, 4, 3, 5)
		},
		"at both ends": func(n int) error {
			if err := args.AtLeast("Field", n, 3); err != nil {
				return err
			}
			return args.AtMost("Field", n, 5)
		},
		"a count": func(n int) error {
			if err := args.DefaultAtLeast("Field", &n, 4, 3); err != nil {
				return err
			}
			return args.Count("Field", n, "ids", 5)
		},
	} {
		for _, n := range []int{3, 4, 5} {
			require.NoError(t, check(n), "%s: %d", name, n)
		}
		for _, n := range []int{-1, 2, 6} {
			requireRefused(t, check(n))
		}
	}
}

func TestWholeAllowsMultiples(t *testing.T) {
	for _, d := range []time.Duration{0, time.Millisecond, time.Hour} {
		require.NoError(t, args.Whole("Field", d, time.Millisecond))
	}
	for _, d := range []time.Duration{1, time.Second + 1, -time.Microsecond} {
		requireRefused(t, args.Whole("Field", d, time.Millisecond))
	}
}

func TestZeroIsTheDefault(t *testing.T) {
	var wait, pause time.Duration
	require.NoError(t, args.Default("Field", &wait, time.Second, 1, time.Minute))
	require.NoError(t, args.DefaultAtLeast("Field", &pause, time.Second, 1))
	require.Equal(t, []time.Duration{time.Second, time.Second}, []time.Duration{wait, pause})

	wait, pause = time.Hour, time.Hour
	requireRefused(t, args.Default("Field", &wait, time.Second, 1, time.Minute))
	require.NoError(t, args.DefaultAtLeast("Field", &pause, time.Second, 1))
	require.Equal(t, []time.Duration{time.Hour, time.Hour}, []time.Duration{wait, pause})
}

func TestOptionsAreCopied(t *testing.T) {
	type options struct{ n int }
	require.Zero(t, args.Given[options](nil))
	given := options{n: 1}
	o := args.Given(&given)
	o.n = 2
	require.Equal(t, options{n: 1}, given)
}

// requireRefused requires an error that names the field.
func requireRefused(t *testing.T, err error) {
	t.Helper()
	var invalid *plaza.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "Field", invalid.Field)
}
