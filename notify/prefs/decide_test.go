package prefs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

func TestTheFirstThatAppliesDecides(t *testing.T) {
	t.Parallel()
	critical := func(verb string) notify.Notification { n := of(verb); n.Critical = true; return n }
	by := func(actor string, n notify.Notification) notify.Notification {
		n.Activity.Actor = feed.Ref{ID: actor}
		return n
	}
	within := func(n notify.Notification) notify.Notification { // a comment on the picture
		n.Activity.Object, n.Activity.Target = feed.Ref{Kind: "comment", ID: "7"}, picture
		return n
	}
	blocks := func(w world, t *testing.T) { w.block(t, bob) }
	mutes := func(w world, t *testing.T) { w.mute(t, mute) }
	sets := func(verb, channel string, on bool) func(world, *testing.T) {
		return func(w world, t *testing.T) { w.set(t, about(verb, channel), on) }
	}
	type given = []func(world, *testing.T)
	drop := notify.Decision{Drop: true}
	via := func(channels ...string) notify.Decision { return notify.Decision{Channels: channels} }

	for name, c := range map[string]struct {
		given given
		n     notify.Notification
		want  notify.Decision
	}{
		"a verb's default":              {nil, of("comment"), via(email)},
		"channels are in their order":   {nil, of("mention"), via(email, push)},
		"a verb on no further channel":  {nil, of("like"), via()},
		"a verb that is not declared":   {nil, of("wave"), via()},
		"a verb to opt in":              {nil, of("tip"), drop},
		"one that was opted in":         {given{sets("tip", prefs.InApp, true)}, of("tip"), via(push)},
		"off on a channel":              {given{sets("comment", email, false)}, of("comment"), via()},
		"on by a further channel":       {given{sets("comment", push, true)}, of("comment"), via(email, push)},
		"off in the list, off anywhere": {given{sets("comment", prefs.InApp, false)}, of("comment"), drop},
		"off for any verb":              {given{sets(prefs.AnyVerb, email, false)}, of("comment"), via()},
		"on for any verb":               {given{sets(prefs.AnyVerb, push, true)}, of("wave"), via(push)},
		"a verb's own over any":         {given{sets(prefs.AnyVerb, email, false), sets("comment", email, true)}, of("comment"), via(email)},
		"another verb's own":            {given{sets("like", prefs.InApp, false)}, of("comment"), via(email)},

		"a blocked actor":                {given{blocks}, of("comment"), drop},
		"another actor":                  {given{blocks}, by("eve", of("comment")), via(email)},
		"a blocked actor's mention":      {given{blocks}, of("mention"), drop},
		"a muted object":                 {given{mutes}, of("comment"), drop},
		"a muted target":                 {given{mutes}, within(of("comment")), drop},
		"a mention about a muted object": {given{mutes}, of("mention"), via(email, push)},
		"a mention that is off":          {given{mutes, sets("mention", prefs.InApp, false)}, of("mention"), drop},
		"one's own action":               {nil, by("ann", of("comment")), drop},

		"a critical verb":                   {nil, of("login"), via(email)},
		"critical, muted":                   {given{mutes, sets("login", prefs.InApp, false), sets("login", email, false)}, of("login"), via(email)},
		"critical, blocked":                 {given{blocks}, of("login"), via(email)},
		"a critical verb, one's own":        {nil, by("ann", of("login")), drop},
		"critical, one's own":               {nil, by("ann", critical("login")), via(email)},
		"critical, on a channel by choice":  {given{sets("login", push, true)}, of("login"), via(email, push)},
		"critical and to opt in":            {nil, critical("tip"), via(push)},
		"a critical notification, all off":  {given{blocks, mutes, sets(prefs.AnyVerb, prefs.InApp, false)}, critical("comment"), via(email)},
		"a critical one, not declared, off": {given{sets(prefs.AnyVerb, prefs.InApp, false)}, critical("wave"), via()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			for _, do := range c.given {
				do(w, t)
			}
			require.Equal(t, c.want, w.decide(t, c.n))
			require.Equal(t, c.want, w.process(t, nil).decide(t, c.n), "in a process that has nothing cached")
		})
	}
}

func TestActorsAreUsersAsOptionsSay(t *testing.T) {
	t.Parallel()
	opts := options()
	opts.User = func(actor feed.Ref) string {
		if actor.Kind == "user" {
			return actor.ID
		}
		return "" // no user
	}
	w := newWorld(t, opts)
	w.block(t, bob)
	n := of("like")
	for actor, drop := range map[feed.Ref]bool{
		{Kind: "user", ID: "bob"}: true,
		{Kind: "user", ID: "ann"}: true, // herself
		{Kind: "user", ID: "eve"}: false,
		{Kind: "bot", ID: "bob"}:  false,
		{ID: "bob"}:               false,
	} {
		n.Activity.Actor = actor
		require.Equal(t, drop, w.decide(t, n).Drop, actor)
	}
}

// Names may have the character that joins keys, and be as long as feed allows.
func TestNamesOfAnyKind(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, name := range []string{"#", `a#b`, `a\`, "B#x", "$", "日本", string(make([]byte, 256))} {
		ref := feed.Ref{Kind: "k#" + name[:len(name)%200], ID: name}
		n := notify.Notification{User: name, Activity: feed.Activity{ID: ids.At(noon), Actor: ref, Verb: "like", Object: ref}}
		require.False(t, w.decide(t, n).Drop, "%q", name)
		block := prefs.Pair{User: name, Actor: ref.String()}
		w.block(t, block)
		require.True(t, w.decide(t, n).Drop, "%q", name)
		does(t, true)(w.Unblock(t.Context(), block))
		require.False(t, w.decide(t, n).Drop, "%q", name)
		w.mute(t, prefs.Topic{User: name, Object: ref})
		require.True(t, w.decide(t, n).Drop, "%q", name)

		page, err := w.Mutes(t.Context(), name, pageRequest{})
		require.NoError(t, err)
		require.Len(t, page.Items, 1)
		require.Equal(t, ref, page.Items[0].Object)
	}
}
