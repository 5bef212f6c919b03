package keys_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
)

func TestCheckIDAndCheckNewID(t *testing.T) {
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

func TestOlderIsRemovedUnlessClocksMayBeTheReason(t *testing.T) {
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	end := ids.At(now.Add(9 * time.Second))
	for id, want := range map[ids.ID]time.Duration{
		end:                                   -1,
		end - 1:                               9*time.Second + time.Millisecond,
		ids.At(now.Add(-time.Second)):         9*time.Second + time.Millisecond,
		ids.At(now.Add(-time.Second)) - 1<<22: -1,
	} {
		err := keys.Older(id, end, now)
		require.ErrorIs(t, err, plaza.ErrRemoved)
		older := &plaza.OlderError{RetryAfter: -1}
		errors.As(err, &older)
		require.Equal(t, want, older.RetryAfter)
	}
	require.Equal(t, &plaza.OlderError{}, keys.Older(end-1, end, now.Add(time.Minute)))
}
