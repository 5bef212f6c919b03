package digest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/wallclock"
)

// Schedule says when the digests of a user's channel are due. Set one of Every, Daily
// and Weekly. If none is set, Quiet alone holds back what you send at once, such as pushes: what
// comes in the quiet hours is a digest at their end. Without Quiet there are no digests.
//
// If the user's clock skips a time, the digest is due at the change of the clock. If
// the clock shows a time twice, the digest is due at the first.
type Schedule struct {
	// Every is the time between two digests: 1 minute to 24 hours, in whole seconds,
	// counted from midnight UTC of 1970-01-01.
	Every time.Duration

	Daily  Clock        // once a day at this time
	Weekly Clock        // once a week at this time
	Day    time.Weekday // of Weekly; Sunday is 0

	// After is how long a group must have been unread for a digest: a slot ends that long
	// before its digest is due. 0 to 7 days, in whole seconds. With Every of a minute and After
	// of an hour, a mail comes of what was unread for an hour. Defaults to 0.
	After time.Duration

	// Zone is the name of the user's time zone, such as "Europe/Berlin". Defaults to
	// UTC.
	Zone string

	// Quiet is a time of day without digests. Defaults to none.
	Quiet Quiet
}

// Clock is a time of day as the user's clock shows it, "00:00" to "23:59".
type Clock string

// Quiet is the time from From until To on the user's clock, which may include midnight.
// A digest that would be due in between is due at To.
type Quiet struct {
	From Clock `json:"from"`
	To   Clock `json:"to"`
}

const (
	minEvery = time.Minute
	maxEvery = 24 * time.Hour
	maxAfter = 7 * 24 * time.Hour
)

// Validate returns a *plaza.InvalidError that names the invalid field. If the machine
// has no zone database and Zone is set, the error is plaza.ErrUnavailable.
func (s Schedule) Validate() error {
	_, err := newPlan(s)
	return err
}

// QuietUntil returns the end of the quiet hours that at lies in, and zero if it lies in none.
// Before you push what Notify stored, ask with the time of its Result.Last: if that is in the quiet
// hours, leave it to the digest. The errors are those of Validate.
func (s Schedule) QuietUntil(at time.Time) (until time.Time, err error) {
	p, err := newPlan(s)
	if err != nil || !p.isQuiet(at) {
		return time.Time{}, err
	}
	return p.wait(at), nil
}

// irregular reports whether there are no digests but those of quiet hours.
func (s Schedule) irregular() bool { return s.Every == 0 && s.Daily == "" && s.Weekly == "" }

// none reports whether there are no digests.
func (s Schedule) none() bool { return s.irregular() && s.Quiet == Quiet{} }

// check checks everything but the zone.
func (s Schedule) check() error {
	refuse := func(field, reason string) error {
		return &plaza.InvalidError{Field: "Schedule." + field, Reason: reason}
	}
	if s.Every != 0 {
		err := cmp.Or(
			args.Between("Schedule.Every", s.Every, minEvery, maxEvery),
			args.Whole("Schedule.Every", s.Every, time.Second),
		)
		if err != nil {
			return err
		}
	}
	err := cmp.Or(
		args.Between("Schedule.After", s.After, 0, maxAfter),
		args.Whole("Schedule.After", s.After, time.Second),
	)
	if err != nil {
		return err
	}
	switch {
	case s.Every != 0 && s.Daily != "":
		return refuse("Daily", "is set beside Every")
	case s.Weekly != "" && (s.Every != 0 || s.Daily != ""):
		return refuse("Weekly", "is set beside Every or Daily")
	case s.Day < time.Sunday || s.Day > time.Saturday:
		return refuse("Day", "is no day of the week")
	case s.Day != time.Sunday && s.Weekly == "":
		return refuse("Day", "is set without Weekly")
	case s.After != 0 && s.irregular():
		return refuse("After", "is set without Every, Daily or Weekly")
	case s.Quiet != Quiet{} && s.Quiet.From == s.Quiet.To:
		return refuse("Quiet", "leaves no time for a digest")
	}
	for _, c := range []struct {
		field    string
		clock    Clock
		optional bool
	}{
		{"Daily", s.Daily, true},
		{"Weekly", s.Weekly, true},
		{"Quiet.From", s.Quiet.From, s.Quiet == Quiet{}},
		{"Quiet.To", s.Quiet.To, s.Quiet == Quiet{}},
	} {
		if !(c.optional && c.clock == "") && !clockText.MatchString(string(c.clock)) {
			return refuse(c.field, `is no time of day, such as "08:00"`)
		}
	}
	return nil
}

var clockText = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)

// schedule returns a schedule for the time of day, on the days of a cron field.
func (c Clock) schedule(days, zone string) (wallclock.Schedule, error) {
	return wallclock.Parse(fmt.Sprintf("%s %s * * %s", c[3:], c[:2], days), zone, nil)
}

// scheduleJSON is a Schedule as JSON has it: {"daily": "08:00", "zone": "Europe/Berlin"}.
type scheduleJSON struct {
	Every  string        `json:"every,omitzero"`
	After  string        `json:"after,omitzero"`
	Daily  Clock         `json:"daily,omitzero"`
	Weekly Clock         `json:"weekly,omitzero"`
	Day    *time.Weekday `json:"day,omitempty"` // 0 is Sunday
	Zone   string        `json:"zone,omitzero"`
	Quiet  Quiet         `json:"quiet,omitzero"`
}

// MarshalJSON writes Every and After as text such as "5m0s".
func (s Schedule) MarshalJSON() ([]byte, error) {
	j := scheduleJSON{Daily: s.Daily, Weekly: s.Weekly, Zone: s.Zone, Quiet: s.Quiet}
	if s.Every != 0 {
		j.Every = s.Every.String()
	}
	if s.After != 0 {
		j.After = s.After.String()
	}
	if s.Weekly != "" {
		j.Day = &s.Day
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON writes. It does not validate it.
func (s *Schedule) UnmarshalJSON(data []byte) error {
	var j scheduleJSON
	if err := jsontext.Unmarshal(data, &j); err != nil {
		return err
	}
	*s = Schedule{Daily: j.Daily, Weekly: j.Weekly, Zone: j.Zone, Quiet: j.Quiet}
	if j.Day != nil {
		s.Day = *j.Day
	}
	for field, d := range map[string]struct {
		text string
		to   *time.Duration
	}{"Every": {j.Every, &s.Every}, "After": {j.After, &s.After}} {
		var err error
		if d.text == "" {
			continue
		}
		if *d.to, err = time.ParseDuration(d.text); err != nil {
			return &plaza.InvalidError{Field: "Schedule." + field, Reason: "is not a duration"}
		}
	}
	return nil
}
