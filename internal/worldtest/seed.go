package worldtest

import (
	"context"
	"fmt"
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

// Ann is whom tests export and erase. Her id needs escapes in keys.
const Ann = `ann#7`

// Seed gives Ann something of every feature, among what others have.
func (w *World) Seed() {
	w.SeedFeeds()
	w.SeedComments()
	w.SeedReactions()
	w.SeedBoards()
	w.SeedDanmu()
	w.SeedMessages()
	w.SeedNotifications()
}

// Must takes the answers of a call that succeeds.
func Must[T any](w *World) func(T, error) T {
	return func(answer T, err error) T {
		w.T.Helper()
		require.NoError(w.T, err)
		return answer
	}
}

// Made is Must for a call that reports a change, too.
func Made[T any](w *World) func(T, bool, error) T {
	return func(answer T, _ bool, err error) T {
		w.T.Helper()
		require.NoError(w.T, err)
		return answer
	}
}

// Done is Must for a call that only reports a change.
func (w *World) Done(_ bool, err error) {
	w.T.Helper()
	require.NoError(w.T, err)
}

// SeedFeeds is a part of Seed.
func (w *World) SeedFeeds() {
	ctx := w.T.Context()
	follows := w.Follows()
	feeds := Must[*feed.Repository](w)(feed.New(w.DB, w.Names.Feed, w.IDs, follows, nil))
	follow := func(reader, source string) {
		_, err := feeds.Home(reader).Follow(ctx, source, nil)
		require.NoError(w.T, err)
	}
	follow(Ann, "bob")
	follow(Ann, "cat")
	follow(Ann, "dan")
	follow("bob", Ann)
	follow("cat", Ann)
	follow("dan", Ann)
	w.Done(feeds.Home(Ann).Unfollow(ctx, "dan", nil))
	w.Done(feeds.Home("dan").Unfollow(ctx, Ann, nil))
	for _, pulled := range []bool{true, false} { // she was pulled for a while
		w.Done(feeds.Outbox(Ann).SetPulled(ctx, pulled))
		Must[int](w)(feeds.Deliver(ctx))
	}
	w.Done(feeds.Outbox("cat").SetPulled(ctx, true))
	Must[int](w)(feeds.Deliver(ctx))
	publish := func(in *feed.Repository, owner, object string, more feed.Activity) feed.Activity {
		more.Actor, more.Verb, more.Object = feed.Ref{ID: owner}, "post", feed.Ref{Kind: "photo", ID: object}
		return Made[feed.Activity](w)(in.Outbox(owner).Publish(ctx, more))
	}
	publish(feeds, Ann, "1", feed.Activity{ForeignID: "photo-1"})
	publish(feeds, Ann, "2", feed.Activity{To: []string{"topic", "bob"}, Data: []byte(`{"a":1}`)})
	gone := publish(feeds, Ann, "3", feed.Activity{To: []string{"topic"}})
	w.Done(feeds.Outbox(Ann).Remove(ctx, gone.ID))
	publish(feeds, "bob", "4", feed.Activity{})
	publish(feeds, "bob", "5", feed.Activity{To: []string{Ann}})
	slow := Must[*feed.Repository](w)(feed.New(w.DB, w.Names.Feed, w.IDs, follows, &feed.Options{InlineFollowers: -1}))
	publish(slow, Ann, "6", feed.Activity{})
	publish(slow, "bob", "7", feed.Activity{To: []string{Ann}})
}

// SeedComments is a part of Seed.
func (w *World) SeedComments() {
	ctx := w.T.Context()
	likes := int64(0)
	r := Must[*comment.Repository](w)(comment.New(w.DB, w.Names.Comment, w.IDs, &comment.Options{
		Score: func(context.Context, comment.Address) (int64, error) { likes++; return likes / 2, nil },
	}))
	add := func(c comment.Comment) comment.Comment {
		c.Object, c.Text = "photo:1", "hello"
		return Made[comment.Comment](w)(r.Add(ctx, c))
	}
	root := add(comment.Comment{User: Ann, Key: "once"})
	_, err := r.UpdateScore(ctx, root.Address())
	require.NoError(w.T, err)
	add(comment.Comment{User: "bob", Root: root.ID, Mentions: []string{Ann}})
	others := add(comment.Comment{User: "bob"})
	for range 5 {
		add(comment.Comment{User: Ann, Root: others.ID})
	}
	leaf := add(comment.Comment{User: Ann})
	w.Done(r.Delete(ctx, comment.Action{Address: leaf.Address(), User: Ann}))
	answered := add(comment.Comment{User: Ann})
	add(comment.Comment{User: "cat", Root: answered.ID})
	w.Done(r.Delete(ctx, comment.Action{Address: answered.Address(), User: Ann}))
	hidden := add(comment.Comment{User: Ann})
	w.Done(r.Hide(ctx, hidden.Address()))
	spam := add(comment.Comment{User: "cat"})
	w.Done(r.Remove(ctx, spam.Address(), comment.Removal{By: Ann, Reason: "spam"}))
	w.Done(r.Pin(ctx, root.Address()))
}

// SeedReactions is a part of Seed.
func (w *World) SeedReactions() {
	ctx := w.T.Context()
	r := Must[*reaction.Repository](w)(reaction.New(w.DB, w.Names.Reaction, w.IDs, &reaction.Options{Kinds: []string{"like", "love"}}))
	for _, a := range []reaction.Reaction{
		{User: Ann, Object: "photo:1", Kind: "like"}, {User: Ann, Object: "photo:1", Kind: "love"},
		{User: Ann, Object: "photo:2", Kind: "love"}, {User: "bob", Object: "photo:1", Kind: "like"},
	} {
		Made[reaction.Reaction](w)(r.React(ctx, a))
	}
	w.Done(r.Unreact(ctx, reaction.Reaction{User: Ann, Object: "photo:2", Kind: "love"}))
}

// SeedBoards is a part of Seed.
func (w *World) SeedBoards() {
	ctx := w.T.Context()
	r := Must[*leaderboard.Repository](w)(leaderboard.New(w.DB, w.Names.Leaderboard, w.IDs, nil))
	zero := leaderboard.Int(0)
	for _, board := range []leaderboard.Board{
		{Name: "above", Above: &zero}, {Name: "ever"}, {Name: "week", Cron: "@weekly"}, {Name: "sum", Operator: leaderboard.Increment},
		{Name: "likes", Operator: leaderboard.Increment},
	} {
		w.Done(r.Define(ctx, board))
	}
	for _, s := range []leaderboard.Submission{
		{Board: "above", Player: Ann, Score: zero, Name: "Ann"},
		{Board: "ever", Player: Ann, Score: leaderboard.Int(5), Name: "Ann"}, {Board: "week", Player: Ann, Score: leaderboard.Int(6)},
		{Board: "sum", Player: Ann, Score: leaderboard.Int(7), Retractable: true}, {Board: "ever", Player: "bob", Score: leaderboard.Int(1)},
		{Board: "likes", Player: "photo:1", Score: leaderboard.Int(1), Retractable: true},
	} {
		Made[leaderboard.Result](w)(r.Submit(ctx, s))
	}
	w.Done(r.Hide(ctx, leaderboard.In{Board: "week"}, Ann))
}

// SeedDanmu is a part of Seed.
func (w *World) SeedDanmu() {
	ctx := w.T.Context()
	r := Must[*danmu.Repository](w)(danmu.New(w.DB, w.Names.Danmu, w.IDs, &danmu.Options{SharedRate: true}))
	send := func(user string, at time.Duration) danmu.Action {
		sent := Made[danmu.Comment](w)(r.Send(ctx, danmu.Comment{Object: "video", User: user, Progress: at, Text: "hi"}))
		return danmu.Action{Object: "video", ID: sent.ID, User: Ann}
	}
	own := send(Ann, time.Second)
	send(Ann, time.Minute)
	recalled := send(Ann, 2*time.Minute)
	w.Done(r.Recall(ctx, recalled))
	others, more := send("bob", time.Second), send("bob", time.Hour)
	for _, user := range []string{"u1", "u2", "u3", "u4", "u5"} { // hides it
		w.Done(r.Report(ctx, danmu.Action{Object: "video", ID: own.ID, User: user}))
	}
	w.Done(r.Like(ctx, others))
	w.Done(r.Report(ctx, others))
	w.Done(r.Like(ctx, more))
	w.Done(r.Unlike(ctx, more))
}

// SeedMessages is a part of Seed.
func (w *World) SeedMessages() {
	ctx := w.T.Context()
	r := Must[*message.Repository](w)(message.New(w.DB, w.Names.Message, w.IDs, &message.Options{Limiter: ratelimit.Unlimited{}}))
	send := func(conversation, sender string) message.Message {
		key := Must[string](w)(w.id())
		return Made[message.Message](w)(r.Send(ctx, message.Message{Conversation: conversation, Sender: sender, Key: key, Text: "psst"}))
	}
	pair := message.Pair{User: Ann, Other: "bob"}.Conversation()
	send(pair, Ann)
	send(pair, "bob")
	w.Done(r.Recall(ctx, message.In{Conversation: pair, User: Ann}, send(pair, Ann).Seq))
	cleared := message.Pair{User: Ann, Other: "cat"}.Conversation()
	send(cleared, Ann)
	send(cleared, "cat")
	w.Done(r.Clear(ctx, message.In{Conversation: cleared, User: Ann}))
	send(cleared, Ann)
	for _, group := range []string{"hiking", "left"} {
		w.Done(r.Create(ctx, message.Group{ID: group, Members: []string{Ann, "bob", "cat"}}, "ann"))
		send(group, "bob")
		send(group, Ann)
	}
	w.Done(r.Leave(ctx, message.In{Conversation: "left", User: Ann}))
	send("left", "cat")
}

func (w *World) id() (string, error) {
	id, err := w.IDs.Next(w.T.Context())
	return id.String(), err
}

// SeedNotifications is a part of Seed.
func (w *World) SeedNotifications() {
	ctx := w.T.Context()
	p := Must[*prefs.Repository](w)(prefs.New(w.DB, w.Names.Notify, w.IDs, &prefs.Options{
		Channels: []string{"email"}, Verbs: []prefs.Verb{{Name: "like"}, {Name: "comment", Channels: []string{"email"}}},
	}))
	w.Done(p.Set(ctx, prefs.Subscription{User: Ann, Verb: "like", Channel: "email"}, true))
	w.Done(p.Set(ctx, prefs.Subscription{User: Ann, Verb: prefs.AnyVerb, Channel: prefs.InApp}, true))
	w.Done(p.Block(ctx, prefs.Pair{User: Ann, Actor: "dan"}))
	w.Done(p.Block(ctx, prefs.Pair{User: "dan", Actor: Ann}))
	w.Done(p.Mute(ctx, prefs.Topic{User: Ann, Object: feed.Ref{Kind: "photo", ID: "9"}}))
	w.Done(p.Block(ctx, prefs.Pair{User: Ann, Actor: "eve"}))
	w.Done(p.Unblock(ctx, prefs.Pair{User: Ann, Actor: "eve"}))

	d := Must[*digest.Repository](w)(digest.New(w.DB, w.Names.Notify, nil))
	a := Must[*announce.Repository](w)(announce.New(w.DB, w.Names.Notify, w.IDs, nil))
	r := Must[*notify.Repository](w)(notify.New(w.DB, w.Names.Notify, w.IDs, &notify.Options{
		Policy: p, Scheduler: d, Announcements: a, Watchers: w.Follows(),
	}))
	event := func(verb, actor, object string) feed.Activity {
		id, err := w.IDs.Next(ctx)
		require.NoError(w.T, err)
		return feed.Activity{ID: id, Actor: feed.Ref{ID: actor}, Verb: verb, Object: feed.Ref{Kind: "photo", ID: object}}
	}
	tell := func(user, verb, actor, object string) notify.In {
		res := Made[notify.Result](w)(r.Notify(ctx, notify.Notification{User: user, Activity: event(verb, actor, object)}))
		return notify.In{User: user, Group: res.Group}
	}
	tell(Ann, "like", "bob", "1")
	tell(Ann, "like", "cat", "1")
	w.Done(r.Archive(ctx, tell(Ann, "comment", "bob", "2")))
	w.Done(r.Snooze(ctx, tell(Ann, "comment", "bob", "3"), time.Now().Add(time.Hour)))
	retracted := notify.Notification{User: Ann, Activity: event("like", "bob", "4")}
	Made[notify.Result](w)(r.Notify(ctx, retracted))
	w.Done(r.Retract(ctx, retracted))
	tell("bob", "like", Ann, "5")
	w.Done(r.NotifyWatchers(ctx, feed.Ref{ID: "bob"}, notify.Notification{Activity: event("comment", Ann, "6")}))
	news := Made[notify.Announcement](w)(a.Announce(ctx, notify.Announcement{Audience: "all", Title: "News", Until: time.Now().Add(time.Hour)}))
	w.Done(r.Dismiss(ctx, Ann, news.ID))
}

// SeedFollows gives Ann follows alone.
func (w *World) SeedFollows() {
	follows := w.Follows()
	for _, other := range []string{"bob", "cat", "dan", "eve", "fay"} {
		Made[follow.Edge](w)(follows.Follow(w.T.Context(), follow.Edge{Follower: Ann, Followee: other}))
		Made[follow.Edge](w)(follows.Follow(w.T.Context(), follow.Edge{Follower: other, Followee: Ann}))
	}
}

// Grow gives Ann n more of what takes a request each to erase.
func (w *World) Grow(n int) {
	ctx := w.T.Context()
	follows := w.Follows()
	comments := Must[*comment.Repository](w)(comment.New(w.DB, w.Names.Comment, w.IDs, nil))
	reactions := Must[*reaction.Repository](w)(reaction.New(w.DB, w.Names.Reaction, w.IDs, &reaction.Options{Kinds: []string{"like"}}))
	chat := Must[*danmu.Repository](w)(danmu.New(w.DB, w.Names.Danmu, w.IDs, nil))
	messages := Must[*message.Repository](w)(message.New(w.DB, w.Names.Message, w.IDs, &message.Options{Limiter: ratelimit.Unlimited{}}))
	for i := range n {
		other := fmt.Sprint("user ", i)
		Made[follow.Edge](w)(follows.Follow(ctx, follow.Edge{Follower: other, Followee: Ann}))
		Made[follow.Edge](w)(follows.Follow(ctx, follow.Edge{Follower: Ann, Followee: other}))
		Made[comment.Comment](w)(comments.Add(ctx, comment.Comment{User: Ann, Object: "album", Text: "more"}))
		Made[reaction.Reaction](w)(reactions.React(ctx, reaction.Reaction{User: Ann, Object: other, Kind: "like"}))
		Made[danmu.Comment](w)(chat.Send(ctx, danmu.Comment{Object: other, User: Ann, Text: "more"}))
		Made[message.Message](w)(messages.Send(ctx, message.Message{Conversation: "hiking", Sender: Ann, Key: other, Text: "more"}))
	}
}
