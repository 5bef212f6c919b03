package danmu_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

// field is what an InvalidError names.
func field(t testing.TB, err error) string {
	t.Helper()
	var invalid *plaza.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.ErrorIs(t, err, plaza.ErrInvalid)
	return invalid.Field
}

func TestBadInputReachesNoTable(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, &danmu.Options{Colors: []danmu.Color{danmu.RGB(0xFF0000)}}, meter.Wrap)
	w.configure(t, "short", danmu.Settings{Duration: time.Minute})
	w.send(t, danmu.Comment{Object: "short"})
	id := w.at(t, 1).ID
	ctx, long := t.Context(), strings.Repeat("x", 257)

	good := danmu.Comment{Object: "short", User: "ann", Text: "haha", Progress: time.Second}
	sends := func(change func(*danmu.Comment)) func() error {
		return func() error {
			c := good
			change(&c)
			_, _, err := w.Send(ctx, c)
			return err
		}
	}
	extra := func(text string) func() error {
		return sends(func(c *danmu.Comment) { c.Extra = json.RawMessage(text) })
	}
	configures := func(s danmu.Settings) func() error {
		return func() error { _, err := w.Configure(ctx, "short", s); return err }
	}
	reads := func(object string, from, to time.Duration, opts *danmu.WindowOptions) func() error {
		return func() error { _, err := w.Window(ctx, object, from, to, opts); return err }
	}
	tests := map[string]struct {
		field string
		call  func() error
	}{
		"no object":            {"Object", sends(func(c *danmu.Comment) { c.Object = "" })},
		"long object":          {"Object", sends(func(c *danmu.Comment) { c.Object = long })},
		"no user":              {"User", sends(func(c *danmu.Comment) { c.User = "" })},
		"long key":             {"Key", sends(func(c *danmu.Comment) { c.Key = long })},
		"key not UTF-8":        {"Key", sends(func(c *danmu.Comment) { c.Key = "\xff" })},
		"negative":             {"Progress", sends(func(c *danmu.Comment) { c.Progress = -time.Millisecond })},
		"a little negative":    {"Progress", sends(func(c *danmu.Comment) { c.Progress = -1 })},
		"beyond the duration":  {"Progress", sends(func(c *danmu.Comment) { c.Progress = time.Minute + time.Millisecond })},
		"beyond all":           {"Progress", sends(func(c *danmu.Comment) { c.Object, c.Progress = "v", danmu.MaxProgress+time.Millisecond })},
		"far beyond all":       {"Progress", sends(func(c *danmu.Comment) { c.Object, c.Progress = "v", math.MaxInt64 })},
		"another's ID":         {"ID", sends(func(c *danmu.Comment) { c.ID, c.Progress = id, 2*time.Second })},
		"ID and another Key":   {"ID", sends(func(c *danmu.Comment) { c.ID, c.Key = id, "1" })},
		"no text":              {"Text", sends(func(c *danmu.Comment) { c.Text = "" })},
		"blank text":           {"Text", sends(func(c *danmu.Comment) { c.Text = " \t\n　" })},
		"101 runes":            {"Text", sends(func(c *danmu.Comment) { c.Text = strings.Repeat("弾", 101) })},
		"text not UTF-8":       {"Text", sends(func(c *danmu.Comment) { c.Text = "a\xff" })},
		"unknown mode":         {"Mode", sends(func(c *danmu.Comment) { c.Mode = 3 })},
		"mode not allowed":     {"Mode", sends(func(c *danmu.Comment) { c.Mode = danmu.Code })},
		"color not allowed":    {"Color", sends(func(c *danmu.Comment) { c.Color = danmu.RGB(0xFF00) })},
		"no color":             {"Color", sends(func(c *danmu.Comment) { c.Color = 0xFF0000 })},
		"color of 25 bits":     {"Color", sends(func(c *danmu.Comment) { c.Color = danmu.RGB(0xFF0000) | 1<<25 })},
		"small":                {"Size", sends(func(c *danmu.Comment) { c.Size = 11 })},
		"large":                {"Size", sends(func(c *danmu.Comment) { c.Size = 65 })},
		"negative size":        {"Size", sends(func(c *danmu.Comment) { c.Size = -1 })},
		"extra is no object":   {"Extra", extra(`[1]`)},
		"extra is no JSON":     {"Extra", extra(`{`)},
		"extra is not UTF-8":   {"Extra", extra("{\"a\":\"\xff\"}")},
		"extra is large":       {"Extra", extra(`{"a":"` + strings.Repeat("x", 1024) + `"}`)},
		"configure nothing":    {"Object", func() error { _, err := w.Configure(ctx, "", danmu.Settings{}); return err }},
		"long owner":           {"Owner", configures(danmu.Settings{Owner: long})},
		"negative duration":    {"Duration", configures(danmu.Settings{Duration: -1})},
		"long duration":        {"Duration", configures(danmu.Settings{Duration: danmu.MaxProgress + time.Millisecond})},
		"fractional duration":  {"Duration", configures(danmu.Settings{Duration: time.Millisecond + 1})},
		"short segment":        {"Segment", configures(danmu.Settings{Segment: time.Second})},
		"negative segment":     {"Segment", configures(danmu.Settings{Segment: -time.Hour})},
		"long segment":         {"Segment", configures(danmu.Settings{Segment: 25 * time.Hour})},
		"fractional segment":   {"Segment", configures(danmu.Settings{Segment: time.Hour + 1})},
		"three shards":         {"Shards", configures(danmu.Settings{Shards: 3})},
		"64 shards":            {"Shards", configures(danmu.Settings{Shards: 64})},
		"negative shards":      {"Shards", configures(danmu.Settings{Shards: -1})},
		"settings of nothing":  {"Object", func() error { _, err := w.Settings(ctx, ""); return err }},
		"window of nothing":    {"Object", reads("", 0, 1, nil)},
		"negative from":        {"from", reads("v", -1, 1, nil)},
		"backwards":            {"to", reads("v", 2, 1, nil)},
		"three segments":       {"to", reads("v", 6*time.Minute-time.Millisecond, 12*time.Minute+time.Millisecond, nil)},
		"all of it":            {"to", reads("v", 0, math.MaxInt64, nil)},
		"sample 6":             {"Sample", reads("v", 0, 1, &danmu.WindowOptions{Sample: 6})},
		"negative sample":      {"Sample", reads("v", 0, 1, &danmu.WindowOptions{Sample: -1})},
		"negative cap":         {"Cap", reads("v", 0, 1, &danmu.WindowOptions{Cap: -1})},
		"negative merge":       {"Merge", reads("v", 0, 1, &danmu.WindowOptions{Merge: -1})},
		"negative segment no.": {"n", func() error { _, err := w.Segment(ctx, "v", -1, nil); return err }},
		"segment of nothing":   {"Object", func() error { _, err := w.Segment(ctx, "", 0, nil); return err }},
		"from nothing":         {"Object", func() error { _, err := w.ByObject(ctx, "", 0, cursor.PageRequest{}); return err }},
		"from negative":        {"moment", func() error { _, err := w.ByObject(ctx, "v", -1, cursor.PageRequest{}); return err }},
		"by nobody":            {"User", func() error { _, err := w.ByUser(ctx, "", cursor.PageRequest{}); return err }},
		"get of nothing":       {"Object", func() error { _, err := w.Get(ctx, "", id); return err }},
		"get of none":          {"ID", func() error { _, err := w.Get(ctx, "v", danmu.ID{}); return err }},
	}
	meter.Take()
	for name, c := range tests {
		err := c.call()
		require.Error(t, err, name)
		require.Equal(t, c.field, field(t, err), name)
	}
	require.Zero(t, meter.Take())
	require.Len(t, w.items(t, "D#"), 2)
}

