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
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

func TestBadInputIsRefusedBeforeAnyRequest(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	long, broken := strings.Repeat("x", 257), "a\xff"
	chris, jack := w.Outbox("chris"), w.Home("jack")
	id, err := w.gen.Next(t.Context())
	require.NoError(t, err)

	publish := func(change func(*feed.Activity)) func() error {
		return func() error {
			a := activity("chris", 1)
			change(&a)
			_, _, err := chris.Publish(t.Context(), a)
			return err
		}
	}
	list := func(l lister, req cursor.PageRequest) func() error {
		return func() error { _, err := l(t.Context(), req); return err }
	}
	publishMany := func(as ...feed.Activity) func() error {
		return func() error {
			results, err := chris.PublishMany(t.Context(), as)
			require.Empty(t, results)
			return err
		}
	}
	getMany := func(wanted ...ids.ID) func() error {
		return func() error { _, err := chris.GetMany(t.Context(), wanted); return err }
	}
	followMany := func(opts *feed.FollowOptions, sources ...string) func() error {
		return func() error { _, err := jack.FollowMany(t.Context(), sources, opts); return err }
	}
	named := func(foreignID string, id ids.ID) feed.Activity {
		a := activity("chris", 1)
		a.ForeignID, a.ID = foreignID, id
		return a
	}
	for name, tc := range map[string]struct {
		field string
		call  func() error
	}{
		"many, one without verb":   {"Activities[1].Verb", publishMany(activity("a", 1), feed.Activity{Actor: feed.Ref{ID: "a"}}, activity("a", 2))},
		"many, an id of 64 bits":   {"Activities[0].ID", publishMany(named("", 1<<63))},
		"many, an id twice":        {"Activities[2].ID", publishMany(named("", id), named("", 0), named("", id))},
		"many, a foreign id twice": {"Activities[2].ForeignID", publishMany(named("a", 0), named("", 0), named("a", 0))},
		"many, to itself":          {"Activities[0].To", publishMany(addressed("chris", 1, "chris"))},
		"1,001 activities":         {"Activities", publishMany(make([]feed.Activity, 1001)...)},
		"many of no owner":         {"Owner", func() error { _, err := w.Outbox("").PublishMany(t.Context(), nil); return err }},
		"get a zero id of many":    {"IDs[1]", getMany(id, 0)},
		"get 101":                  {"IDs", getMany(make([]ids.ID, 101)...)},
		"get many of no owner":     {"Owner", func() error { _, err := w.Outbox("").GetMany(t.Context(), nil); return err }},
		"follow many, one empty":   {"Sources[1]", followMany(nil, "chris", "")},
		"follow many and oneself":  {"Sources[2]", followMany(nil, "chris", "ann", "jack")},
		"follow many by one id":    {"ID", followMany(&feed.FollowOptions{ID: id}, "chris", "ann")},
		"follow many, copies":      {"CopyLimit", followMany(&feed.FollowOptions{CopyLimit: 1001}, "chris")},
		"follow 101":               {"Sources", followMany(nil, make([]string, 101)...)},
		"follow many, no reader":   {"Reader", func() error { _, err := w.Home("").FollowMany(t.Context(), nil, nil); return err }},
		"switch no owner":          {"Owner", func() error { _, err := w.Outbox("").SetPulled(t.Context(), true); return err }},
		"mode of a long owner":     {"Owner", func() error { _, err := w.Outbox(long).Mode(t.Context()); return err }},
		"erase nobody":             {"User", func() error { return w.Erase(t.Context(), "") }},
		"erase a long user":        {"User", func() error { return w.Erase(t.Context(), long) }},
		"to 21 outboxes":           {"To", publish(func(a *feed.Activity) { a.To = make([]string, 21) })},
		"to nobody":                {"To[1]", publish(func(a *feed.Activity) { a.To = []string{"birds", ""} })},
		"to one twice":             {"To[2]", publish(func(a *feed.Activity) { a.To = []string{"birds", "paris", "birds"} })},
		"to itself":                {"To", publish(func(a *feed.Activity) { a.To = []string{"chris"} })},
		"of another owner":         {"Owner", publish(func(a *feed.Activity) { a.Owner = "ann" })},
		"update another owner's": {"Owner", func() error {
			_, _, err := chris.Update(t.Context(), feed.Activity{ID: id, Owner: "ann", Actor: feed.Ref{ID: "chris"}, Verb: "add"})
			return err
		}},
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
		"empty owner":              {"Owner", list(w.Outbox("").List, cursor.PageRequest{})},
		"long owner":               {"Owner", func() error { _, _, err := w.Outbox(long).Publish(t.Context(), activity("a", 1)); return err }},
		"broken reader":            {"Reader", list(w.Home(broken).List, cursor.PageRequest{})},
		"negative home limit":      {"Limit", list(jack.List, cursor.PageRequest{Limit: -1})},
		"negative limit":           {"Limit", list(chris.List, cursor.PageRequest{Limit: -1})},
		"zero id to get":           {"ID", func() error { _, err := chris.Get(t.Context(), 0); return err }},
		"zero id to remove":        {"ID", func() error { _, err := chris.Remove(t.Context(), 0); return err }},
		"zero id to update":        {"ID", func() error { _, _, err := chris.Update(t.Context(), activity("chris", 1)); return err }},
		"update without verb": {"Verb", func() error {
			_, _, err := chris.Update(t.Context(), feed.Activity{ID: id, Actor: feed.Ref{ID: "chris"}})
			return err
		}},
		"empty foreign id":  {"ForeignID", func() error { _, err := chris.RemoveForeign(t.Context(), ""); return err }},
		"following oneself": {"Source", func() error { _, err := jack.Follow(t.Context(), "jack", nil); return err }},
		"an empty source":   {"Source", func() error { _, err := jack.Follow(t.Context(), "", nil); return err }},
		"a long source":     {"Source", func() error { _, err := jack.Unfollow(t.Context(), long, nil); return err }},
		"too many copies": {"CopyLimit", func() error {
			_, err := jack.Follow(t.Context(), "chris", &feed.FollowOptions{CopyLimit: 1001})
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			err := tc.call()
			require.ErrorIs(t, err, plaza.ErrInvalid)
			var invalid *plaza.InvalidError
			require.ErrorAs(t, err, &invalid)
			require.Equal(t, tc.field, invalid.Field)
		})
	}
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
	want, _, err := w.Outbox("chris").Publish(t.Context(), sized(feed.MaxActivity))
	require.NoError(t, err)
	got, err := w.Outbox("chris").Get(t.Context(), want.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestInvalidConfigurationFailsInNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for name, tc := range map[string]struct {
		field string
		make  func() (*feed.Repository, error)
	}{
		"db":      {"db", func() (*feed.Repository, error) { return feed.New(nil, "feed", w.gen, w.follows, nil) }},
		"table":   {"table", func() (*feed.Repository, error) { return feed.New(w.db, "", w.gen, w.follows, nil) }},
		"gen":     {"gen", func() (*feed.Repository, error) { return feed.New(w.db, "feed", nil, w.follows, nil) }},
		"graph":   {"graph", func() (*feed.Repository, error) { return feed.New(w.db, "feed", w.gen, nil, nil) }},
		"inline":  {"Options.InlineFollowers", withOptions(w, feed.Options{InlineFollowers: 1001})},
		"shards":  {"Options.JobShards", withOptions(w, feed.Options{JobShards: feed.MaxJobShards + 1})},
		"retain":  {"Options.Retention", withOptions(w, feed.Options{Retention: -1})},
		"batches": {"Options.Parallel", withOptions(w, feed.Options{Parallel: -1})},
		"poll":    {"Options.Poll", withOptions(w, feed.Options{Poll: -1})},
		"cache":   {"Options.PullCache", withOptions(w, feed.Options{PullCache: 100_001})},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tc.make()
			var invalid *plaza.InvalidError
			require.ErrorAs(t, err, &invalid)
			require.Equal(t, tc.field, invalid.Field)
		})
	}
	_, err := feed.New(w.db, "feed", w.gen, w.follows, nil)
	require.NoError(t, err)
}

func withOptions(w world, opts feed.Options) func() (*feed.Repository, error) {
	return func() (*feed.Repository, error) { return feed.New(w.db, "feed", w.gen, w.follows, &opts) }
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
	_, err = w.Outbox("chris").Remove(t.Context(), ahead)
	require.NoError(t, err, "it names what may exist")
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
