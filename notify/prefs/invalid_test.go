package prefs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

func TestInvalidInputIsRefusedWithoutARequest(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, in.Wrap)
	long := strings.Repeat("x", 257)
	for _, c := range []struct {
		field string
		s     prefs.Subscription
	}{
		{"User", prefs.Subscription{Verb: "like", Channel: email}},
		{"User", prefs.Subscription{User: long, Verb: "like", Channel: email}},
		{"User", prefs.Subscription{User: "\xff", Verb: "like", Channel: email}},
		{"Verb", about("wave", email)},
		{"Channel", about("like", "")},
		{"Channel", about("like", "fax")},
	} {
		for name, call := range map[string]func() error{
			"Set":   func() error { return errOf(w.Set(t.Context(), c.s, true)) },
			"Unset": func() error { return errOf(w.Unset(t.Context(), c.s)) },
			"Token": func() error { return errOf(w.Token(c.s)) },
		} {
			refused(t, c.field, call(), name)
		}
	}
	for _, c := range []struct {
		field string
		p     prefs.Pair
	}{
		{"User", prefs.Pair{Actor: "bob"}},
		{"User", prefs.Pair{User: long, Actor: "bob"}},
		{"Actor", prefs.Pair{User: "ann"}},
		{"Actor", prefs.Pair{User: "ann", Actor: "\xff"}},
		{"Actor", prefs.Pair{User: "ann", Actor: strings.Repeat("x", 1022)}},
		{"Actor", prefs.Pair{User: "ann", Actor: strings.Repeat("#", 511)}},
		{"Actor", prefs.Pair{User: "ann", Actor: "ann"}},
	} {
		for name, call := range map[string]func() error{
			"Block":   func() error { return errOf(w.Block(t.Context(), c.p)) },
			"Unblock": func() error { return errOf(w.Unblock(t.Context(), c.p)) },
			"Blocked": func() error { return errOf(w.Blocked(t.Context(), c.p)) },
		} {
			refused(t, c.field, call(), name)
		}
	}
	for _, c := range []struct {
		field string
		topic prefs.Topic
	}{
		{"User", prefs.Topic{Object: picture}},
		{"Object", prefs.Topic{User: "ann"}},
		{"Object", prefs.Topic{User: "ann", Object: feed.Ref{ID: "\xff"}}},
		{"Object", prefs.Topic{User: "ann", Object: feed.Ref{Kind: strings.Repeat("#", 255), ID: strings.Repeat("#", 256)}}},
		{"Object", prefs.Topic{User: "ann", Object: feed.Ref{Kind: "picture"}}},
		{"Object", prefs.Topic{User: "ann", Object: feed.Ref{ID: long}}},
		{"Object", prefs.Topic{User: "ann", Object: feed.Ref{ID: "a:b"}}},
	} {
		for name, call := range map[string]func() error{
			"Mute":   func() error { return errOf(w.Mute(t.Context(), c.topic)) },
			"Unmute": func() error { return errOf(w.Unmute(t.Context(), c.topic)) },
		} {
			refused(t, c.field, call(), name)
		}
	}
	wide := feed.Ref{Kind: strings.Repeat("#", 256), ID: strings.Repeat("#", 256)}
	for _, c := range []struct {
		field  string
		change func(*notify.Notification)
	}{
		{"User", func(n *notify.Notification) { n.User = "" }},
		{"User", func(n *notify.Notification) { n.User = long }},
		{"Verb", func(n *notify.Notification) { n.Activity.Verb = "" }},
		{"Actor.ID", func(n *notify.Notification) { n.Activity.Actor = feed.Ref{} }},
		{"Object.ID", func(n *notify.Notification) { n.Activity.Object.ID = "" }},
		{"Activity.Actor", func(n *notify.Notification) { n.Activity.Actor = wide }},
		{"Activity.Object", func(n *notify.Notification) { n.Activity.Object = wide }},
		{"Activity.Object", func(n *notify.Notification) { n.Activity.Target = wide }},
	} {
		n := of("like")
		c.change(&n)
		_, err := w.Decide(t.Context(), n)
		refused(t, c.field, err, "Decide")
	}
	for _, user := range []string{"", long, "\xff"} {
		for name, call := range map[string]func() error{
			"Settings": func() error { return errOf(w.Settings(t.Context(), user)) },
			"Blocks":   func() error { return errOf(w.Blocks(t.Context(), user, cursor.PageRequest{})) },
			"Mutes":    func() error { return errOf(w.Mutes(t.Context(), user, cursor.PageRequest{})) },
			"Erase":    func() error { return w.Erase(t.Context(), user) },
		} {
			refused(t, "User", call(), name)
		}
	}
	require.Zero(t, in.Requests())
}

