package wallclock_test

import (
	"archive/zip"
	"fmt"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/wallclock"
)

var (
	begin = time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC)
	end   = time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
)

// history is a zone and its clock changes from begin to end.
type history struct {
	zone    *time.Location
	changes []change
}

type change struct {
	at time.Time
	by time.Duration // negative if the clock goes back
}

// histories returns the different histories of all zones that Go knows.
func histories(t *testing.T) []history {
	t.Helper()
	all, err := read()
	require.NoError(t, err)
	require.Greater(t, len(all), 100)
	return all
}

var read = sync.OnceValues(func() (all []history, err error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	archive, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = archive.Close() }()
	zones, known := 0, make(map[string]bool)
	for _, file := range archive.File {
		if strings.HasSuffix(file.Name, "/") {
			continue
		}
		if _, err := wallclock.Parse("@daily", file.Name, nil); err != nil {
			return nil, err
		}
		zone, err := time.LoadLocation(file.Name)
		if err != nil {
			return nil, err
		}
		zones++
		h := history{zone, changes(zone)}
		if kind := fmt.Sprint(offset(begin, zone), h.changes); !known[kind] {
			known[kind] = true
			all = append(all, h)
		}
	}
	if zones <= 500 {
		return nil, fmt.Errorf("there are only %d zones", zones)
	}
	return all, nil
})

func offset(at time.Time, zone *time.Location) time.Duration {
	_, seconds := at.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

// changes finds the changes by comparing offsets half a day apart.
func changes(zone *time.Location) (all []change) {
	const step = 12 * time.Hour
	for t := begin; t.Before(end); t = t.Add(step) {
		was, is := offset(t, zone), offset(t.Add(step), zone)
		if was == is {
			continue
		}
		n := sort.Search(int(step/time.Second), func(n int) bool {
			return offset(t.Add(time.Duration(n)*time.Second), zone) != was
		})
		all = append(all, change{t.Add(time.Duration(n) * time.Second), is - was})
	}
	return all
}

// wall returns the UTC time with the figures that the clock of zone shows at at.
func wall(at time.Time, zone *time.Location) time.Time {
	at = at.In(zone)
	return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), time.UTC)
}
