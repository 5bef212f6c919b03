package prefs_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// invalid is the error of a call with invalid input, and the field that it names.
type invalid struct {
	Field string
	Err   error
}

func TestInvalidInputIsRefusedWithoutARequest(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, in.Wrap)
	ctx := t.Context()
	long, broken := strings.Repeat("x", 257), "\xff"
	wide := feed.Ref{Kind: strings.Repeat("#", 256), ID: strings.Repeat("#", 256)}
	cases := map[string]invalid{}
	refuses := func(field string, about any, calls map[string]error) {
		for call, err := range calls {
			cases[fmt.Sprintf("%s %+v", call, about)] = invalid{field, err}
		}
	}
	for s, field := range map[prefs.Subscription]string{
		{Verb: "like", Channel: email}:               "User",
		{User: long, Verb: "like", Channel: email}:   "User",
		{User: broken, Verb: "like", Channel: email}: "User",
		about("wave", email):                         "Verb",
		about("like", ""):                            "Channel",
		about("like", "fax"):                         "Channel",
	} {
		refuses(field, s, map[string]error{"Set": failed(w.Set(ctx, s, true)), "Unset": failed(w.Unset(ctx, s)), "Token": failed(w.Token(s))})
	}
	for p, field := range map[prefs.Pair]string{
		{Actor: "bob"}:                                  "User",
		{User: long, Actor: "bob"}:                      "User",
		{User: "ann"}:                                   "Actor",
		{User: "ann", Actor: broken}:                    "Actor",
		{User: "ann", Actor: strings.Repeat("x", 1022)}: "Actor",
		{User: "ann", Actor: strings.Repeat("#", 511)}:  "Actor",
		{User: "ann", Actor: "ann"}:                     "Actor",
	} {
		refuses(field, p, map[string]error{"Block": failed(w.Block(ctx, p)), "Unblock": failed(w.Unblock(ctx, p)), "Blocked": failed(w.Blocked(ctx, p))})
	}
	for topic, field := range map[prefs.Topic]string{
		{Object: picture}: "User",
		{User: "ann"}:     "Object",
		{User: "ann", Object: feed.Ref{ID: broken}}:                                                   "Object",
		{User: "ann", Object: feed.Ref{Kind: strings.Repeat("#", 255), ID: strings.Repeat("#", 256)}}: "Object",
		{User: "ann", Object: feed.Ref{Kind: "picture"}}:                                              "Object",
		{User: "ann", Object: feed.Ref{ID: long}}:                                                     "Object",
		{User: "ann", Object: feed.Ref{ID: "a:b"}}:                                                    "Object",
	} {
		refuses(field, topic, map[string]error{"Mute": failed(w.Mute(ctx, topic)), "Unmute": failed(w.Unmute(ctx, topic))})
	}
	for i, c := range []struct {
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
		refuses(c.field, i, map[string]error{"Decide": failed(w.Decide(ctx, n))})
	}
	for _, user := range []string{"", long, broken} {
		refuses("User", user, map[string]error{
			"Settings": failed(w.Settings(ctx, user)), "Blocks": failed(w.Blocks(ctx, user, pageRequest{})),
			"Mutes": failed(w.Mutes(ctx, user, pageRequest{})), "Erase": w.Erase(ctx, user),
		})
	}
	callstest.RequireInvalid(t, cases)
	require.Zero(t, in.Requests())
}

func TestNewRefusesInvalidConfiguration(t *testing.T) {
	t.Parallel()
	db := dynamo.NewFromIface(nil)
	cases := map[string]invalid{
		"no database": {"db", failed(prefs.New(nil, "table", new(clock), nil))},
		"no table":    {"table", failed(prefs.New(db, "", new(clock), nil))},
	}
	for i, c := range []struct {
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
		cases[fmt.Sprint(c.field, " ", i)] = invalid{c.field, failed(prefs.New(db, "table", new(clock), opts))}
	}
	callstest.RequireInvalid(t, cases)
	require.NoError(t, failed(prefs.New(db, "table", new(clock), nil)))
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
	require.NoError(t, failed(db.Client().UpdateTimeToLive(t.Context(), notify.TTL(w.table))))
	require.NoError(t, w.Verify(t.Context()))
	notifications, err := notify.New(db, w.table, w.clock, nil)
	require.NoError(t, err)
	require.NoError(t, notifications.Init(t.Context()))
	require.NoError(t, w.Verify(t.Context()))
	require.NoError(t, w.raw(t).Update("pk", "~").Range("sk", "~").Set("feature", "danmu").Run(t.Context()))
	require.ErrorIs(t, w.Verify(t.Context()), plaza.ErrTable)
}
