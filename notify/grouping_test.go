package notify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
)

// byWeek groups all verbs about a thing by the weeks of Tokyo.
func byWeek(n notify.Notification) []string {
	year, week := n.Activity.ID.Time().In(time.FixedZone("Tokyo", 9*3600)).ISOWeek()
	return []string{"week", fmt.Sprintf("%d-%02d", year, week)}
}

func TestAnApplicationGroupsByItsOwnKeyAndSpan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &notify.Options{Group: byWeek})
	share, like := w.like("ann"), w.like("carl")
	share.Activity.Verb, share.Activity.Data = "share", []byte(`"a"`)
	w.store(t, share, like)
	w.pass(4*24*time.Hour + 14*time.Hour) // from Tuesday noon to Sunday, 02:00 UTC
	answer := w.like("dora")
	answer.Activity.Verb, answer.Activity.Target = "answer", answer.Activity.Object
	answer.Activity.Object = feed.Ref{Kind: "answer", ID: "a#b"}
	w.store(t, answer)
	g := w.group(t)
	require.Equal(t, "G#photo:1#week#2026-11", g.SK)
	require.Equal(t, "dora carl ann", g.actors())
	w.pass(13 * time.Hour) // Monday in Tokyo
	w.store(t, w.like("eve"))
	require.Len(t, w.groups(t, "bob"), 2)

	// What is left is rebuilt with its verb and object.
	group := notify.In{User: "bob", Group: g.SK[2:]}
	latest := w.like("finn")
	latest.Activity.ID = answer.Activity.ID + 1000
	w.store(t, latest)
	require.True(t, w.retract(t, latest))
	got := w.entry(t, group).Activity
	require.Equal(t, answer.Activity.ID, got.ID)
	require.Equal(t, []any{"answer", answer.Activity.Object, answer.Activity.Target}, []any{got.Verb, got.Object, got.Target})
	require.True(t, w.retract(t, answer))
	require.True(t, w.retract(t, like))
	got = w.entry(t, group).Activity
	require.Equal(t, []any{share.Activity.ID, "share", share.Activity.Object}, []any{got.ID, got.Verb, got.Object})
	require.True(t, got.Target.IsZero())
	require.Equal(t, isRetracted, w.outcome(t, like))

	require.NoError(t, errOf(w.MarkRead(t.Context(), "bob", shown(w.entry(t, group)))))
	require.True(t, w.entry(t, group).Read)
	does(t)(w.MarkUnread(t.Context(), group))
	does(t)(w.Archive(t.Context(), group))
	groups, err := w.RetractTarget(t.Context(), "bob", feed.Ref{Kind: "photo", ID: "1"})
	require.NoError(t, err)
	require.Equal(t, 2, groups)
}

// Notify must find the group that Retract finds.
func TestAGroupingSeesWhatRetractIsPassed(t *testing.T) {
	t.Parallel()
	var seen []notify.Notification
	w := newWorld(t, &notify.Options{Group: func(n notify.Notification) []string {
		seen = append(seen, n)
		return notify.ByVerbAndDay(n)
	}})
	n := w.like("ann")
	n.CountBy, n.Critical = notify.ByActor, true
	n.Activity.Data, n.Activity.To, n.Activity.ForeignID, n.Activity.Time = []byte(`1`), []string{"x"}, "f", noon
	w.store(t, n)
	bare := n
	bare.Critical = false
	bare.Activity = feed.Activity{ID: n.Activity.ID, Actor: n.Activity.Actor, Verb: n.Activity.Verb, Object: n.Activity.Object}
	require.True(t, w.retract(t, bare))
	require.Equal(t, []notify.Notification{bare, bare}, seen)
	require.Equal(t, "G#photo:1#like#2026-03-10", w.group(t).SK)
}

func TestRetractTriesTheFormerGrouping(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	stated := callstest.ReadCosts(t, "..", "notify")
	w := newWorld(t, nil)
	old, unknown := w.like("ann"), w.like("carl")
	w.store(t, old)
	changed := w.process(t, &notify.Options{Group: byWeek, GroupBefore: notify.ByVerbAndDay}, meter.Wrap)
	next := changed.like("dora")
	changed.store(t, next)
	require.Len(t, w.groups(t, "bob"), 2)
	for _, n := range []notify.Notification{old, next} {
		meter.AtMost(t, "retract", stated.Of("Repository.Retract", "an event", "with Options.GroupBefore"), func() {
			require.True(t, changed.retract(t, n))
		})
		require.False(t, changed.retract(t, n))
	}
	require.False(t, changed.retract(t, unknown))
	for _, p := range []world{w, changed} {
		require.Equal(t, isRetracted, p.outcome(t, unknown), "by processes of both")
		require.Equal(t, isRetracted, p.outcome(t, old))
	}
	require.Empty(t, w.list(t, "bob"))

	for seed := range faults.Seeds(5) {
		faulty := w.process(t, &notify.Options{Group: byWeek, GroupBefore: notify.ByVerbAndDay}, faults.New(t, seed, faults.Standard).Wrap)
		n := w.like("eve")
		w.store(t, n)
		faults.Acknowledged(t, func() error { return errOf(faulty.Retract(t.Context(), n)) })
		require.Empty(t, w.list(t, "bob"))
	}
}

func TestABadGroupingIsRefused(t *testing.T) {
	t.Parallel()
	for field, parts := range map[string][]string{
		"Options.Group": {}, "Options.Group[0]": {""}, "Options.Group[1]": {"a", strings.Repeat("x", 257)},
		"Activity": {strings.Repeat("#", 256), strings.Repeat("#", 256), "1", "1"},
	} {
		w := newWorld(t, &notify.Options{Group: func(notify.Notification) []string { return parts }})
		for _, err := range []error{errOf3(w.Notify(t.Context(), w.like("ann"))), errOf(w.Retract(t.Context(), w.like("ann")))} {
			var invalid *plaza.InvalidError
			require.ErrorAs(t, err, &invalid)
			require.Equal(t, field, invalid.Field)
		}
	}
	w := newWorld(t, &notify.Options{Group: func(notify.Notification) []string { return make([]string, 5) }})
	require.ErrorIs(t, errOf3(w.Notify(t.Context(), w.like("ann"))), plaza.ErrInvalid)
}

func TestADamagedVerbOfAnEntryIsReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &notify.Options{Group: byWeek})
	first, second := w.like("ann"), w.like("carl")
	w.store(t, first, second)
	g := w.group(t)
	w.set(t, map[string]any{"e" + first.Activity.ID.String(): g.Last.String() + "#ann#vlike"})
	require.ErrorIs(t, errOf(w.Retract(t.Context(), second)), plaza.ErrCorrupt)
}
