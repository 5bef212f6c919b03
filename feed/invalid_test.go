package feed_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

// invalid is the error of a call with invalid input, and the field that it names.
type invalid struct {
	Field string
	Err   error
}

var failed = callstest.Failed

func TestBadInputIsRefusedBeforeAnyRequest(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	ctx, long, broken := t.Context(), strings.Repeat("x", 257), "a\xff"
	chris, jack, id := w.Outbox("chris"), w.Home("jack"), w.mint(t)

	publish := func(change func(*feed.Activity)) error {
		a := activity("chris", 1)
		change(&a)
		return failed(chris.Publish(ctx, a))
	}
	publishMany := func(as ...feed.Activity) error {
		results, err := chris.PublishMany(ctx, as)
		require.Empty(t, results)
		return err
	}
	followMany := func(opts *feed.FollowOptions, sources ...string) error {
		return failed(jack.FollowMany(ctx, sources, opts))
	}
	named := func(foreignID string, id ids.ID) feed.Activity {
		a := activity("chris", 1)
		a.ForeignID, a.ID = foreignID, id
		return a
	}
	update := func(a feed.Activity) error { return failed(chris.Update(ctx, a)) }
	callstest.RequireInvalid(t, map[string]invalid{
		"many, one without verb":   {"Activities[1].Verb", publishMany(activity("a", 1), feed.Activity{Actor: feed.Ref{ID: "a"}}, activity("a", 2))},
		"many, an id of 64 bits":   {"Activities[0].ID", publishMany(named("", 1<<63))},
		"many, an id twice":        {"Activities[2].ID", publishMany(named("", id), named("", 0), named("", id))},
		"many, a foreign id twice": {"Activities[2].ForeignID", publishMany(named("a", 0), named("", 0), named("a", 0))},
		"many, to itself":          {"Activities[0].To", publishMany(addressed("chris", 1, "chris"))},
		"1,001 activities":         {"Activities", publishMany(make([]feed.Activity, 1001)...)},
		"many of no owner":         {"Owner", failed(w.Outbox("").PublishMany(ctx, nil))},
		"get a zero id of many":    {"IDs[1]", failed(chris.GetMany(ctx, []ids.ID{id, 0}))},
		"get 101":                  {"IDs", failed(chris.GetMany(ctx, make([]ids.ID, 101)))},
		"get many of no owner":     {"Owner", failed(w.Outbox("").GetMany(ctx, nil))},
		"follow many, one empty":   {"Sources[1]", followMany(nil, "chris", "")},
		"follow many and oneself":  {"Sources[2]", followMany(nil, "chris", "ann", "jack")},
		"follow many by one id":    {"ID", followMany(&feed.FollowOptions{ID: id}, "chris", "ann")},
		"follow many, copies":      {"CopyLimit", followMany(&feed.FollowOptions{CopyLimit: 1001}, "chris")},
		"follow 101":               {"Sources", followMany(nil, make([]string, 101)...)},
		"follow many, no reader":   {"Reader", failed(w.Home("").FollowMany(ctx, nil, nil))},
		"switch no owner":          {"Owner", failed(w.Outbox("").SetPulled(ctx, true))},
		"mode of a long owner":     {"Owner", failed(w.Outbox(long).Mode(ctx))},
		"erase nobody":             {"User", w.Erase(ctx, "")},
		"erase a long user":        {"User", w.Erase(ctx, long)},
		"to 21 outboxes":           {"To", publish(func(a *feed.Activity) { a.To = make([]string, 21) })},
		"to nobody":                {"To[1]", publish(func(a *feed.Activity) { a.To = []string{"birds", ""} })},
		"to one twice":             {"To[2]", publish(func(a *feed.Activity) { a.To = []string{"birds", "paris", "birds"} })},
		"to itself":                {"To", publish(func(a *feed.Activity) { a.To = []string{"chris"} })},
		"of another owner":         {"Owner", publish(func(a *feed.Activity) { a.Owner = "ann" })},
		"update another owner's":   {"Owner", update(feed.Activity{ID: id, Owner: "ann", Actor: feed.Ref{ID: "chris"}, Verb: "add"})},
		"no actor":                 {"Actor.ID", publish(func(a *feed.Activity) { a.Actor = feed.Ref{} })},
		"long actor":               {"Actor.ID", publish(func(a *feed.Activity) { a.Actor.ID = long })},
		"colon in a kind":          {"Object.Kind", publish(func(a *feed.Activity) { a.Object.Kind = "a:b" })},
		"colon and no kind":        {"Target.ID", publish(func(a *feed.Activity) { a.Target = feed.Ref{ID: "a:b"} })},
		"kind without id":          {"Target.ID", publish(func(a *feed.Activity) { a.Target = feed.Ref{Kind: "a"} })},
		"an id of 64 bits":         {"ID", publish(func(a *feed.Activity) { a.ID = 1 << 63 })},
		"no verb":                  {"Verb", publish(func(a *feed.Activity) { a.Verb = "" })},
		"long verb":                {"Verb", publish(func(a *feed.Activity) { a.Verb = long })},
		"verb not UTF-8":           {"Verb", publish(func(a *feed.Activity) { a.Verb = broken })},
		"long foreign id":          {"ForeignID", publish(func(a *feed.Activity) { a.ForeignID = long })},
		"data not JSON":            {"Data", publish(func(a *feed.Activity) { a.Data = []byte("{") })},
		"data of half a surrogate": {"Data", publish(func(a *feed.Activity) { a.Data = []byte(`"\ud800"`) })},
		"data nested":              {"Data", publish(func(a *feed.Activity) { a.Data = []byte(strings.Repeat("[", 10_001)) })},
		"data of 2 MiB":            {"Activity", publish(func(a *feed.Activity) { a.Data = []byte(`"` + strings.Repeat("x", 2<<20) + `"`) })},
		"one byte over":            {"Activity", publish(func(a *feed.Activity) { *a = sized(feed.MaxActivity + 1) })},
		"time out of range":        {"Time", publish(func(a *feed.Activity) { a.Time = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) })},
		"empty owner":              {"Owner", failed(w.Outbox("").List(ctx, cursor.PageRequest{}))},
		"long owner":               {"Owner", failed(w.Outbox(long).Publish(ctx, activity("a", 1)))},
		"broken reader":            {"Reader", failed(w.Home(broken).List(ctx, cursor.PageRequest{}))},
		"negative home limit":      {"Limit", failed(jack.List(ctx, cursor.PageRequest{Limit: -1}))},
		"negative limit":           {"Limit", failed(chris.List(ctx, cursor.PageRequest{Limit: -1}))},
		"zero id to get":           {"ID", failed(chris.Get(ctx, 0))},
		"zero id to remove":        {"ID", failed(chris.Remove(ctx, 0))},
		"zero id to update":        {"ID", update(activity("chris", 1))},
		"update without verb":      {"Verb", update(feed.Activity{ID: id, Actor: feed.Ref{ID: "chris"}})},
		"empty foreign id":         {"ForeignID", failed(chris.RemoveForeign(ctx, ""))},
		"following oneself":        {"Source", failed(jack.Follow(ctx, "jack", nil))},
		"an empty source":          {"Source", failed(jack.Follow(ctx, "", nil))},
		"a long source":            {"Source", failed(jack.Unfollow(ctx, long, nil))},
		"too many copies":          {"CopyLimit", failed(jack.Follow(ctx, "chris", &feed.FollowOptions{CopyLimit: 1001}))},
		"group no reader's":        {"Reader", failed(w.Home("").Grouped(ctx, cursor.PageRequest{}))},
		"trim to zero":             {"ID", failed(jack.Trim(ctx, 0))},
		"trim to the future":       {"ID", failed(jack.Trim(ctx, ids.At(time.Now().Add(11*time.Second))))},
	})
	require.Zero(t, meter.Take().Requests)
}

