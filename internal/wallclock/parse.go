package wallclock

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/plaza-sdk/plaza"
)

// maxCron is the longest cron text, in bytes.
const maxCron = 256

// Parse takes five cron fields (minute, hour, day, month, day of the week) or
// @hourly, @daily, @weekly, @monthly or @yearly, and the name of an IANA zone,
// "" being UTC. It returns a *plaza.InvalidError that names Cron or Zone for
// anything else, also for @every, TZ=, the machine's local zone and what never
// fires. It reads the zone from disk: keep the Schedule.
func Parse(cron, zone string) (Schedule, error) {
	spec, err := fields(cron)
	if err != nil {
		return Schedule{}, err
	}
	place, err := location(zone)
	if err != nil {
		return Schedule{}, err
	}
	return Schedule{spec, place}, nil
}

func fields(text string) (*cron.SpecSchedule, error) {
	refuse := func(reason string) error { return &plaza.InvalidError{Field: "Cron", Reason: reason} }
	if len(text) > maxCron {
		return nil, refuse(fmt.Sprintf("is %d bytes long, at most %d are allowed", len(text), maxCron))
	}
	if strings.Contains(text, "=") { // the parser panics at some
		return nil, refuse("has a zone of its own")
	}
	parsed, err := cron.ParseStandard(text)
	if err != nil {
		return nil, refuse("is no schedule: " + err.Error())
	}
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return nil, refuse("is an interval: it names no time of the wall clock")
	}
	// The parser takes "," for a field that matches nothing, and would look
	// for it through every minute of five years.
	if slices.Contains([]uint64{spec.Minute, spec.Hour, spec.Dom, spec.Month, spec.Dow}, 0) {
		return nil, refuse("has an empty field")
	}
	if next(spec, time.Unix(0, 0).UTC()).IsZero() {
		return nil, refuse("never fires")
	}
	return spec, nil
}

func location(name string) (*time.Location, error) {
	refuse := func(reason string) error { return &plaza.InvalidError{Field: "Zone", Reason: reason} }
	if name == "Local" || name == "localtime" { // localtime is a file of some databases
		return nil, refuse("is another one on each machine")
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, refuse("is not in this machine's zone database")
	}
	return zone, nil
}
