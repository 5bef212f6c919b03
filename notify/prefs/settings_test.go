package prefs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

type (
	ctx         = context.Context
	pageRequest = cursor.PageRequest
)

func TestSettingsAreAllThatApplies(t *testing.T) {
	t.Parallel()
	opts := options()
	opts.Channels, opts.Verbs = opts.Channels[:1], opts.Verbs[:2]
	w := newWorld(t, opts)
	settings := func() []prefs.Setting {
		all, err := w.Settings(t.Context(), "ann")
		require.NoError(t, err)
		return all
	}
	require.Equal(t, []prefs.Setting{
		{Verb: "", Channel: prefs.InApp, On: true}, {Verb: "", Channel: email},
		{Verb: "like", Channel: prefs.InApp, On: true}, {Verb: "like", Channel: email},
		{Verb: "comment", Channel: prefs.InApp, On: true}, {Verb: "comment", Channel: email, On: true},
	}, settings())

	w.set(t, about("like", prefs.InApp), true) // as by default
	w.set(t, about("like", prefs.InApp), false)
	w.set(t, about(prefs.AnyVerb, email), true)
	w.set(t, about("comment", email), false)
	require.Equal(t, []prefs.Setting{
		{Verb: "", Channel: prefs.InApp, On: true}, {Verb: "", Channel: email, On: true, Own: true},
		{Verb: "like", Channel: prefs.InApp, Own: true}, {Verb: "like", Channel: email, On: true},
		{Verb: "comment", Channel: prefs.InApp, On: true}, {Verb: "comment", Channel: email, Own: true},
	}, settings())

	data, err := json.Marshal(settings()[2])
	require.NoError(t, err)
	require.JSONEq(t, `{"verb":"like","channel":"in-app","on":false,"own":true}`, string(data))
}

func TestAllSettingsThatOptionsAllowFit(t *testing.T) {
	t.Parallel()
	opts := &prefs.Options{Channels: []string{"email", "phone", "tablet"}, Consistent: true}
	var off []string
	for i := range 150 {
		verb := fmt.Sprintf("verb %013d", i)
		opts.Verbs = append(opts.Verbs, prefs.Verb{Name: verb})
		for _, channel := range append(opts.Channels, prefs.InApp) {
			off = append(off, verb+"#"+channel)
		}
	}
	w := newWorld(t, opts)
	require.NoError(t, w.raw(t).Put(dynamo.Item{"pk": text("N#ann"), "sk": text("P"), "change": text(ids.At(noon).String()), "off": set(off...)}).Run(t.Context()))
	require.Len(t, w.own(t), 600)
	w.set(t, about(opts.Verbs[0].Name, "phone"), true)
	require.Len(t, w.own(t), 600)
}

// A process that declares a verb and one that does not yet serve the same user.
func TestSettingsOfAnotherDeploymentAreKeptAndApply(t *testing.T) {
	t.Parallel()
	newer := newWorld(t, nil)
	opts := options()
	opts.Verbs, opts.Channels = opts.Verbs[:1], opts.Channels[:1]
	older := newer.process(t, opts)
	newer.set(t, about("comment", prefs.InApp), false)
	newer.set(t, about("mention", push), false)
	older.set(t, about("like", email), true)
	require.True(t, older.decide(t, of("comment")).Drop)
	require.Equal(t, map[prefs.Subscription]bool{
		about("comment", prefs.InApp): false, about("mention", push): false, about("like", email): true,
	}, newer.own(t))
}

func TestEmptyItemsExpire(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	expiry := number(strconv.FormatInt(noon.Add(30*24*time.Hour).Unix(), 10))
	expire := func(n int) {
		t.Helper()
		items := w.stored(t)
		items = slices.DeleteFunc(items, func(item dynamo.Item) bool { return item["ttl"] == nil })
		require.Len(t, items, n)
		for _, item := range items {
			require.Equal(t, expiry, item["ttl"])
		}
	}
	for range 2 {
		w.set(t, about("like", email), true)
		w.block(t, bob)
		w.mute(t, mute)
		expire(0)
		does(t, true)(w.Unset(t.Context(), about("like", email)))
		does(t, true)(w.Unblock(t.Context(), bob))
		does(t, true)(w.Unmute(t.Context(), mute))
		expire(3)
	}
}
