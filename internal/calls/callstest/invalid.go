package callstest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
)

// Invalid is the error of a call with invalid input, and the field that it must name.
type Invalid interface {
	~struct {
		Field string
		Err   error
	}
}

// RequireInvalid fails unless all the errors are of plaza.ErrInvalid and name their fields.
func RequireInvalid[I Invalid](t testing.TB, of map[string]I) {
	t.Helper()
	for name, c := range of {
		c := struct {
			Field string
			Err   error
		}(c)
		require.ErrorIs(t, c.Err, plaza.ErrInvalid, name)
		var invalid *plaza.InvalidError
		require.ErrorAs(t, c.Err, &invalid, name)
		require.Equal(t, c.Field, invalid.Field, name)
	}
}
