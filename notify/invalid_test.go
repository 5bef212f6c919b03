package notify_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/notify"
)

// refusal is the error of a call with invalid input, and the field that it must name.
type refusal struct {
	Field string
	Err   error
}

func TestInvalidReadsAndMarksAreRefusedWithoutARequest(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	long, broken := strings.Repeat("x", 257), "\xff"
	const wide = ids.ID(1 << 63)
	good, view := in("ann", 1), notify.View{At: 1, Newest: 1}
	req := cursor.PageRequest{}
	read := func(shown ...notify.Shown) error { return errOf(w.MarkRead(t.Context(), "ann", shown)) }
	verbs := func(verbs ...string) notify.Reader {
		return notify.Reader{User: "ann", Filter: notify.Filter{Verbs: verbs}}
	}
	until := func(at time.Time) error { return errOf(w.Snooze(t.Context(), good, at)) }
	cases := map[string]refusal{
		"nobody who is unread":      {"User", errOf3(w.UnreadBetween(t.Context(), "", notify.Span{To: 1}))},
		"no reader":                 {"User", errOf(w.List(t.Context(), notify.Reader{}, req))},
		"no reader of a count":      {"User", errOf(w.Unseen(t.Context(), notify.Reader{}))},
		"nobody who counts":         {"User", errOf(w.UnreadCount(t.Context(), notify.Reader{}))},
		"no verb":                   {"Filter.Verbs[0]", errOf(w.UnreadCount(t.Context(), verbs("")))},
		"a long verb":               {"Filter.Verbs[1]", errOf(w.List(t.Context(), verbs("like", long), req))},
		"too many verbs":            {"Filter.Verbs", errOf(w.Unseen(t.Context(), verbs(make([]string, 21)...)))},
		"a long user of an archive": {"User", errOf(w.Archived(t.Context(), long, req))},
		"a broken user":             {"User", errOf(w.Snoozed(t.Context(), broken, req))},
		"a negative limit":          {"Limit", errOf(w.List(t.Context(), reader("ann"), cursor.PageRequest{Limit: -1}))},
		"no user who saw":           {"User", errOf(w.MarkSeen(t.Context(), "", view))},
		"no user who read":          {"User", errOf(w.MarkAllRead(t.Context(), "", view))},
		"no user who read a group":  {"User", errOf(w.MarkRead(t.Context(), "", nil))},
		"a wide time":               {"View.At", errOf(w.MarkSeen(t.Context(), "ann", notify.View{At: wide, Newest: 1}))},
		"no time":                   {"View.At", errOf(w.MarkSeen(t.Context(), "ann", notify.View{Newest: 1}))},
		"a wide newest":             {"View.Newest", errOf(w.MarkAllRead(t.Context(), "ann", notify.View{At: 1, Newest: wide}))},
		"no newest":                 {"View.Newest", errOf(w.MarkAllRead(t.Context(), "ann", notify.View{At: 1, Recent: []ids.ID{1}}))},
		"a wide id":                 {"View.Recent[1]", errOf(w.MarkAllRead(t.Context(), "ann", notify.View{At: 1, Newest: 1, Recent: []ids.ID{1, wide}}))},
		"too many ids":              {"View.Recent", errOf(w.MarkSeen(t.Context(), "ann", notify.View{Recent: make([]ids.ID, 101)}))},
		"too many groups":           {"Shown", read(make([]notify.Shown, 101)...)},
		"no announcement shown":     {"Shown[1].Last", read(notify.Shown{Group: good.Group, Last: 1}, notify.Shown{})},
		"a group of a thing alone":  {"Shown[0].Group", read(notify.Shown{Group: "picture:1", Last: 1})},
		"a group without a verb":    {"Shown[0].Group", read(notify.Shown{Group: "picture:1##2026-02-28", Last: 1})},
		"a group of no thing":       {"Shown[0].Group", read(notify.Shown{Group: ":#like", Last: 1})},
		"a group of many texts":     {"Shown[0].Group", read(notify.Shown{Group: "picture:1#1#2#3#4#5", Last: 1})},
		"a group that was not seen": {"Shown[0].Last", read(notify.Shown{Group: good.Group})},
		"a wide group":              {"Shown[0].Last", read(notify.Shown{Group: good.Group, Last: wide})},
		"no announcement":           {"Announcement", errOf(w.Dismiss(t.Context(), "ann", 0))},
		"a wide announcement":       {"Announcement", errOf(w.Dismiss(t.Context(), "ann", wide))},
		"nobody who dismisses":      {"User", errOf(w.Dismiss(t.Context(), "", 1))},
		"until now":                 {"Until", until(w.Now())},
		"until within this ms":      {"Until", until(w.Now().Add(999 * time.Microsecond))},
		"until before":              {"Until", until(time.Time{})},
		"until more than a year":    {"Until", until(w.Now().Add(366*24*time.Hour + 1))},
		"nobody who leaves":         {"User", w.Erase(t.Context(), "")},
		"a long user who leaves":    {"User", w.Erase(t.Context(), long)},
	}
	for _, span := range []notify.Span{{}, {From: 2, To: 2}, {From: 2, To: 1}, {To: wide}} {
		cases[fmt.Sprint("a span ", span)] = refusal{"Span", errOf3(w.UnreadBetween(t.Context(), "bob", span))}
	}
	for field, bad := range map[string]notify.In{"User": {Group: good.Group}, "Group": {User: "ann", Group: "S"}} {
		cases["no "+field+" to mark unread"] = refusal{field, errOf(w.MarkUnread(t.Context(), bad))}
		cases["no "+field+" to archive"] = refusal{field, errOf(w.Archive(t.Context(), bad))}
		cases["no "+field+" to unarchive"] = refusal{field, errOf(w.Unarchive(t.Context(), bad))}
		cases["no "+field+" to snooze"] = refusal{field, errOf(w.Snooze(t.Context(), bad, w.Now().Add(time.Hour)))}
		cases["no "+field+" to unsnooze"] = refusal{field, errOf(w.Unsnooze(t.Context(), bad))}
	}
	callstest.RequireInvalid(t, cases)
	require.NoError(t, errOf(w.MarkSeen(t.Context(), "ann", notify.View{})), "an empty list marks nothing")
	require.NoError(t, errOf(w.MarkAllRead(t.Context(), "ann", notify.See(nil))))
	require.NoError(t, read())
	require.Zero(t, meter.Take())
}

