package digest

import (
	"errors"
	"strconv"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/wallclock"
)

// plan is a Schedule with its zone loaded.
type plan struct {
	every  time.Duration
	after  time.Duration
	clock  wallclock.Schedule // if every is 0
	period time.Duration      // of clock, at least
	quiet  bool
	begins wallclock.Schedule // quiet hours
	ends   wallclock.Schedule
	nights bool // they include midnight
	alone  bool // there are digests of them alone
}

// day is longer than a day in any zone.
const day = 50 * time.Hour

func newPlan(s Schedule) (p plan, err error) {
	if err := s.check(); err != nil {
		return plan{}, err
	}
	p = plan{every: s.Every, after: s.After, quiet: s.Quiet != Quiet{}, nights: s.Quiet.From > s.Quiet.To, alone: s.irregular()}
	switch {
	case s.Daily != "":
		p.clock, err = s.Daily.schedule("*", s.Zone)
		p.period = day
	case s.Weekly != "":
		p.clock, err = s.Weekly.schedule(strconv.Itoa(int(s.Day)), s.Zone)
		p.period = 6*24*time.Hour + day
	default:
		_, err = Clock("00:00").schedule("*", s.Zone)
	}
	if err == nil && p.quiet {
		if p.begins, err = s.Quiet.From.schedule("*", s.Zone); err == nil {
			p.ends, err = s.Quiet.To.schedule("*", s.Zone)
		}
	}
	if invalid := (*plaza.InvalidError)(nil); errors.As(err, &invalid) {
		err = &plaza.InvalidError{Field: "Schedule." + invalid.Field, Reason: invalid.Reason}
	}
	return p, err
}

// slot returns the slot of t without After: from ≤ t < to. The digest is due at to. Slots
// follow each other without gaps.
func (p *plan) slot(t time.Time) (from, to time.Time) {
	switch {
	case p.alone && p.isQuiet(t):
		return lastOf(p.begins.Next, t, day), p.wait(t)
	case p.alone:
		return lastOf(p.ends.Next, t, day), p.begins.Next(t)
	}
	last := p.last(t)
	if waits := p.wait(last); waits.After(t) { // t is in quiet hours, and a digest waits for them to end
		begin := lastOf(p.begins.Next, t, day)
		return p.wait(p.last(begin.Add(-time.Millisecond))), waits
	}
	return p.wait(last), p.wait(p.next(t))
}

// isQuiet reports whether t is in quiet hours.
func (p *plan) isQuiet(t time.Time) bool { return p.wait(t).After(t) }

// sends reports whether the slot that begins then has a digest.
func (p *plan) sends(from ids.ID) bool { return !p.alone || p.isQuiet(from.Time()) }

// slotOf returns the slot of an id: from ≤ id < to. With After it ends earlier, and its ids
// are later than their times by the seconds of After: slots of schedules that differ in After
// differ, and dueOf needs no schedule.
func (p *plan) slotOf(id ids.ID) (from, to ids.ID) {
	seconds := ids.ID(p.after / time.Second)
	begin, end := p.slot((id - seconds).Time().Add(p.after))
	return ids.At(begin.Add(-p.after)) + seconds, ids.At(end.Add(-p.after)) + seconds
}

// dueOf returns when the digest of a slot is due.
func dueOf(slot ids.ID) ids.ID {
	at := slot.Time()
	return ids.At(at.Add(time.Duration(slot-ids.At(at)) * time.Second))
}

// wait moves t to the end of the quiet hours if it is in them.
func (p *plan) wait(t time.Time) time.Time {
	if !p.quiet {
		return t
	}
	begin, end := p.begins.Next(t), p.ends.Next(t)
	// If the clock skips both, they are the same moment. If the hours include midnight,
	// the end comes first.
	if end.Before(begin) || end.Equal(begin) && p.nights {
		return end
	}
	return t
}

// next returns the schedule's first time after t, without regard to quiet hours.
func (p *plan) next(t time.Time) time.Time {
	if p.every == 0 {
		return p.clock.Next(t)
	}
	return time.UnixMilli((t.UnixMilli()/p.every.Milliseconds() + 1) * p.every.Milliseconds()).UTC()
}

// last returns the schedule's last time up to t, without regard to quiet hours.
func (p *plan) last(t time.Time) time.Time {
	if p.every == 0 {
		return lastOf(p.clock.Next, t, p.period)
	}
	return time.UnixMilli(t.UnixMilli() / p.every.Milliseconds() * p.every.Milliseconds()).UTC()
}

// lastOf returns the last time up to t at which next fires, which it does about once in
// a period.
func lastOf(next func(time.Time) time.Time, t time.Time, period time.Duration) time.Time {
	last := next(t.Add(-period))
	for ; last.After(t); last = next(t.Add(-period)) {
		period *= 2
	}
	for at := next(last); !at.After(t); at = next(at) {
		last = at
	}
	return last
}