func TestTheDurationIsKeptWhereItIsNotKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.configure(t, "v", danmu.Settings{Duration: time.Hour})
	late := danmu.Comment{Object: "v", User: "ann", Text: "haha", Progress: time.Hour + time.Millisecond}
	_, _, err := w.process(t, nil).Send(t.Context(), late)
	require.Equal(t, "Progress", field(t, err))
	require.Len(t, w.items(t, ""), 1, "the settings")
	w.configure(t, "v", danmu.Settings{Duration: time.Hour, Segment: time.Minute}) // no segment has begun
	w.at(t, 3600)

	w.configure(t, "v", danmu.Settings{Duration: time.Minute})
	_, _, err = w.Send(t.Context(), danmu.Comment{Object: "v", User: "ann", Text: "haha", Progress: time.Hour})
	require.Equal(t, "Progress", field(t, err), "this process has configured it")
	w.configure(t, "v", danmu.Settings{})
	w.send(t, late)
}

// TestARepeatIsAnsweredThoughTheObjectBecameShorter repeats what would be
// refused by now.
func TestARepeatIsAnsweredThoughTheObjectBecameShorter(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	c := danmu.Comment{Object: "v", User: "ann", Text: "haha", Progress: time.Minute, Key: "k"}
	first, _, err := w.Send(t.Context(), c)
	require.NoError(t, err)
	w.configure(t, "v", danmu.Settings{Duration: time.Second})
	again, created, err := w.process(t, nil).Send(t.Context(), c)
	require.NoError(t, err)
	require.False(t, created)
	require.Equal(t, first, again)
	c.Key = "another"
	_, _, err = w.Send(t.Context(), c)
	require.Equal(t, "Progress", field(t, err))
}