// Neither the policy nor the table is asked.
func TestBadEventsAreRefusedBeforeAnyRequest(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	a := newAudience(t, 0)
	w := a.process(t, &notify.Options{Policy: asked{t}}, meter.Wrap)
	long := strings.Repeat("#", 256)
	cases := map[string]refusal{}
	for name, c := range map[string]struct {
		field  string
		change func(*notify.Notification)
	}{
		"no user":            {"User", func(n *notify.Notification) { n.User = "" }},
		"long user":          {"User", func(n *notify.Notification) { n.User = long + "#" }},
		"broken user":        {"User", func(n *notify.Notification) { n.User = "\xff" }},
		"no id":              {"Activity.ID", func(n *notify.Notification) { n.Activity.ID = 0 }},
		"id of 64 bits":      {"Activity.ID", func(n *notify.Notification) { n.Activity.ID = 1 << 63 }},
		"id of the future":   {"Activity.ID", func(n *notify.Notification) { n.Activity.ID = ids.At(noon.Add(61 * time.Second)) }},
		"no actor":           {"Activity.Actor.ID", func(n *notify.Notification) { n.Activity.Actor = feed.Ref{} }},
		"actor with a colon": {"Activity.Actor.ID", func(n *notify.Notification) { n.Activity.Actor = feed.Ref{ID: "a:b"} }},
		"no verb":            {"Activity.Verb", func(n *notify.Notification) { n.Activity.Verb = "" }},
		"no object":          {"Activity.Object", func(n *notify.Notification) { n.Activity.Object = feed.Ref{} }},
		"broken target":      {"Activity.Target.ID", func(n *notify.Notification) { n.Activity.Target = feed.Ref{Kind: "x"} }},
		"long name": {"Activity", func(n *notify.Notification) {
			n.Activity.Object, n.Activity.Verb = feed.Ref{Kind: long, ID: long}, "like"
		}},
		"large data": {"Activity.Data", func(n *notify.Notification) {
			n.Activity.Data = []byte(`"` + strings.Repeat("x", notify.MaxData) + `"`)
		}},
		"data that is no JSON": {"Activity.Data", func(n *notify.Notification) { n.Activity.Data = []byte("{") }},
		"year":                 {"Activity.Time", func(n *notify.Notification) { n.Activity.Time = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC) }},
		"count by":             {"CountBy", func(n *notify.Notification) { n.CountBy = "verb" }},
	} {
		n := w.like("ann")
		c.change(&n)
		res, created, err := w.Notify(t.Context(), n)
		cases[name+", notified"] = refusal{c.field, err}
		require.False(t, created)
		require.Zero(t, res)
		changed, err := w.Retract(t.Context(), n)
		cases[name+", retracted"] = refusal{c.field, err}
		require.False(t, changed)
		if c.field != "User" {
			n.User = ""
			cases[name+", of watchers"] = refusal{c.field, errOf(w.NotifyWatchers(t.Context(), question, n))}
			cases[name+", taken back"] = refusal{c.field, errOf(w.RetractWatchers(t.Context(), question, n))}
		}
	}
	target := func(user string, about feed.Ref) error { return errOf(w.RetractTarget(t.Context(), user, about)) }
	cases["no user of a target"] = refusal{"User", target("", feed.Ref{ID: "a"})}
	cases["no target"] = refusal{"about", target("bob", feed.Ref{})}
	cases["a target with a colon"] = refusal{"about", target("bob", feed.Ref{ID: "a:b"})}
	cases["a long target"] = refusal{"about", target("bob", feed.Ref{ID: long + "#"})}
	answer := w.answer("zoe")
	watchers := func(object feed.Ref) error { return errOf(w.NotifyWatchers(t.Context(), object, answer)) }
	cases["watchers of nothing"] = refusal{"Object", watchers(feed.Ref{})}
	cases["watchers of a kind with a colon"] = refusal{"Object", watchers(feed.Ref{Kind: "a:b", ID: "7"})}
	cases["watchers of a long object"] = refusal{"Object", watchers(feed.Ref{Kind: "question", ID: strings.Repeat("x", 250)})}
	cases["a user among watchers"] = refusal{"User", errOf(w.NotifyWatchers(t.Context(), question, withUser(answer, "bob")))}
	without := a.world.process(t, nil, meter.Wrap)
	cases["no graph of who loses it"] = refusal{"Options.Watchers", errOf(without.RetractWatchers(t.Context(), question, answer))}
	cases["no graph of watchers"] = refusal{"Options.Watchers", errOf(without.NotifyWatchers(t.Context(), question, answer))}
	cases["no graph to deliver to"] = refusal{"Options.Watchers", errOf(without.Deliver(t.Context()))}
	cases["no graph to work for"] = refusal{"Options.Watchers", without.Run(t.Context())}
	callstest.RequireInvalid(t, cases)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, errOf3(without.Notify(ended, w.like("ann"))), context.Canceled)
	require.ErrorIs(t, errOf(without.Retract(ended, w.like("ann"))), context.Canceled)
	require.ErrorIs(t, errOf(without.RetractTarget(ended, "bob", feed.Ref{ID: "a"})), context.Canceled)
	require.Zero(t, meter.Take())
}

// asked is a Policy that must not be asked.
type asked struct{ t *testing.T }

func (a asked) Decide(context.Context, notify.Notification) (notify.Decision, error) {
	a.t.Error("the policy was asked")
	return notify.Decision{}, nil
}