// sized is an activity of Size n.
func sized(n int) feed.Activity {
	a := feed.Activity{Actor: feed.Ref{ID: "chris"}, Verb: "add"}
	a.Data = []byte(`"` + strings.Repeat("x", n-len("chris")-len("add")-2) + `"`)
	return a
}

func TestTheLargestActivityFits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	want := w.send(t, "chris", sized(feed.MaxActivity))
	got, err := w.Outbox("chris").Get(t.Context(), want.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestInvalidConfigurationFailsInNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	with := func(opts feed.Options) error { return failed(feed.New(w.db, "feed", w.gen, w.follows, &opts)) }
	callstest.RequireInvalid(t, map[string]invalid{
		"db":      {"db", failed(feed.New(nil, "feed", w.gen, w.follows, nil))},
		"table":   {"table", failed(feed.New(w.db, "", w.gen, w.follows, nil))},
		"gen":     {"gen", failed(feed.New(w.db, "feed", nil, w.follows, nil))},
		"graph":   {"graph", failed(feed.New(w.db, "feed", w.gen, nil, nil))},
		"inline":  {"Options.InlineFollowers", with(feed.Options{InlineFollowers: 1001})},
		"shards":  {"Options.JobShards", with(feed.Options{JobShards: feed.MaxJobShards + 1})},
		"retain":  {"Options.Retention", with(feed.Options{Retention: -1})},
		"batches": {"Options.Parallel", with(feed.Options{Parallel: -1})},
		"poll":    {"Options.Poll", with(feed.Options{Poll: -1})},
		"cache":   {"Options.PullCache", with(feed.Options{PullCache: 100_001})},
		"size":    {"Size", failed(feed.NewMemoryCache(&feed.MemoryCacheOptions{Size: -1}))},
		"ttl":     {"TTL", failed(feed.NewMemoryCache(&feed.MemoryCacheOptions{TTL: -1}))},
	})
	require.NoError(t, with(feed.Options{}))
}

func TestAWrongTableIsReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	other := dynamotest.Table(t, otherSchema)
	for name, table := range map[string]string{"missing": "no-such-table", "another key schema": other} {
		t.Run(name, func(t *testing.T) {
			feeds, err := feed.New(w.db, table, w.gen, w.follows, nil)
			require.NoError(t, err)
			_, _, err = feeds.Outbox("chris").Publish(t.Context(), activity("chris", 1))
			require.ErrorIs(t, err, plaza.ErrTable)
			_, err = feeds.Outbox("chris").Remove(t.Context(), ids.ID(1))
			require.ErrorIs(t, err, plaza.ErrTable)
			_, err = feeds.Home("jack").List(t.Context(), cursor.PageRequest{})
			require.ErrorIs(t, err, plaza.ErrTable)
			_, err = feeds.Deliver(t.Context())
			require.ErrorIs(t, err, plaza.ErrTable)
			require.ErrorIs(t, feeds.Run(t.Context()), plaza.ErrTable)
		})
	}
}

func TestIDsFromTheFutureAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ahead, err := ids.Backdate(time.Now().Add(2*time.Minute), "chris")
	require.NoError(t, err)
	soon, err := ids.Backdate(time.Now().Add(9*time.Second), "chris")
	require.NoError(t, err)
	require.False(t, w.remove(t, "chris", ahead), "it names what may exist")
	require.Empty(t, w.rows(t))
	a := activity("chris", 1)
	for id, want := range map[ids.ID]error{ahead: plaza.ErrInvalid, soon: nil} {
		a.ID = id
		_, _, err = w.Outbox("chris").Publish(t.Context(), a)
		require.ErrorIs(t, err, want)
		_, err = w.Outbox("ann").PublishMany(t.Context(), []feed.Activity{a})
		require.ErrorIs(t, err, want)
		_, err = w.Home("jack").Follow(t.Context(), "chris", &feed.FollowOptions{ID: id})
		require.ErrorIs(t, err, want)
		_, err = w.Home("jack").Unfollow(t.Context(), "chris", &feed.UnfollowOptions{ID: id})
		require.ErrorIs(t, err, want)
	}
}

func TestVerifyAndInitCheckTheTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	require.ErrorIs(t, w.Verify(t.Context()), plaza.ErrTable, "the table has no expiry")
	client := w.db.Client()
	_, err := client.UpdateTimeToLive(context.Background(), feed.TTL(w.feedTable))
	require.NoError(t, err)
	require.NoError(t, w.Verify(t.Context()))
	require.NoError(t, w.Init(t.Context()))
	require.NoError(t, w.Init(t.Context()))
	require.NoError(t, w.Verify(t.Context()))
	err = w.db.Table(w.feedTable).Update("pk", "~").Range("sk", "~").Set("feature", "danmu").Run(t.Context())
	require.NoError(t, err)
	require.ErrorIs(t, w.Verify(t.Context()), plaza.ErrTable)
	require.ErrorIs(t, w.Init(t.Context()), plaza.ErrTable)
}
