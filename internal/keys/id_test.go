package keys_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
)

func TestCheckIDAndCheckNewID(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		id       ids.ID
		is, born bool // whether it is an id, and whether a new item may have it
	}{
		"zero":                  {0, false, false},
		"the smallest":          {1, true, true},
		"now":                   {ids.At(now), true, true},
		"10 s ahead":            {ids.At(now.Add(10 * time.Second)), true, true},
		"a millisecond more":    {ids.At(now.Add(10*time.Second + time.Millisecond)), true, false},
		"the greatest":          {1<<63 - 1, true, false},
		"one of more than that": {1 << 63, false, false},
	} {
		for _, got := range []struct {
			err error
			ok  bool
		}{{keys.CheckID("Edge", c.id), c.is}, {keys.CheckNewID("Edge", c.id, now), c.born}} {
			if got.ok {
				require.NoError(t, got.err, name)
				continue
			}
			var invalid *plaza.InvalidError
			require.ErrorAs(t, got.err, &invalid, name)
			require.Equal(t, "Edge", invalid.Field)
		}
	}
}
