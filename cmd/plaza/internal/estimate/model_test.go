package estimate

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/meter"
)

func TestNothingCostsMoreThanAtMost(t *testing.T) {
	t.Parallel()
	for _, users := range []int64{2, 100, 10_000, 1e6, 1e8} {
		for _, scale := range []float64{0, 0.01, 1, 30} {
			in := Defaults()
			in.Users, in.Follows, in.Days = users, math.Min(50*scale, float64(users-1)), 1+89*scale
			in.Cached = math.Min(scale, 0.9)
			if in.Follows == 0 {
				in.NewFollows, in.ProfileReads, in.Comments, in.CommentReads, in.Likes, in.Notifications = 0, 0, 0, 0, 0, 0
			}
			e, err := Of(in, meter.USEast1())
			require.NoError(t, err)
			for _, c := range e.Calls {
				assert.LessOrEqual(t, c.Expected.Requests, c.AtMost.Requests*(1+1e-9), "%s of %d users", c.Operation, users)
				assert.LessOrEqual(t, c.Dollars, c.DollarsAtMost*(1+1e-9), "%s of %d users", c.Operation, users)
				assert.False(t, math.IsNaN(c.Dollars) || c.Dollars < 0, c.Operation)
			}
			require.False(t, math.IsNaN(e.Dollars))
		}
	}
}

func TestTenTimesTheUsersCostTenTimesAsMuch(t *testing.T) {
	t.Parallel()
	small, large := Defaults(), Defaults()
	small.Users, small.Zipf = 1e6, 0
	large.Users, large.Zipf = 1e7, 0
	a, err := Of(small, meter.USEast1())
	require.NoError(t, err)
	b, err := Of(large, meter.USEast1())
	require.NoError(t, err)
	require.InEpsilon(t, 10*a.Dollars, b.Dollars, 0.01)
	require.InEpsilon(t, 10*a.Total.Read, b.Total.Read, 0.01)
}

func TestHotKeysHaveAdvice(t *testing.T) {
	t.Parallel()
	in := Defaults()
	in.Users, in.Zipf, in.NewFollows, in.Likes, in.Posts = 1e9, 0.9, 5, 50, 1
	advice := func() map[string]string {
		e, err := Of(in, meter.USEast1())
		require.NoError(t, err)
		all := map[string]string{}
		for _, k := range e.Keys {
			require.Equal(t, k.Write > MaxWrite || k.Read > MaxRead, k.Advice != "", k.Key)
			all[k.Table+" "+k.Key] = k.Advice
		}
		return all
	}
	first := advice()
	require.Equal(t, "no option spreads it", first["follow C# of the most followed"])
	require.Regexp(t, `^follow\.Options\.Shards ≥ \d+$`, first["follow R# of the most followed"])
	in.FollowShards = 64
	require.NotContains(t, advice(), "follow R# of the most followed", "with shards it is cool")
	in.JobShards = 64
	require.Equal(t, "64 shards are not enough", advice()["feed J# of a job shard"])
}

func TestInputIsChecked(t *testing.T) {
	t.Parallel()
	for field, spoil := range map[string]func(*Input){
		"users":         func(in *Input) { in.Users = 1 },
		"zipf":          func(in *Input) { in.Zipf = -1 },
		"peak":          func(in *Input) { in.Peak = math.NaN() },
		"homeReads":     func(in *Input) { in.HomeReads = math.Inf(1) },
		"cached":        func(in *Input) { in.Cached = 1.5 },
		"jobShards":     func(in *Input) { in.JobShards = 65 },
		"follows":       func(in *Input) { in.Users = 20 },
		"posts":         func(in *Input) { in.Posts = 0 },
		"videos":        func(in *Input) { in.Videos = 0 },
		"conversations": func(in *Input) { in.Conversations = 0 },
	} {
		in := Defaults()
		spoil(&in)
		_, err := Of(in, meter.USEast1())
		var invalid *plaza.InvalidError
		require.ErrorAs(t, err, &invalid, field)
		require.Equal(t, field, invalid.Field)
	}
}

func TestTheOutputIsNarrow(t *testing.T) {
	t.Parallel()
	in := Defaults()
	in.Users, in.Follows, in.Zipf, in.HomeReads, in.Posts = 1e12, 1e5, 1, 1e5, 1e4
	e, err := Of(in, meter.USEast1())
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, e.Print(&out, meter.USEast1()))
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(line)-1, columns, line)
	}
}

func TestNumbersAreShort(t *testing.T) {
	t.Parallel()
	for n, want := range map[float64]string{
		0: "0", 1e-9: "<0.001", 0.0012: "0.001", 0.5: "0.5", 1: "1", 9.994: "9.99", 99.94: "99.9", 999.4: "999", 999.6: "1k",
		1234: "1.23k", 1e6: "1M", 123_456_789: "123M", 2.5e12: "2.5T", 1e21: "1000E",
	} {
		require.Equal(t, want, short(n))
	}
	require.Equal(t, "1,234,567.5", thousands(1234567.5))
	require.Equal(t, "new-follows", flagName("NewFollows"))
}

func TestReadsOfAShardedKeyAreNotSpread(t *testing.T) {
	t.Parallel()
	in := Defaults()
	in.Users, in.LikeShards = 1e9, 64
	m := newModel(in, zipf(in.Users, in.Follows, in.Zipf))
	_, read := m.hottestOf("reaction")
	require.Equal(t, "no option spreads it; cache it", m.second(read).Advice)
}

func TestARequestDeliversTo25Followers(t *testing.T) {
	t.Parallel()
	for followers, requests := range map[float64]float64{0: 0, 1: 2, 25: 2, 26: 3, 1000: 41, 1001: 43} {
		require.InDelta(t, requests, deliver(followers).Requests, 0, "%g followers, read by 1,000", followers)
	}
}
