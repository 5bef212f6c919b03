package leaderboard

import (
	"time"

	"github.com/plaza-sdk/plaza/internal/keys"
)

// period is a board's time from one reset to the next.
type period struct {
	start, end time.Time // end is zero if the period never ends
	grace      time.Duration
	shards     int // readers read all of them
	before     int // until from, new entries go only to this many
	from       time.Time
	ttl        int64 // 0 means never
}

// periodLayout formats a period's start, in whole seconds of UTC.
const periodLayout = "20060102T150405Z"

func (p period) name() string { return p.start.UTC().Format(periodLayout) }

func (p period) covers(t time.Time) bool {
	return !t.Before(p.start) && (p.end.IsZero() || t.Before(p.end))
}

// closed reports whether the period accepts no more submissions.
func (p period) closed(now time.Time) bool {
	return !p.end.IsZero() && !now.Before(p.end.Add(p.grace))
}

// spread returns how many shards new entries go to.
func (p period) spread(now time.Time) int {
	if now.Before(p.from) {
		return p.before
	}
	return p.shards
}

// parsePeriod returns the start of a period from its name.
func parsePeriod(name string) (start time.Time, ok bool) {
	start, err := time.Parse(periodLayout, name)
	return start, err == nil && period{start: start}.name() == name
}

func (p period) expired(now time.Time) bool { return p.ttl != 0 && p.ttl <= now.Unix() }

// due returns when the period is due. Zero means never.
func (p period) due() time.Time {
	if p.end.IsZero() {
		return p.end
	}
	return p.end.Add(p.grace + settleEnd)
}

// dueText returns a time as text, rounded up to a second. Texts sort as times do.
func dueText(t time.Time) string { return period{start: t.Add(time.Second - 1)}.name() }

// settleEnd is how long after a period closes its standings become final: a process
// whose clock is behind may still accept scores, and the last ones must reach the index.
const settleEnd = keys.MaxAhead + 10*time.Second
