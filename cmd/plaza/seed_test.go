package main

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/prefs"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// ann is whom the tests export and erase. Her id needs escapes in keys.
const ann = `ann#7`

// seed gives ann something of every feature, among what others have.
func (w *world) seed() {
	w.seedFeeds()
	w.seedComments()
	w.seedReactions()
	w.seedBoards()
	w.seedDanmu()
	w.seedMessages()
	w.seedNotifications()
}

// must takes the answers of a call that succeeds.
func must[T any](w *world) func(T, error) T {
	return func(answer T, err error) T {
		w.t.Helper()
		require.NoError(w.t, err)
		return answer
	}
}

func must2[T any](w *world) func(T, bool, error) T {
	return func(answer T, _ bool, err error) T {
		w.t.Helper()
		require.NoError(w.t, err)
		return answer
	}
}

func (w *world) done(_ bool, err error) {
	w.t.Helper()
	require.NoError(w.t, err)
}

func (w *world) follows() *follow.Repository {
	return must[*follow.Repository](w)(follow.New(w.db, w.names.Follow, w.gen, nil))
}

func (w *world) seedFeeds() {
	ctx := w.t.Context()
	follows := w.follows()
	feeds := must[*feed.Repository](w)(feed.New(w.db, w.names.Feed, w.gen, follows, nil))
	follow := func(reader, source string) {
		_, err := feeds.Home(reader).Follow(ctx, source, nil)
		require.NoError(w.t, err)
	}
	follow(ann, "bob")
	follow(ann, "cat")
	follow(ann, "dan")
	follow("bob", ann)
	follow("cat", ann)
	follow("dan", ann)
	w.done(feeds.Home(ann).Unfollow(ctx, "dan", nil))
	w.done(feeds.Home("dan").Unfollow(ctx, ann, nil))
	for _, pulled := range []bool{true, false} { // ann was pulled for a while
		w.done(feeds.Outbox(ann).SetPulled(ctx, pulled))
		must[int](w)(feeds.Deliver(ctx))
	}
	w.done(feeds.Outbox("cat").SetPulled(ctx, true))
	must[int](w)(feeds.Deliver(ctx))
	publish := func(in *feed.Repository, owner, object string, more feed.Activity) feed.Activity {
		more.Actor, more.Verb, more.Object = feed.Ref{ID: owner}, "post", feed.Ref{Kind: "photo", ID: object}
		return must2[feed.Activity](w)(in.Outbox(owner).Publish(ctx, more))
	}
	publish(feeds, ann, "1", feed.Activity{ForeignID: "photo-1"})
	publish(feeds, ann, "2", feed.Activity{To: []string{"topic", "bob"}, Data: []byte(`{"a":1}`)})
	gone := publish(feeds, ann, "3", feed.Activity{To: []string{"topic"}})
	w.done(feeds.Outbox(ann).Remove(ctx, gone.ID))
	publish(feeds, "bob", "4", feed.Activity{})
	publish(feeds, "bob", "5", feed.Activity{To: []string{ann}})
	slow := must[*feed.Repository](w)(feed.New(w.db, w.names.Feed, w.gen, follows, &feed.Options{InlineFollowers: -1}))
	publish(slow, ann, "6", feed.Activity{})
	publish(slow, "bob", "7", feed.Activity{To: []string{ann}})
}

func (w *world) seedComments() {
	ctx := w.t.Context()
	likes := int64(0)
	r := must[*comment.Repository](w)(comment.New(w.db, w.names.Comment, w.gen, &comment.Options{
		Score: func(context.Context, comment.Address) (int64, error) { likes++; return likes / 2, nil },
	}))
	add := func(c comment.Comment) comment.Comment {
		c.Object, c.Text = "photo:1", "hello"
		return must2[comment.Comment](w)(r.Add(ctx, c))
	}
	root := add(comment.Comment{User: ann, Key: "once"})
	_, err := r.UpdateScore(ctx, root.Address())
	require.NoError(w.t, err)
	add(comment.Comment{User: "bob", Root: root.ID, Mentions: []string{ann}})
	others := add(comment.Comment{User: "bob"})
	for range 5 {
		add(comment.Comment{User: ann, Root: others.ID})
	}
	leaf := add(comment.Comment{User: ann})
	w.done(r.Delete(ctx, comment.Action{Address: leaf.Address(), User: ann}))
	answered := add(comment.Comment{User: ann})
	add(comment.Comment{User: "cat", Root: answered.ID})
	w.done(r.Delete(ctx, comment.Action{Address: answered.Address(), User: ann}))
	hidden := add(comment.Comment{User: ann})
	w.done(r.Hide(ctx, hidden.Address()))
	spam := add(comment.Comment{User: "cat"})
	w.done(r.Remove(ctx, spam.Address(), comment.Removal{By: ann, Reason: "spam"}))
	w.done(r.Pin(ctx, root.Address()))
}

