package danmu

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/plaza-sdk/plaza"
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
		return 0, progressError(strconv.FormatFloat(s, 'f', -1, 64), MaxProgress)
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// parseMilliseconds reads a playing time from JSON.
func parseMilliseconds(field string, ms int64) (time.Duration, error) {
	if ms < 0 || ms > MaxProgress.Milliseconds() {
		return 0, &plaza.InvalidError{Field: field, Reason: fmt.Sprintf("is %d ms, 0 to %d are allowed", ms, MaxProgress.Milliseconds())}
	}
	return time.Duration(ms) * time.Millisecond, nil
}

func checkProgress(at, most time.Duration) error {
	if at < 0 || at > most {
		return progressError(decimal(at), most)
	}
	return nil
}

func progressError(s string, most time.Duration) error {
	return &plaza.InvalidError{Field: "Progress", Reason: fmt.Sprintf("is %s s, 0 to %s are allowed", s, decimal(most))}
}

// decimal formats a playing time in seconds, exact to the millisecond.
func decimal(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Milliseconds())/1000, 'f', -1, 64)
}

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
