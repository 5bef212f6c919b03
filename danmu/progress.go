package danmu

import (
	"math"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
)

// MaxProgress is the last moment that a comment can have, after some 49 days.
const MaxProgress = math.MaxUint32 * time.Millisecond

// Seconds converts a playing time in seconds, as players and files have it,
// rounded to the millisecond. A number that is not finite, negative or above
// MaxProgress is a plaza.InvalidError of the field Progress.
func Seconds(s float64) (time.Duration, error) {
	if math.IsNaN(s) || math.IsInf(s, 0) {
		return 0, &plaza.InvalidError{Field: "Progress", Reason: "is not a finite number"}
	}
	ms := math.Round(s * 1000)
	if s < 0 || ms > math.MaxUint32 {
		return 0, args.Between("Progress", s, 0, MaxProgress.Seconds())
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// parseMilliseconds reads a playing time from JSON.
func parseMilliseconds(field string, ms int64) (time.Duration, error) {
	if err := args.Between(field, ms, 0, MaxProgress.Milliseconds()); err != nil {
		return 0, err
	}
	return time.Duration(ms) * time.Millisecond, nil
}

func checkProgress(at, most time.Duration) error { return args.Between("Progress", at, 0, most) }

// whole truncates to milliseconds. A negative duration stays negative.
func whole(d time.Duration) time.Duration {
	if d < 0 {
		return d
	}
	return d.Truncate(time.Millisecond)
}

// ceil rounds up to milliseconds. All durations past MaxProgress give the same value.
func ceil(d time.Duration) time.Duration {
	whole := min(d, MaxProgress+1).Truncate(time.Millisecond)
	if whole < d {
		whole += time.Millisecond
	}
	return whole
}
