package prefs_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// sixteen is a user's id of 16 bytes.
func sixteen(name string) string { return fmt.Sprintf("%-16s", name) }

// copies stores a user's row about the thing of number 0 again for those up to n.
func (w world) copies(t testing.TB, user string, thing func(i int) string, n int) {
	t.Helper()
	var rows []any
	for _, item := range w.stored(t) {
		sk := item["sk"].(*types.AttributeValueMemberS).Value
		if !strings.HasSuffix(sk, thing(0)) || item["pk"].(*types.AttributeValueMemberS).Value != "N#"+user {
			continue
		}
		for i := 1; i < n; i++ {
			row := maps.Clone(item)
			row["sk"] = text(strings.TrimSuffix(sk, thing(0)) + thing(i))
			rows = append(rows, row)
		}
	}
	require.Len(t, rows, n-1)
	require.NoError(t, failed(w.raw(t).Batch().Write().Put(rows...).Run(t.Context())))
}

func TestOperationsCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	stated := callstest.ReadCosts(t, "../..", "notify/prefs")
	meter := dynamotest.NewMeter()
	ann := sixteen("ann")
	opts := options()
	opts.Consistent = false
	for i := range 60 {
		opts.Verbs = append(opts.Verbs, prefs.Verb{Name: fmt.Sprintf("verb %010d", i)})
	}
	quiet := newWorld(t, opts)
	w := quiet.process(t, opts, meter.Wrap)
	eve := sixteen("eve")
	user := func(i int) string { return sixteen(fmt.Sprint("user ", i)) }
	require.NoError(t, failed(quiet.Unblock(t.Context(), prefs.Pair{User: eve, Actor: user(0)})))
	quiet.copies(t, eve, user, 126) // tombstones
	strong := quiet.process(t, nil, meter.Wrap)
	require.NoError(t, failed(dynamotest.DB(t).Client().UpdateTimeToLive(t.Context(), notify.TTL(w.table))))
	pair := func(i int) prefs.Pair { return prefs.Pair{User: ann, Actor: user(i)} }
	picture := func(i int) string { return fmt.Sprint("123456789012345", i) }
	topic := func(i int) prefs.Topic {
		return prefs.Topic{User: ann, Object: feed.Ref{Kind: "picture", ID: picture(i)}}
	}
	quiet.block(t, pair(0))
	quiet.mute(t, topic(0))
	quiet.copies(t, ann, user, 50)
	quiet.copies(t, ann, picture, 50)
	subscription := prefs.Subscription{User: ann, Verb: "comment", Channel: email}
	// sets makes settings from one to another, of which only the last is measured.
	sets := func(from, to int) func(context.Context) error {
		return func(ctx context.Context) (err error) {
			for i := from; i <= to && err == nil; i++ {
				process := quiet
				if i == to {
					process = w
				}
				_, err = process.Set(ctx, prefs.Subscription{User: ann, Verb: opts.Verbs[5+i].Name, Channel: email}, false)
			}
			return err
		}
	}
	token, err := w.Token(subscription)
	require.NoError(t, err)
	decides := func(verb string, wrap ...wrapper) func(context.Context) error {
		n := of(verb)
		n.User = ann
		return func(ctx context.Context) error {
			process := w
			if wrap != nil {
				process = quiet.process(t, opts, wrap...)
			}
			return failed(process.Decide(ctx, n))
		}
	}
	own := of("like")
	own.User = own.Activity.Actor.ID

	type cost = dynamotest.Cost
	for _, c := range []struct {
		name string
		want cost
		call func(context.Context) error
	}{
		{"decide of a stranger", stated.Of("Repository.Decide", "a notification"), decides("like", meter.Wrap)},
		{"set, the first", stated.Of("Repository.Set", "up to 40 settings"), func(ctx ctx) error { return failed(w.Set(ctx, subscription, true)) }},
		{"set, the same", stated.Of("Repository.Set", "up to 40 settings"), func(ctx ctx) error { return failed(w.Set(ctx, subscription, true)) }},
		{"unset", stated.Of("Repository.Set", "up to 40 settings"), func(ctx ctx) error { return failed(w.Unset(ctx, subscription)) }},
		{"unsubscribe", stated.Of("Repository.Set", "up to 40 settings"), func(ctx ctx) error { return failed(w.Unsubscribe(ctx, token)) }},
		{"set, the 40th", stated.Of("Repository.Set", "up to 40 settings"), sets(0, 38)},
		{"set, the 61st", stated.Of("Repository.Set", "up to 40 settings", "each further KB of settings"), sets(39, 59)},
		{"settings", cost{Requests: 1, Read: 1}, func(ctx ctx) error { return failed(w.Settings(ctx, ann)) }},

		{"decide, nothing cached", stated.Of("Repository.Decide", "a notification"), decides("like", meter.Wrap)},
		{"decide", stated.Of("Repository.Decide", "a notification, known settings"), decides("like")},
		{"decide, of a verb that pierces, nothing cached", stated.Of("Repository.Decide", "of a verb that pierces"), decides("mention", meter.Wrap)},
		{"decide, of a verb that pierces", stated.Of("Repository.Decide", "of a verb that pierces, known settings"), decides("mention")},
		{"decide, critical, nothing cached", stated.Of("Repository.Decide", "of a critical one"), decides("login", meter.Wrap)},
		{"decide, critical", stated.Of("Repository.Decide", "of a critical one, known settings"), decides("login")},
		{"decide, one's own", stated.Of("Repository.Decide", "of the user's own action"), func(ctx ctx) error { return failed(w.Decide(ctx, own)) }},
		{"decide, consistent, nothing cached", stated.Of("Repository.Decide", "with Options.Consistent"), func(ctx ctx) error { return failed(strong.Decide(ctx, of("like"))) }},
		{"decide, consistent", stated.Of("Repository.Decide", "with Options.Consistent, known settings"), func(ctx ctx) error { return failed(strong.Decide(ctx, of("like"))) }},

		{"block", stated.Of("Repository.Block"), func(ctx ctx) error { return failed(w.Block(ctx, pair(900))) }},
		{"unblock", stated.Of("Repository.Block"), func(ctx ctx) error { return failed(w.Unblock(ctx, pair(900))) }},
		{"mute", stated.Of("Repository.Block"), func(ctx ctx) error { return failed(w.Mute(ctx, topic(900))) }},
		{"unmute", stated.Of("Repository.Block"), func(ctx ctx) error { return failed(w.Unmute(ctx, topic(900))) }},
		{"blocked", stated.Of("Repository.Blocked"), func(ctx ctx) error { return failed(w.Blocked(ctx, pair(1))) }},
		{"blocks", cost{Requests: 1, Read: 1}, func(ctx ctx) error { return failed(w.Blocks(ctx, ann, pageRequest{Limit: 40})) }},
		{"blocks that have ended", cost{Requests: 6, Read: 7}, func(ctx ctx) error { return failed(w.Blocks(ctx, eve, pageRequest{Limit: 1})) }},
		{"mutes", cost{Requests: 1, Read: 1}, func(ctx ctx) error { return failed(w.Mutes(ctx, ann, pageRequest{Limit: 40})) }},
		{"verify", stated.Of("Repository.Verify"), func(ctx ctx) error { return w.Verify(ctx) }},
		{"erase", cost{Requests: 2 + 5, Read: 2, Write: 105}, func(ctx ctx) error { return w.Erase(ctx, ann) }},
	} {
		got := meter.AtMost(t, c.name, c.want, func() { require.NoError(t, c.call(t.Context()), c.name) })
		t.Logf("%s: %v", c.name, got)
		require.Equal(t, c.want.Requests, got.Requests, c.name)
	}

	// 20 settings of long names take 5 KB.
	long := options()
	for i := range 20 {
		long.Verbs = append(long.Verbs, prefs.Verb{Name: fmt.Sprintf("%0245d", i)})
	}
	many := newWorld(t, long, meter.Wrap)
	for _, verb := range long.Verbs[len(long.Verbs)-20:] {
		many.set(t, prefs.Subscription{User: "bob", Verb: verb.Name, Channel: email}, true)
	}
	set := stated.Of("Repository.Set", "up to 40 settings", "each further 4 KB of settings").
		Plus(stated.Times(5, "Repository.Set", "each further KB of settings"))
	meter.AtMost(t, "set, of 5 KB", set, func() {
		many.set(t, prefs.Subscription{User: "bob", Verb: "like", Channel: email}, true)
	})
	decide := stated.Of("Repository.Decide", "with Options.Consistent", "each further 4 KB of settings", "each further 4 KB of settings")
	meter.AtMost(t, "decide, of 5 KB", decide, func() {
		require.NoError(t, failed(many.process(t, long, meter.Wrap).Decide(t.Context(), of("like"))))
	})

	// Another write comes between the read and the write of this one.
	raced := faults.Before(t, "UpdateItem", func() { quiet.block(t, bob) })
	between := quiet.process(t, opts, meter.Wrap, raced.Wrap)
	meter.AtMost(t, "block, raced", stated.Of("Repository.Set", "up to 40 settings", "where another call came between"), func() {
		does(t, false)(between.Block(t.Context(), bob))
	})
}
