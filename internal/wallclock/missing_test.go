package wallclock_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/wallclock"
)

func TestAMachineWithoutZonesIsUnavailable(t *testing.T) {
	t.Parallel()
	none := func(string) (*time.Location, error) { return nil, errors.New("no such file") }
	for _, zone := range []string{"Europe/London", "Asia/Shanghai", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "EST5EDT", "America/Port-au-Prince", "Mars/Olympus_Mons"} {
		_, err := wallclock.Parse("@daily", zone, none)
		require.ErrorIs(t, err, plaza.ErrUnavailable, zone)
		require.NotErrorIs(t, err, plaza.ErrInvalid, zone)
	}
	for _, zone := range []string{"../zone", "/etc/zone", "Europe/", "Europe//London", "+01:00", "Local", "localtime", "Europe/../London", `Europe\London`, "\x00"} {
		_, err := wallclock.Parse("@daily", zone, none)
		require.ErrorIs(t, err, plaza.ErrInvalid, zone)
	}
	_, err := wallclock.Parse("@daily", "", none)
	require.NoError(t, err, "UTC needs no files")
}

// TestAZoneThatOneMachineLacksIsInvalid has all zones but one.
func TestAZoneThatOneMachineLacksIsInvalid(t *testing.T) {
	t.Parallel()
	for _, missing := range []string{"Asia/Shanghai", "Europe/London"} {
		_, err := wallclock.Parse("@daily", missing, func(name string) (*time.Location, error) {
			if name == missing {
				return nil, errors.New("no such file")
			}
			return time.LoadLocation(name)
		})
		require.ErrorIs(t, err, plaza.ErrInvalid, missing)
	}
}

func TestCheckCronAsksNoZone(t *testing.T) {
	t.Parallel()
	require.NoError(t, wallclock.CheckCron("30 2 * * *"))
	require.ErrorIs(t, wallclock.CheckCron("61 * * * *"), plaza.ErrInvalid)
}
