package danmu_test

import (
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

// field returns the field that an InvalidError names.
func field(t testing.TB, err error) string {
	t.Helper()
	var invalid *plaza.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.ErrorIs(t, err, plaza.ErrInvalid)
	return invalid.Field
}

func TestInvalidInputSendsNoRequest(t *testing.T) {
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
		"extra lacks half":     {"Extra", extra(`{"a":"\ud800"}`)},
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

func second[T any](_ T, err error) error { return err }