func (w *world) seedReactions() {
	ctx := w.t.Context()
	r := must[*reaction.Repository](w)(reaction.New(w.db, w.names.Reaction, w.gen, &reaction.Options{Kinds: []string{"like", "love"}}))
	for _, a := range []reaction.Reaction{
		{User: ann, Object: "photo:1", Kind: "like"}, {User: ann, Object: "photo:1", Kind: "love"},
		{User: ann, Object: "photo:2", Kind: "love"}, {User: "bob", Object: "photo:1", Kind: "like"},
	} {
		must2[reaction.Reaction](w)(r.React(ctx, a))
	}
	w.done(r.Unreact(ctx, reaction.Reaction{User: ann, Object: "photo:2", Kind: "love"}))
}

func (w *world) seedBoards() {
	ctx := w.t.Context()
	r := must[*leaderboard.Repository](w)(leaderboard.New(w.db, w.names.Leaderboard, w.gen, nil))
	for _, board := range []leaderboard.Board{
		{Name: "ever"}, {Name: "week", Cron: "@weekly"}, {Name: "sum", Operator: leaderboard.Increment},
		{Name: "likes", Operator: leaderboard.Increment},
	} {
		w.done(r.Define(ctx, board))
	}
	for _, s := range []leaderboard.Submission{
		{Board: "ever", Player: ann, Score: leaderboard.Int(5), Name: "Ann"}, {Board: "week", Player: ann, Score: leaderboard.Int(6)},
		{Board: "sum", Player: ann, Score: leaderboard.Int(7), Retractable: true}, {Board: "ever", Player: "bob", Score: leaderboard.Int(1)},
		{Board: "likes", Player: "photo:1", Score: leaderboard.Int(1), Retractable: true},
	} {
		must2[leaderboard.Result](w)(r.Submit(ctx, s))
	}
	w.done(r.Hide(ctx, leaderboard.In{Board: "week"}, ann))
}

func (w *world) seedDanmu() {
	ctx := w.t.Context()
	r := must[*danmu.Repository](w)(danmu.New(w.db, w.names.Danmu, w.gen, &danmu.Options{SharedRate: true}))
	send := func(user string, at time.Duration) danmu.Action {
		sent := must2[danmu.Comment](w)(r.Send(ctx, danmu.Comment{Object: "video", User: user, Progress: at, Text: "hi"}))
		return danmu.Action{Object: "video", ID: sent.ID, User: ann}
	}
	own := send(ann, time.Second)
	send(ann, time.Minute)
	recalled := send(ann, 2*time.Minute)
	w.done(r.Recall(ctx, recalled))
	others, more := send("bob", time.Second), send("bob", time.Hour)
	for _, user := range []string{"u1", "u2", "u3", "u4", "u5"} { // hides it
		w.done(r.Report(ctx, danmu.Action{Object: "video", ID: own.ID, User: user}))
	}
	w.done(r.Like(ctx, others))
	w.done(r.Report(ctx, others))
	w.done(r.Like(ctx, more))
	w.done(r.Unlike(ctx, more))
}

