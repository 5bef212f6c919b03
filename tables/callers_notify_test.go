package tables_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	rooms "github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/notify/message"
	chat "github.com/plaza-sdk/plaza/notify/message/live"
	"github.com/plaza-sdk/plaza/notify/prefs"
	"github.com/plaza-sdk/plaza/tables"
)

func notifications(t *testing.T, w *world, as callers) {
	ctx := t.Context()
	type features struct {
		*notify.Repository
		announcements *announce.Repository
		prefs         *prefs.Repository
		digests       *digest.Repository
	}
	of := func(role tables.Role) (f features) {
		db := as[role].db
		graph := ok(follow.New(db, w.names.Follow, w, nil))(t)
		f.announcements = ok(announce.New(db, w.names.Notify, w, &announce.Options{Now: w.Now}))(t)
		f.prefs = ok(prefs.New(db, w.names.Notify, w, &prefs.Options{
			Channels: []string{"email"}, Verbs: []prefs.Verb{{Name: "comment", Channels: []string{"email"}}}, Now: w.Now,
			Tokens: prefs.Keyring{Keys: map[byte][]byte{0: bytes.Repeat([]byte{7}, 32)}},
		}))(t)
		f.digests = ok(digest.New(db, w.names.Notify, &digest.Options{
			Now: w.Now,
			ScheduleOf: func(context.Context, string, string) (digest.Schedule, error) {
				return digest.Schedule{Every: time.Hour}, nil
			},
		}))(t)
		f.Repository = ok(notify.New(db, w.names.Notify, w, &notify.Options{
			Policy: undecided{f.prefs}, Announcements: f.announcements, Scheduler: f.digests, Watchers: graph, Now: w.Now,
		}))(t)
		return f
	}
	reader, service, worker, operator := of(tables.Reader), of(tables.Service), of(tables.Worker), of(tables.Operator)
	graph := ok(follow.New(dynamotest.DB(t), w.names.Follow, w, nil))(t)
	for _, watcher := range []string{"eve", undecidedOf} { // the second one is tried again later
		all(t, err3(graph.Follow(ctx, follow.Edge{Follower: watcher, Followee: "post:1"})))
	}
	all(t, operator.Init(ctx), reader.Verify(ctx), reader.announcements.Verify(ctx), reader.prefs.Verify(ctx), reader.digests.Verify(ctx), worker.Verify(ctx))

	post := feed.Ref{Kind: "post", ID: "1"}
	event := func(about string) notify.Notification {
		return notify.Notification{User: "ann", Activity: feed.Activity{
			ID: w.id(), Actor: feed.Ref{ID: "ben"}, Verb: "comment", Object: feed.Ref{Kind: "post", ID: about},
		}}
	}
	retracted := event("2")
	all(t, err3(service.Notify(ctx, event("1"))), err3(service.Notify(ctx, retracted)), err3(service.Notify(ctx, event("3"))))
	news, _, err := service.announcements.Announce(ctx, notify.Announcement{Audience: "all", Title: "News", Until: w.Now().Add(time.Hour)})
	require.NoError(t, err)
	who := notify.Reader{User: "ann", Audiences: []string{"all"}}
	page, err := reader.List(ctx, who, first)
	require.NoError(t, err)
	require.NotEmpty(t, page.Items)
	entry := page.Items[len(page.Items)-1]
	in, pair, about := notify.In{User: "ann", Group: entry.Group}, prefs.Pair{User: "ann", Actor: "dan"}, prefs.Topic{User: "ann", Object: post}
	email := prefs.Subscription{User: "ann", Verb: "comment", Channel: "email"}
	token, err := service.prefs.Token(email)
	require.NoError(t, err)
	all(t,
		err2(service.Snooze(ctx, in, w.Now().Add(time.Minute))),
		err2(reader.Snoozed(ctx, "ann", first)),
		err2(service.Unsnooze(ctx, in)),
		err2(service.Archive(ctx, in)),
		err2(reader.Archived(ctx, "ann", first)),
		err2(service.Unarchive(ctx, in)),
		err2(service.MarkSeen(ctx, "ann", notify.See(page.Items))),
		err2(service.MarkAllRead(ctx, "ann", notify.See(page.Items))),
		err2(service.MarkRead(ctx, "ann", []notify.Shown{{Group: entry.Group, Last: entry.Last}})),
		err2(service.MarkUnread(ctx, in)),
		err2(reader.Unseen(ctx, who)),
		err2(reader.UnreadCount(ctx, who)),
		err3(reader.UnreadBetween(ctx, "ann", notify.Span{To: w.id()})),
		err2(service.Retract(ctx, retracted)),
		err2(service.RetractTarget(ctx, "ann", feed.Ref{Kind: "post", ID: "3"})),

		err2(reader.announcements.List(ctx, "all", first)),
		err2(reader.announcements.Live(ctx, notify.Reader{User: "ann", Audiences: []string{"some"}})),
		err3(service.announcements.Edit(ctx, news)),
		err2(service.MarkRead(ctx, "ann", []notify.Shown{{Last: news.ID}})),
		err2(service.Dismiss(ctx, "ann", news.ID)),

		err2(service.prefs.Set(ctx, email, true)),
		err2(service.prefs.Unset(ctx, email)),
		err3(service.prefs.Unsubscribe(ctx, token)),
		err2(service.prefs.Set(ctx, email, true)),
		err2(service.prefs.Block(ctx, pair)),
		err2(reader.prefs.Blocked(ctx, pair)),
		err2(reader.prefs.Blocks(ctx, "ann", first)),
		err2(service.prefs.Unblock(ctx, pair)),
		err2(service.prefs.Mute(ctx, about)),
		err2(reader.prefs.Mutes(ctx, "ann", first)),
		err2(service.prefs.Unmute(ctx, about)),
		err2(reader.prefs.Settings(ctx, "ann")),
		err2(reader.prefs.Decide(ctx, event("4"))),

		err2(service.digests.Schedule(ctx, "dan", []string{"email"}, w.id())),
		err2(service.NotifyWatchers(ctx, post, notify.Notification{Activity: event("1").Activity})),
		err2(service.RetractWatchers(ctx, post, notify.Notification{Activity: event("1").Activity})),
	)
	require.ErrorIs(t, err2(worker.Deliver(ctx)), plaza.ErrBusy)

	// What was snoozed is back, which a list or a count writes down.
	all(t, err3(service.Notify(ctx, event("5"))))
	all(t, err2(service.Snooze(ctx, in, w.Now().Add(time.Minute))))
	w.pass(2 * time.Hour)
	all(t, err2(reader.List(ctx, who, first)))

	sender := mailbox{}
	digests := ok(digest.NewWorker(worker.digests, worker, &sender, &digest.WorkerOptions{Policy: worker.prefs}))(t)
	all(t, err2(digests.Deliver(ctx)))
	require.Positive(t, sender.sent)
	as[tables.Worker].endless(t, "notify.Repository.Run", worker.Run)
	as[tables.Worker].endless(t, "notify/digest.Worker.Run", digests.Run)

	all(t,
		err2(service.announcements.Withdraw(ctx, "all", news.ID)),
		operator.digests.Erase(ctx, "ann"),
		operator.prefs.Erase(ctx, "ann"),
		operator.announcements.Erase(ctx, "all"),
		operator.Erase(ctx, "ann"),
	)
}

