package operations_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

var photo = feed.Ref{Kind: "photo", ID: "1"}

// liked is what ann is notified of.
func liked() notify.Notification {
	return notify.Notification{User: "ann", Activity: feed.Activity{Actor: feed.Ref{Kind: "user", ID: "ben"}, Verb: "like", Object: photo}}
}

func notifySteps(t *testing.T) []step {
	db, gen := open(t)
	watchers, err := follow.New(db, table(t, follow.Table, follow.TTL), gen, nil)
	require.NoError(t, err)
	_, _, err = watchers.Follow(t.Context(), follow.Edge{Follower: "cem", Followee: photo.String()})
	require.NoError(t, err)
	r, err := notify.New(db, table(t, notify.Table, notify.TTL), gen, &notify.Options{Watchers: watchers})
	require.NoError(t, err)
	n := liked()
	n.Activity.ID = next(t, gen)
	in, shown := notify.In{User: "ann"}, notify.Shown{}
	tell := func(ctx context.Context) error {
		res, _, err := r.Notify(ctx, n)
		in.Group, shown = res.Group, notify.Shown{Group: res.Group, Last: res.Last}
		return err
	}
	return []step{
		{"Repository.Init", r.Init},
		{"Repository.Verify", r.Verify},
		{"Repository.Notify", tell},
		{"Repository.List", func(ctx context.Context) error { return failed(r.List(ctx, notify.Reader{User: "ann"}, page)) }},
		{"Repository.Unseen", func(ctx context.Context) error { return failed(r.Unseen(ctx, notify.Reader{User: "ann"})) }},
		{"Repository.Unread", func(ctx context.Context) error { return failed(r.Unread(ctx, "ann", notify.Span{To: next(t, gen)})) }},
		{"Repository.MarkSeen", func(ctx context.Context) error {
			return r.MarkSeen(ctx, "ann", notify.View{At: next(t, gen), Newest: shown.Last})
		}},
		{"Repository.MarkRead", func(ctx context.Context) error { return r.MarkRead(ctx, "ann", []notify.Shown{shown}) }},
		{"Repository.MarkUnread", func(ctx context.Context) error { return failed(r.MarkUnread(ctx, in)) }},
		{"Repository.MarkAllRead", func(ctx context.Context) error {
			return r.MarkAllRead(ctx, "ann", notify.View{At: next(t, gen), Newest: shown.Last})
		}},
		{"Repository.Archive", func(ctx context.Context) error { return failed(r.Archive(ctx, in)) }},
		{"Repository.Archived", func(ctx context.Context) error { return failed(r.Archived(ctx, "ann", page)) }},
		{"Repository.Unarchive", func(ctx context.Context) error { return failed(r.Unarchive(ctx, in)) }},
		{"Repository.Snooze", func(ctx context.Context) error { return failed(r.Snooze(ctx, in, time.Now().Add(time.Hour))) }},
		{"Repository.Snoozed", func(ctx context.Context) error { return failed(r.Snoozed(ctx, "ann", page)) }},
		{"Repository.Unsnooze", func(ctx context.Context) error { return failed(r.Unsnooze(ctx, in)) }},
		{"Repository.Dismiss", func(ctx context.Context) error { return r.Dismiss(ctx, "ann", next(t, gen)) }},
		{"Repository.Retract", func(ctx context.Context) error { return failed(r.Retract(ctx, n)) }},
		{"Repository.RetractTarget", func(ctx context.Context) error { return failed(r.RetractTarget(ctx, "ann", photo)) }},
		{"Repository.Watchers", func(ctx context.Context) error {
			n := n
			n.User = ""
			return failed(r.Watchers(ctx, photo, n))
		}},
		{"Repository.Deliver", func(ctx context.Context) error { return failed(r.Deliver(ctx)) }},
		{"Repository.Run", callstest.UntilAnswer(r.Run)},
		{"Repository.Erase", func(ctx context.Context) error { return r.Erase(ctx, "ann") }},
	}
}

func announceSteps(t *testing.T) []step {
	db, gen := open(t)
	r, err := announce.New(db, table(t, notify.Table, notify.TTL), gen, nil)
	require.NoError(t, err)
	var said notify.Announcement
	announced := func(ctx context.Context) (err error) {
		said, _, err = r.Announce(ctx, notify.Announcement{Audience: "everyone", Title: "Hello", From: time.Now(), Until: time.Now().Add(time.Hour)})
		return err
	}
	return []step{
		{"Repository.Verify", r.Verify},
		{"Repository.Announce", announced},
		{"Repository.Live", func(ctx context.Context) error {
			return failed(r.Live(ctx, notify.Reader{User: "ann", Audiences: []string{"everyone"}}))
		}},
		{"Repository.List", func(ctx context.Context) error { return failed(r.List(ctx, "everyone", page)) }},
		{"Repository.Withdraw", func(ctx context.Context) error { return failed(r.Withdraw(ctx, "everyone", said.ID)) }},
		{"Repository.Erase", func(ctx context.Context) error { return r.Erase(ctx, "everyone") }},
	}
}

