package wallclock

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
)

// maxCron is the longest cron text, in bytes.
const maxCron = 256

// Loader gives a zone by its IANA name, as time.LoadLocation does.
type Loader func(name string) (*time.Location, error)

// Parse takes five cron fields (minute, hour, day, month, day of the week) or
// @hourly, @daily, @weekly, @monthly or @yearly, and the name of an IANA zone,
// where "" is UTC. Anything else is a *plaza.InvalidError that names Cron or Zone,
// also @every, TZ=, the machine's local zone and a schedule that never fires. If
// zones has no zones at all, a well-formed name is plaza.ErrUnavailable. zones
// defaults to the machine's, which are read from disk: keep the Schedule.
func Parse(cron, zone string, zones Loader) (Schedule, error) {
	spec, err := fields(cron)
	if err != nil {
		return Schedule{}, err
	}
	if zones == nil {
		zones = time.LoadLocation
	}
	place, err := location(zone, zones)
	if err != nil {
		return Schedule{}, err
	}
	return Schedule{spec, place}, nil
}

// CheckCron checks a cron as Parse does, without a zone.
func CheckCron(cron string) error {
	_, err := fields(cron)
	return err
}

func fields(text string) (*cron.SpecSchedule, error) {
	refuse := func(reason string) error { return &plaza.InvalidError{Field: "Cron", Reason: reason} }
	if err := args.Count("Cron", len(text), "bytes", maxCron); err != nil {
		return nil, err
	}
	if strings.Contains(text, "=") { // the parser panics on some of these
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
	// The parser accepts "," as a field that matches nothing, and would search every
	// minute of five years for a match.
	if slices.Contains([]uint64{spec.Minute, spec.Hour, spec.Dom, spec.Month, spec.Dow}, 0) {
		return nil, refuse("has an empty field")
	}
	if next(spec, time.Unix(0, 0).UTC()).IsZero() {
		return nil, refuse("never fires")
	}
	return spec, nil
}

// zoneName matches the names that RFC 6557 and the database's theory file allow.
var zoneName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._+-]*(/[A-Za-z][A-Za-z0-9._+-]*)*$`)

func location(name string, load Loader) (*time.Location, error) {
	refuse := func(reason string) error { return &plaza.InvalidError{Field: "Zone", Reason: reason} }
	if name == "Local" || name == "localtime" { // some databases have a file named localtime
		return nil, refuse("differs from machine to machine")
	}
	if name == "" {
		return time.UTC, nil
	}
	if !zoneName.MatchString(name) {
		return nil, refuse("is no name of a zone")
	}
	zone, err := load(name)
	switch {
	case err == nil:
		return zone, nil
	case !anywhere(load):
		return nil, fmt.Errorf("%w: this machine has no zone database", plaza.ErrUnavailable)
	}
	return nil, refuse("is not in this machine's zone database")
}

// anywhere reports whether load knows one of the zones that every database has. UTC
// is not among them: it needs no file.
func anywhere(load Loader) bool {
	for _, name := range []string{"Europe/London", "America/New_York", "Asia/Tokyo"} {
		if _, err := load(name); err == nil {
			return true
		}
	}
	return false
}