func (w *world) seedMessages() {
	ctx := w.t.Context()
	r := must[*message.Repository](w)(message.New(w.db, w.names.Message, w.gen, &message.Options{Limiter: ratelimit.Unlimited{}}))
	send := func(conversation, sender string) message.Message {
		key := must[string](w)(w.id())
		return must2[message.Message](w)(r.Send(ctx, message.Message{Conversation: conversation, Sender: sender, Key: key, Text: "psst"}))
	}
	pair := message.Pair{User: ann, Other: "bob"}.Conversation()
	send(pair, ann)
	send(pair, "bob")
	w.done(r.Recall(ctx, message.In{Conversation: pair, User: ann}, send(pair, ann).Seq))
	cleared := message.Pair{User: ann, Other: "cat"}.Conversation()
	send(cleared, ann)
	send(cleared, "cat")
	w.done(r.Clear(ctx, message.In{Conversation: cleared, User: ann}))
	send(cleared, ann)
	for _, group := range []string{"hiking", "left"} {
		w.done(r.Create(ctx, message.Group{ID: group, Members: []string{ann, "bob", "cat"}}, "ann"))
		send(group, "bob")
		send(group, ann)
	}
	w.done(r.Leave(ctx, message.In{Conversation: "left", User: ann}))
	send("left", "cat")
}

func (w *world) id() (string, error) {
	id, err := w.gen.Next(w.t.Context())
	return id.String(), err
}

func (w *world) seedNotifications() {
	ctx := w.t.Context()
	p := must[*prefs.Repository](w)(prefs.New(w.db, w.names.Notify, w.gen, &prefs.Options{
		Channels: []string{"email"}, Verbs: []prefs.Verb{{Name: "like"}, {Name: "comment", Channels: []string{"email"}}},
	}))
	w.done(p.Set(ctx, prefs.Subscription{User: ann, Verb: "like", Channel: "email"}, true))
	w.done(p.Set(ctx, prefs.Subscription{User: ann, Verb: prefs.AnyVerb, Channel: prefs.InApp}, true))
	w.done(p.Block(ctx, prefs.Pair{User: ann, Actor: "dan"}))
	w.done(p.Block(ctx, prefs.Pair{User: "dan", Actor: ann}))
	w.done(p.Mute(ctx, prefs.Topic{User: ann, Object: feed.Ref{Kind: "photo", ID: "9"}}))
	w.done(p.Block(ctx, prefs.Pair{User: ann, Actor: "eve"}))
	w.done(p.Unblock(ctx, prefs.Pair{User: ann, Actor: "eve"}))

	d := must[*digest.Repository](w)(digest.New(w.db, w.names.Notify, nil))
	a := must[*announce.Repository](w)(announce.New(w.db, w.names.Notify, w.gen, nil))
	r := must[*notify.Repository](w)(notify.New(w.db, w.names.Notify, w.gen, &notify.Options{
		Policy: p, Scheduler: d, Announcements: a, Watchers: w.follows(),
	}))
	event := func(verb, actor, object string) feed.Activity {
		id, err := w.gen.Next(ctx)
		require.NoError(w.t, err)
		return feed.Activity{ID: id, Actor: feed.Ref{ID: actor}, Verb: verb, Object: feed.Ref{Kind: "photo", ID: object}}
	}
	tell := func(user, verb, actor, object string) notify.In {
		res := must2[notify.Result](w)(r.Notify(ctx, notify.Notification{User: user, Activity: event(verb, actor, object)}))
		return notify.In{User: user, Group: res.Group}
	}
	tell(ann, "like", "bob", "1")
	tell(ann, "like", "cat", "1")
	w.done(r.Archive(ctx, tell(ann, "comment", "bob", "2")))
	w.done(r.Snooze(ctx, tell(ann, "comment", "bob", "3"), time.Now().Add(time.Hour)))
	retracted := notify.Notification{User: ann, Activity: event("like", "bob", "4")}
	must2[notify.Result](w)(r.Notify(ctx, retracted))
	w.done(r.Retract(ctx, retracted))
	tell("bob", "like", ann, "5")
	w.done(r.NotifyWatchers(ctx, feed.Ref{ID: "bob"}, notify.Notification{Activity: event("comment", ann, "6")}))
	news := must2[notify.Announcement](w)(a.Announce(ctx, notify.Announcement{Audience: "all", Title: "News", Until: time.Now().Add(time.Hour)}))
	w.done(r.Dismiss(ctx, ann, news.ID))
}
