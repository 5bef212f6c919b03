package ids_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
)

func TestBackdatedIDsAreOrderedByTheirTimeAndTheSameEachTime(t *testing.T) {
	last := ids.ID(0)
	for _, year := range []int{2000, 2006, 2019, 2025, 2069} {
		at := time.Date(year, 3, 2, 1, 2, 3, 4_999_999, time.FixedZone("", 3600))
		id, err := ids.Backdate(at, "jack/post/10")
		require.NoError(t, err)
		again, err := ids.Backdate(at, "jack/post/10")
		require.NoError(t, err)
		other, err := ids.Backdate(at, "jill/post/10")
		require.NoError(t, err)
		require.Equal(t, id, again)
		require.NotEqual(t, id, other)
		require.Greater(t, id, last)
		require.Equal(t, at.UTC().Truncate(time.Millisecond), id.Time())
		last = id
	}
}

// Lines are only added, so that an import that is repeated years later finds the
// same ids.
func TestBackdatedIDsStayTheSame(t *testing.T) {
	for _, line := range lines(t, "backdate.txt") {
		f := strings.Fields(line)
		at, err := time.Parse(time.RFC3339Nano, f[0])
		require.NoError(t, err)
		id, err := ids.Backdate(at, f[1])
		require.NoError(t, err)
		require.Equal(t, f[2], id.String(), line)
	}
}

func TestTimesOutOfRangeAreRefused(t *testing.T) {
	for _, at := range []time.Time{
		{}, epoch.Add(-1), maxID.Time().Add(time.Millisecond), time.Unix(1<<60, 0), time.Unix(-1<<60, 0),
	} {
		id, err := ids.Backdate(at, "key")
		require.ErrorIs(t, err, plaza.ErrInvalid, "%v", at)
		require.Zero(t, id)
	}
	_, err := ids.Backdate(epoch, "")
	require.ErrorIs(t, err, plaza.ErrInvalid)
	for _, at := range []time.Time{epoch, maxID.Time()} {
		for _, key := range []string{"key", "jack/post/869341"} { // the hash of the second begins with 22 zeros
			id, err := ids.Backdate(at, key)
			require.NoError(t, err)
			require.NotZero(t, id)
		}
	}
}

func TestFewIDsOfOneMillisecondCollide(t *testing.T) {
	at, seen := time.Date(2010, 5, 5, 0, 0, 0, 0, time.UTC), map[ids.ID]bool{}
	for i := range 5000 {
		id, err := ids.Backdate(at, fmt.Sprintf("jack/post/%d", i))
		require.NoError(t, err)
		seen[id] = true
	}
	require.Greater(t, len(seen), 4980)
}