func refused(t *testing.T, field string, err error, name string) {
	t.Helper()
	var invalid *plaza.InvalidError
	require.ErrorAs(t, err, &invalid, name)
	require.Equal(t, field, invalid.Field, name)
}

func TestNewRefusesInvalidConfiguration(t *testing.T) {
	t.Parallel()
	db := dynamo.NewFromIface(nil)
	for _, c := range []struct {
		field string
		spoil func(*prefs.Options)
	}{
		{"Options.Channels[1]", func(o *prefs.Options) { o.Channels[1] = email }},
		{"Options.Channels[1]", func(o *prefs.Options) { o.Channels[1] = prefs.InApp }},
		{"Options.Channels[0]", func(o *prefs.Options) { o.Channels[0] = "" }},
		{"Options.Channels", func(o *prefs.Options) { o.Channels = strings.Split("abcdefghi", "") }},
		{"Options.Verbs[0].Name", func(o *prefs.Options) { o.Verbs[0].Name = prefs.AnyVerb }},
		{"Options.Verbs[1].Name", func(o *prefs.Options) { o.Verbs[1].Name = "like" }},
		{"Options.Verbs[0].Channels", func(o *prefs.Options) { o.Verbs[0].Channels = []string{"fax"} }},
		{"Options.Verbs[0].Channels", func(o *prefs.Options) { o.Verbs[0].Channels = []string{prefs.InApp} }},
		{"Options.Verbs", func(o *prefs.Options) {
			for c := range 30 {
				o.Verbs = append(o.Verbs, prefs.Verb{Name: strings.Repeat(string(rune('A'+c)), 250)})
			}
		}},
		{"Options.Tokens.Keys[1]", func(o *prefs.Options) { o.Tokens.Keys[1] = key(1)[:31] }},
		{"Options.Tokens.Keys[1]", func(o *prefs.Options) { o.Tokens.Keys[1] = make([]byte, 32) }},
		{"Options.Tokens.Current", func(o *prefs.Options) { o.Tokens.Current = 2 }},
		{"Options.CacheTTL", func(o *prefs.Options) { o.CacheTTL = -time.Second }},
		{"Options.CacheSize", func(o *prefs.Options) { o.CacheSize = -1 }},
	} {
		opts := options()
		c.spoil(opts)
		_, err := prefs.New(db, "table", new(clock), opts)
		refused(t, c.field, err, c.field)
	}
	_, err := prefs.New(nil, "table", new(clock), nil)
	refused(t, "db", err, "")
	_, err = prefs.New(db, "", new(clock), nil)
	refused(t, "table", err, "")
	require.NoError(t, errOf(prefs.New(db, "table", new(clock), nil)))
}

func TestOptionsMayChangeAfterNew(t *testing.T) {
	t.Parallel()
	opts := options()
	w := newWorld(t, opts)
	token, err := w.Token(about("like", email))
	require.NoError(t, err)
	opts.Channels[0], opts.Verbs[1].Name, opts.Verbs[1].Channels[0], opts.Tokens.Keys[1][0] = "fax", "x", "fax", 99
	delete(opts.Tokens.Keys, 1)
	require.Equal(t, notify.Decision{Channels: []string{email}}, w.decide(t, of("comment")))
	again, err := w.Token(about("like", email))
	require.NoError(t, err)
	require.Equal(t, token, again)
}

func TestVerifyComparesTheTableWithNotifys(t *testing.T) {
	t.Parallel()
	db := dynamotest.DB(t)
	w := newWorld(t, nil)
	require.ErrorIs(t, w.Verify(t.Context()), plaza.ErrTable, "no expiry")
	require.NoError(t, errOf(db.Client().UpdateTimeToLive(t.Context(), notify.TTL(w.table))))
	require.NoError(t, w.Verify(t.Context()))
	notifications, err := notify.New(db, w.table, sequence{}, nil)
	require.NoError(t, err)
	require.NoError(t, notifications.Init(t.Context()))
	require.NoError(t, w.Verify(t.Context()))
	require.NoError(t, w.raw(t).Update("pk", "~").Range("sk", "~").Set("feature", "danmu").Run(t.Context()))
	require.ErrorIs(t, w.Verify(t.Context()), plaza.ErrTable)
}