func TestSecondsAreRounded(t *testing.T) {
	for _, s := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -0.001, -0.0004, 4294967.296, math.MaxFloat64} {
		_, err := danmu.Seconds(s)
		require.Equal(t, "Progress", field(t, err), s)
	}
	for s, want := range map[float64]time.Duration{
		0: 0, 2.99e-5: 0, 0.0005: time.Millisecond, 20.0004: 20 * time.Second, 1439.9996: 24 * time.Minute, 4294967.295: danmu.MaxProgress,
	} {
		got, err := danmu.Seconds(s)
		require.NoError(t, err)
		require.Equal(t, want, got, s)
	}
}

func TestBadOptionsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	db := dynamotest.DB(t)
	for name, o := range map[string]danmu.Options{
		"Options.MaxRunes":  {MaxRunes: 1001},
		"Options.MinSize":   {MinSize: 65},
		"Options.HideAt":    {HideAt: -1},
		"Options.Refresh":   {Refresh: -1},
		"Options.Cache":     {Cache: -1},
		"Options.CacheSize": {CacheSize: -1},
	} {
		_, err := danmu.New(db, w.table, w, &o)
		require.Equal(t, name, field(t, err))
	}
	for name, err := range map[string]error{
		"db":         second(danmu.New(nil, w.table, w, nil)),
		"table":      second(danmu.New(db, "", w, nil)),
		"gen":        second(danmu.New(db, w.table, nil, nil)),
		"Rate.Every": second(danmu.NewMemoryLimiter(danmu.Rate{Every: time.Microsecond}, nil)),
		"Rate.Burst": second(danmu.NewTableLimiter(db, w.table, danmu.Rate{Burst: -1}, nil)),
	} {
		require.Equal(t, name, field(t, err))
	}
	_, err := danmu.NewTableLimiter(nil, w.table, danmu.Rate{}, nil)
	require.Equal(t, "db", field(t, err))

	missing, err := danmu.New(db, "not-there", w, nil)
	require.NoError(t, err)
	_, _, err = missing.Send(t.Context(), danmu.Comment{Object: "v", User: "ann", Text: "x"})
	require.ErrorIs(t, err, plaza.ErrTable)
	_, err = missing.Window(t.Context(), "v", 0, 1, nil)
	require.ErrorIs(t, err, plaza.ErrTable)
}

func second[T any](_ T, err error) error { return err }

func TestAnEndedContextSendsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := w.Send(ctx, danmu.Comment{Object: "v", User: "ann", Text: "x"})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, w.items(t, ""))
}