func prefsSteps(t *testing.T) []step {
	db, gen := open(t)
	r, err := prefs.New(db, table(t, notify.Table, notify.TTL), &prefs.Options{
		Channels: []string{"email"}, Verbs: []prefs.Verb{{Name: "like", Channels: []string{"email"}}},
		Tokens: prefs.Keyring{Current: 1, Keys: map[byte][]byte{1: bytes.Repeat([]byte{1}, 32)}},
	})
	require.NoError(t, err)
	pair, topic := prefs.Pair{User: "ann", Actor: "ben"}, prefs.Topic{User: "ann", Object: photo}
	byEmail := prefs.Subscription{User: "ann", Verb: "like", Channel: "email"}
	token, err := r.Token(byEmail)
	require.NoError(t, err)
	n := liked()
	n.Activity.ID = next(t, gen)
	return []step{
		{"Repository.Verify", r.Verify},
		{"Repository.Set", func(ctx context.Context) error { return failed(r.Set(ctx, byEmail, true)) }},
		{"Repository.Settings", func(ctx context.Context) error { return failed(r.Settings(ctx, "ann")) }},
		{"Repository.Unsubscribe", func(ctx context.Context) error { return failed(r.Unsubscribe(ctx, token)) }},
		{"Repository.Unset", func(ctx context.Context) error { return failed(r.Unset(ctx, byEmail)) }},
		{"Repository.Decide", func(ctx context.Context) error { return failed(r.Decide(ctx, n)) }},
		{"Repository.Block", func(ctx context.Context) error { return failed(r.Block(ctx, pair)) }},
		{"Repository.Blocked", func(ctx context.Context) error { return failed(r.Blocked(ctx, pair)) }},
		{"Repository.Blocks", func(ctx context.Context) error { return failed(r.Blocks(ctx, "ann", page)) }},
		{"Repository.Unblock", func(ctx context.Context) error { return failed(r.Unblock(ctx, pair)) }},
		{"Repository.Mute", func(ctx context.Context) error { return failed(r.Mute(ctx, topic)) }},
		{"Repository.Mutes", func(ctx context.Context) error { return failed(r.Mutes(ctx, "ann", page)) }},
		{"Repository.Unmute", func(ctx context.Context) error { return failed(r.Unmute(ctx, topic)) }},
		{"Repository.Erase", func(ctx context.Context) error { return r.Erase(ctx, "ann") }},
	}
}

// byEmail is a Policy that wants every event in a digest, and a Sender.
type byEmail struct{ sent int }

func (*byEmail) Decide(context.Context, notify.Notification) (notify.Decision, error) {
	return notify.Decision{Channels: []string{"email"}}, nil
}

func (b *byEmail) Send(context.Context, digest.Delivery) error {
	b.sent++
	return nil
}

func digestSteps(t *testing.T) []step {
	db, gen := open(t)
	name := table(t, notify.Table, notify.TTL)
	var later time.Duration
	now := func() time.Time { return time.Now().Add(later) }
	digests, err := digest.New(db, name, &digest.Options{
		Schedule: func(context.Context, string, string) (digest.Schedule, error) {
			return digest.Schedule{Every: 5 * time.Minute}, nil
		},
		Now: now,
	})
	require.NoError(t, err)
	var mail byEmail
	bell, err := notify.New(db, name, gen, &notify.Options{Policy: &mail, Scheduler: digests, Now: now})
	require.NoError(t, err)
	worker, err := digest.NewWorker(digests, bell, &mail, nil)
	require.NoError(t, err)
	n := liked()
	n.Activity.ID = next(t, gen)
	_, _, err = bell.Notify(t.Context(), n)
	require.NoError(t, err)
	return []step{
		{"Repository.Verify", digests.Verify},
		{"Repository.Due", func(ctx context.Context) error { return digests.Due(ctx, "ben", []string{"email"}, next(t, gen)) }},
		{"Worker.Deliver", func(ctx context.Context) error {
			later = 10 * time.Minute
			_, err := worker.Deliver(ctx)
			require.Equal(t, 1, mail.sent)
			return err
		}},
		{"Worker.Run", callstest.UntilAnswer(worker.Run)},
		{"Repository.Erase", func(ctx context.Context) error { return digests.Erase(ctx, "ann") }},
	}
}
