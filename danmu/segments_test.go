package danmu

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const lastSegment = int(MaxProgress / minSegment)

func TestSegmentsArePackedTightly(t *testing.T) {
	t.Parallel()
	every := func(n, of int) (numbers []int) {
		for i := 0; i <= lastSegment && len(numbers) < n; i += of {
			numbers = append(numbers, i)
		}
		return numbers
	}
	random := rand.New(rand.NewPCG(1, 1))
	var scattered []int
	for i := range lastSegment + 1 {
		if random.IntN(3) == 0 {
			scattered = append(scattered, i)
		}
	}
	const bitmap = 2 + (lastSegment)/8
	for name, c := range map[string]struct {
		numbers []int
		most    int // bytes
	}{
		"none":                        {nil, 0},
		"a film":                      {every(20, 1), 3},
		"the last":                    {[]int{lastSegment}, 5},
		"12,000":                      {every(12_000, 1), 4},
		"12,000, every other":         {every(12_000, 2), 2 + 24_000/8},
		"all":                         {every(lastSegment+1, 1), 5},
		"every other":                 {every(lastSegment+1, 2), bitmap},
		"a third":                     {scattered, bitmap},
		"all that the default allows": {every(int(MaxProgress/defaultSegment)/2, 2), 2 + int(MaxProgress/defaultSegment)/8},
	} {
		packed := packSegments(c.numbers)
		require.LessOrEqual(t, len(packed), c.most, name)
		got, err := unpackSegments(packed, lastSegment)
		require.NoError(t, err, name)
		require.Equal(t, c.numbers, got, name)
	}
}

func FuzzSegments(f *testing.F) {
	for _, numbers := range [][]int{{0}, {1, 2, 5}, {lastSegment}, {0, 2, 4, 6, 8, 10, 12, 14, 16}} {
		f.Add(packSegments(numbers))
	}
	for _, packed := range []string{"", "x", "r", "r\x80", "r\x01", "r\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01", "r\x00\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "b", "b\x00", "b\xff\xff"} {
		f.Add([]byte(packed))
	}
	f.Fuzz(func(t *testing.T, packed []byte) {
		got, err := unpackSegments(packed, lastSegment)
		if err != nil {
			require.Empty(t, got)
			return
		}
		require.True(t, slices.IsSorted(got))
		require.Equal(t, slices.Compact(slices.Clone(got)), got)
		require.LessOrEqual(t, len(got), lastSegment+1)
		if len(got) > 0 {
			require.GreaterOrEqual(t, got[0], 0)
			require.LessOrEqual(t, got[len(got)-1], lastSegment)
		}
		again, err := unpackSegments(packSegments(got), lastSegment)
		require.NoError(t, err)
		require.Equal(t, len(got), len(again))
	})
}

func TestInvalidSegmentsAreRefused(t *testing.T) {
	t.Parallel()
	for _, packed := range []string{"x", "r\x80", "r\x01", "r\x01\x80", "r\x0b\x00", "r\x05\x06", "r\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01", "r\x00\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "b\x00\x08", "b\x00\x00\x00"} {
		_, err := unpackSegments([]byte(packed), 10)
		require.Error(t, err, "%q", packed)
	}
	got, err := unpackSegments([]byte("r\x05\x05"), 10)
	require.NoError(t, err)
	require.Equal(t, []int{5, 6, 7, 8, 9, 10}, got)
	got, err = unpackSegments([]byte("b\x00\x04"), 10)
	require.NoError(t, err)
	require.Equal(t, []int{10}, got)
}

// sentAt keeps the order of times, and makes different ids for equal times.
func TestSentAtKeepsTheOrderOfTimes(t *testing.T) {
	t.Parallel()
	times := []time.Time{
		{}, time.Unix(0, 0), time.Date(1970, 1, 1, 0, 0, 0, 1e6, time.UTC), time.Date(1999, 12, 31, 23, 59, 59, 999e6, time.UTC),
		time.Date(2000, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(2000, 1, 2, 0, 0, 0, 1e6, time.UTC),
		time.Date(2006, 12, 12, 0, 0, 0, 0, time.UTC), time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2069, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	for i, at := range times[2:] {
		require.Less(t, sentAt(times[i+1], 1<<63-1), sentAt(at, 0), "%v", at)
		require.NotEqual(t, sentAt(at, 1), sentAt(at, 2))
	}
	for _, at := range times[4:] {
		require.Equal(t, at, sentAt(at, 1<<22-1).Time(), "since 2000 it is the time itself")
	}
	require.NotZero(t, sentAt(time.Time{}, 0))
	require.Equal(t, "2000-01-01", sentAt(time.Date(2000, 1, 1, 12, 0, 0, 0, time.UTC), 0).Time().Format(time.DateOnly))
	require.Equal(t, "2000-01-01", sentAt(times[3], 1<<63-1).Time().Format(time.DateOnly))
}
