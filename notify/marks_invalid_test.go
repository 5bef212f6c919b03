package notify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
)

func TestInvalidReadsAndMarksAreRefusedWithoutARequest(t *testing.T) {
	t.Parallel()
	sent := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, sent.Wrap)
	long, broken := strings.Repeat("x", 257), "\xff"
	const wide = ids.ID(1 << 63)
	good, view := in("ann", 1), notify.View{At: 1, Newest: 1}
	req := cursor.PageRequest{}
	read := func(shown ...notify.Shown) func() error {
		return func() error { return errOf(w.MarkRead(t.Context(), "ann", shown)) }
	}
	until := func(at time.Time) func() error {
		return func() error { return errOf(w.Snooze(t.Context(), good, at)) }
	}
	type refusal struct {
		field string
		call  func() error
	}
	cases := map[string]refusal{
		"nobody who is unread":      {"User", func() error { return errOf3(w.UnreadBetween(t.Context(), "", notify.Span{To: 1})) }},
		"no reader":                 {"User", func() error { return errOf(w.List(t.Context(), notify.Reader{}, req)) }},
		"no reader of a count":      {"User", func() error { return errOf(w.Unseen(t.Context(), notify.Reader{})) }},
		"a long user of an archive": {"User", func() error { return errOf(w.Archived(t.Context(), long, req)) }},
		"a broken user":             {"User", func() error { return errOf(w.Snoozed(t.Context(), broken, req)) }},
		"a negative limit": {"Limit", func() error {
			return errOf(w.List(t.Context(), reader("ann"), cursor.PageRequest{Limit: -1}))
		}},
		"no user who saw":          {"User", func() error { return errOf(w.MarkSeen(t.Context(), "", view)) }},
		"no user who read":         {"User", func() error { return errOf(w.MarkAllRead(t.Context(), "", view)) }},
		"no user who read a group": {"User", func() error { return errOf(w.MarkRead(t.Context(), "", nil)) }},
		"a wide time":              {"View.At", func() error { return errOf(w.MarkSeen(t.Context(), "ann", notify.View{At: wide, Newest: 1})) }},
		"no time":                  {"View.At", func() error { return errOf(w.MarkSeen(t.Context(), "ann", notify.View{Newest: 1})) }},
		"a wide newest":            {"View.Newest", func() error { return errOf(w.MarkAllRead(t.Context(), "ann", notify.View{At: 1, Newest: wide})) }},
		"no newest":                {"View.Newest", func() error { return errOf(w.MarkAllRead(t.Context(), "ann", notify.View{At: 1, Recent: []ids.ID{1}})) }},
		"a wide id": {"View.Recent[1]", func() error {
			return errOf(w.MarkAllRead(t.Context(), "ann", notify.View{At: 1, Newest: 1, Recent: []ids.ID{1, wide}}))
		}},
		"too many ids":              {"View.Recent", func() error { return errOf(w.MarkSeen(t.Context(), "ann", notify.View{Recent: make([]ids.ID, 101)})) }},
		"too many groups":           {"Shown", read(make([]notify.Shown, 101)...)},
		"no group":                  {"Shown[1].Group", read(notify.Shown{Group: good.Group, Last: 1}, notify.Shown{Last: 1})},
		"a group without a day":     {"Shown[0].Group", read(notify.Shown{Group: "picture:1#like", Last: 1})},
		"a group of an odd day":     {"Shown[0].Group", read(notify.Shown{Group: "picture:1#like#2026-02-30", Last: 1})},
		"a group that was not seen": {"Shown[0].Last", read(notify.Shown{Group: good.Group})},
		"a wide group":              {"Shown[0].Last", read(notify.Shown{Group: good.Group, Last: wide})},
		"no announcement":           {"Announcement", func() error { return errOf(w.Dismiss(t.Context(), "ann", 0)) }},
		"a wide announcement":       {"Announcement", func() error { return errOf(w.Dismiss(t.Context(), "ann", wide)) }},
		"nobody who dismisses":      {"User", func() error { return errOf(w.Dismiss(t.Context(), "", 1)) }},
		"until now":                 {"Until", until(w.Now())},
		"until within this ms":      {"Until", until(w.Now().Add(999 * time.Microsecond))},
		"until before":              {"Until", until(time.Time{})},
		"until more than a year":    {"Until", until(w.Now().Add(366*24*time.Hour + 1))},
		"nobody who leaves":         {"User", func() error { return w.Erase(t.Context(), "") }},
		"a long user who leaves":    {"User", func() error { return w.Erase(t.Context(), long) }},
	}
	for _, span := range []notify.Span{{}, {From: 2, To: 2}, {From: 2, To: 1}, {To: wide}} {
		cases[fmt.Sprint("a span ", span)] = refusal{"Span", func() error { return errOf3(w.UnreadBetween(t.Context(), "bob", span)) }}
	}
	for name, bad := range map[string]notify.In{"User": {Group: good.Group}, "Group": {User: "ann", Group: "S"}} {
		for what, call := range map[string]func() error{
			"unread":    func() error { return errOf(w.MarkUnread(t.Context(), bad)) },
			"archive":   func() error { return errOf(w.Archive(t.Context(), bad)) },
			"unarchive": func() error { return errOf(w.Unarchive(t.Context(), bad)) },
			"snooze":    func() error { return errOf(w.Snooze(t.Context(), bad, w.Now().Add(time.Hour))) },
			"unsnooze":  func() error { return errOf(w.Unsnooze(t.Context(), bad)) },
		} {
			cases["no "+name+" to "+what] = refusal{name, call}
		}
	}
	for name, c := range cases {
		var invalid *plaza.InvalidError
		require.ErrorAs(t, c.call(), &invalid, name)
		require.Equal(t, c.field, invalid.Field, name)
	}
	require.NoError(t, errOf(w.MarkSeen(t.Context(), "ann", notify.View{})), "an empty list marks nothing")
	require.NoError(t, errOf(w.MarkAllRead(t.Context(), "ann", notify.See(nil))))
	require.NoError(t, read()())
	require.Zero(t, sent.Requests())
}
