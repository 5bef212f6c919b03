package prefs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

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
	for i := range 150 {
		opts.Verbs = append(opts.Verbs, prefs.Verb{Name: fmt.Sprintf("verb %013d", i)})
	}
	w := newWorld(t, opts)
	for i, verb := range opts.Verbs {
		if i%30 == 0 {
			w.set(t, about(verb.Name, "phone"), i%60 == 0)
		}
	}
	require.Len(t, w.own(t), 5)

	// A user who has set all of them.
	var off []string
	for _, verb := range opts.Verbs {
		for _, channel := range append(opts.Channels, prefs.InApp) {
			off = append(off, verb.Name+"#"+channel)
		}
	}
	require.NoError(t, w.raw(t).Put(struct {
		PK     string   `dynamo:"pk"`
		SK     string   `dynamo:"sk"`
		Change string   `dynamo:"change"`
		Off    []string `dynamo:"off,set"`
	}{"N#ann", "P", ids.At(noon).String(), off}).Run(t.Context()))
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
	expiries := func() (set int) {
		for _, item := range w.stored(t) {
			if item["ttl"] != nil {
				set++
			}
		}
		return set
	}
	for range 2 {
		w.set(t, about("like", email), true)
		w.block(t, bob)
		w.mute(t, mute)
		require.Zero(t, expiries())
		does(t, true)(w.Unset(t.Context(), about("like", email)))
		does(t, true)(w.Unblock(t.Context(), bob))
		does(t, true)(w.Unmute(t.Context(), mute))
		require.Equal(t, 3, expiries())
	}
	var rows []struct {
		TTL int64 `dynamo:"ttl"`
	}
	require.NoError(t, w.raw(t).Scan().All(t.Context(), &rows))
	for _, row := range rows {
		require.Equal(t, noon.Add(30*24*time.Hour).Unix(), row.TTL)
	}
}