// undecided is a policy that fails for one user.
type undecided struct{ notify.Policy }

const undecidedOf = "zoe"

func (p undecided) Decide(ctx context.Context, n notify.Notification) (notify.Decision, error) {
	if n.User == undecidedOf {
		return notify.Decision{}, plaza.ErrBusy
	}
	return p.Policy.Decide(ctx, n)
}

// mailbox counts digests.
type mailbox struct{ sent int }

func (m *mailbox) Send(context.Context, digest.Digest) error {
	m.sent++
	return nil
}

func messages(t *testing.T, w *world, as callers) {
	ctx := t.Context()
	of := func(role tables.Role) *message.Repository {
		blocks := ok(prefs.New(as[role].db, w.names.Notify, w, &prefs.Options{Now: w.Now}))(t)
		return ok(message.New(as[role].db, w.names.Message, w, &message.Options{Blocks: blocks, Now: w.Now, Reactions: []string{"like"}}))(t)
	}
	backplane := ok(rooms.NewMemory(nil))(t)
	hub := func(store chat.Store) *chat.Hub {
		h := ok(chat.New(store, &chat.Options{Backplane: backplane, Recheck: time.Nanosecond}))(t)
		t.Cleanup(h.Close)
		return h
	}
	reader, service, operator := of(tables.Reader), of(tables.Service), of(tables.Operator)
	in := message.In{Conversation: "trip", User: "ann"}
	all(t,
		operator.Init(ctx),
		reader.Verify(ctx),
		err2(service.Create(ctx, message.Group{ID: "trip", Members: []string{"ann", "ben"}}, "ann")),
		err2(service.Add(ctx, message.In{Conversation: "trip", User: "cleo"}, "ann")),
	)
	sent, _, err := service.Send(ctx, message.Message{Conversation: "trip", Sender: "ann", Key: "1", Text: "Hello."})
	require.NoError(t, err)
	edited := sent
	edited.Text = "Hello!"
	pair := message.Pair{User: "ann", Other: "dan"}
	direct := message.Message{Conversation: pair.Conversation(), Sender: "ann", Key: "2", Text: "Hi."}
	all(t,
		err3(service.Edit(ctx, edited)),
		err3(service.Send(ctx, direct)),
		err2(service.Block(ctx, pair)),
		err2(service.Unblock(ctx, pair)),
		err2(reader.Access(ctx, in)),
		err2(reader.Access(ctx, message.In{Conversation: message.Pair{User: "ann", Other: "eve"}.Conversation(), User: "ann"})),
		err2(reader.Members(ctx, in)),
		err2(reader.Details(ctx, "ann", "trip")),
		err2(service.Describe(ctx, in, message.Description{Name: "Trip"})),
		err2(service.SetOwner(ctx, in, "ben")),
		err2(reader.History(ctx, in, first)),
		err2(reader.Inbox(ctx, "ben", first)),
		err2(reader.Unread(ctx, "ben")),
		err2(reader.Receipts(ctx, in)),
		err2(service.MarkRead(ctx, message.In{Conversation: "trip", User: "ben"}, sent.Seq)),
		err2(service.MarkUnread(ctx, message.In{Conversation: "trip", User: "ben"}, sent.Seq)),
		err2(service.Mute(ctx, in)),
		err2(service.Unmute(ctx, in)),
		err2(hub(reader).Typing(ctx, in)),
	)
	viewer, err := hub(reader).Join(ctx, in, "")
	require.NoError(t, err)
	defer viewer.Close()
	all(t,
		hub(service).Publish(ctx, chat.Said(sent)),
		err2(viewer.Next(ctx)),
		err2(service.React(ctx, in, sent.Seq, "like")),
		err2(service.Unreact(ctx, in, sent.Seq)),
		err2(service.Recall(ctx, in, sent.Seq)),
		err2(service.Clear(ctx, in)),
		err2(service.Remove(ctx, message.In{Conversation: "trip", User: "dan"}, "ben")),
		err2(service.Leave(ctx, message.In{Conversation: "trip", User: "cleo"})),
		operator.Erase(ctx, "ann"),
	)
}
