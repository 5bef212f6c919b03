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
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
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

type invalid struct {
	Field string
	Err   error
}

func TestInvalidInputSendsNoRequest(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, &danmu.Options{Colors: []danmu.Color{danmu.RGB(0xFF0000)}}, meter.Wrap)
	w.configure(t, "short", danmu.Settings{Duration: time.Minute})
	w.send(t, danmu.Comment{Object: "short"})
	id := w.at(t, 1).ID
	ctx, long, page := t.Context(), strings.Repeat("x", 257), cursor.PageRequest{}

	good := danmu.Comment{Object: "short", User: "ann", Text: "haha", Progress: time.Second}
	failed := callstest.Failed
	sends := func(change func(*danmu.Comment)) error {
		c := good
		change(&c)
		return failed(w.Send(ctx, c))
	}
	extra := func(text string) error { return sends(func(c *danmu.Comment) { c.Extra = json.RawMessage(text) }) }
	configures := func(s danmu.Settings) error { return failed(w.Configure(ctx, "short", s)) }
	reads := func(object string, from, to time.Duration, opts *danmu.WindowOptions) error {
		return failed(w.Window(ctx, object, from, to, opts))
	}
	var exported error
	meter.Take()
	for _, exported = range w.Export(ctx, "") {
	}
	tests := map[string]invalid{
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
		"configure nothing":    {"Object", failed(w.Configure(ctx, "", danmu.Settings{}))},
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
		"settings of nothing":  {"Object", failed(w.Settings(ctx, ""))},
		"window of nothing":    {"Object", reads("", 0, 1, nil)},
		"negative from":        {"from", reads("v", -1, 1, nil)},
		"backwards":            {"to", reads("v", 2, 1, nil)},
		"three segments":       {"to", reads("v", 6*time.Minute-time.Millisecond, 12*time.Minute+time.Millisecond, nil)},
		"all of it":            {"to", reads("v", 0, math.MaxInt64, nil)},
		"sample 6":             {"Sample", reads("v", 0, 1, &danmu.WindowOptions{Sample: 6})},
		"negative sample":      {"Sample", reads("v", 0, 1, &danmu.WindowOptions{Sample: -1})},
		"negative cap":         {"Cap", reads("v", 0, 1, &danmu.WindowOptions{Cap: -1})},
		"negative merge":       {"Merge", reads("v", 0, 1, &danmu.WindowOptions{Merge: -1})},
		"negative segment no.": {"n", failed(w.Segment(ctx, "v", -1, nil))},
		"segment of nothing":   {"Object", failed(w.Segment(ctx, "", 0, nil))},
		"from nothing":         {"Object", failed(w.ByObject(ctx, "", 0, page))},
		"from negative":        {"moment", failed(w.ByObject(ctx, "v", -1, page))},
		"by nobody":            {"User", failed(w.ByUser(ctx, "", page))},
		"get of nothing":       {"Object", failed(w.Get(ctx, "", id))},
		"get of none":          {"ID", failed(w.Get(ctx, "v", danmu.ID{}))},
		"no buckets":           {"buckets", failed(w.Heatmap(ctx, "v", 0))},
		"negative buckets":     {"buckets", failed(w.Heatmap(ctx, "v", -1))},
		"1001 buckets":         {"buckets", failed(w.Heatmap(ctx, "v", 1001))},
		"heatmap of nothing":   {"Object", failed(w.Heatmap(ctx, "", 1))},
		"reactions of nobody":  {"User", failed(w.Reactions(ctx, "", "v", 0, 1))},
		"reactions to nothing": {"Object", failed(w.Reactions(ctx, "ann", "", 0, 1))},
		"reactions before 0":   {"from", failed(w.Reactions(ctx, "ann", "v", -1, 1))},
		"reactions, backwards": {"to", failed(w.Reactions(ctx, "ann", "v", 2, 1))},
		"erase nobody":         {"User", w.Erase(ctx, "")},
		"erase nothing":        {"Object", w.EraseObject(ctx, "")},
		"import to nothing":    {"Object", failed(w.Import(ctx, "", sequence(), nil))},
		"import of nothing":    {"Comments", failed(w.Import(ctx, "v", nil, nil))},
		"65 imports at once":   {"ImportOptions.Parallel", failed(w.Import(ctx, "v", sequence(), &danmu.ImportOptions{Parallel: 65}))},
		"export of nothing":    {"Object", exported},
	}
	for action, call := range (stage{w}).actions() {
		for of, a := range map[string]danmu.Action{
			"Object": {ID: id, User: "ann"}, "ID": {Object: "v", User: "ann"}, "User": {Object: "v", ID: id, User: long},
		} {
			if of == "User" && (action == "Remove" || action == "Protect" || action == "Unprotect") {
				continue // it has none
			}
			tests[action+" without "+of] = invalid{of, failed(call(ctx, a))}
		}
	}
	callstest.RequireInvalid(t, tests)
	require.Zero(t, meter.Take())
	require.Len(t, w.items(t, "D#"), 2)
}
