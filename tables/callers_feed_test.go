package tables_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/tables"
)

func feeds(t *testing.T, w *world, as callers) {
	ctx := t.Context()
	of := func(role tables.Role, opts feed.Options) *feed.Repository {
		graph := ok(follow.New(as[role].db, w.names.Follow, w, nil))(t)
		return ok(feed.New(as[role].db, w.names.Feed, w, graph, &opts))(t)
	}
	reader, service := of(tables.Reader, feed.Options{}), of(tables.Service, feed.Options{})
	worker, operator := of(tables.Worker, feed.Options{}), of(tables.Operator, feed.Options{})
	leaves := of(tables.Service, feed.Options{InlineFollowers: -1}) // to the workers
	box, home := service.Outbox("ada"), service.Home("bob")
	post := func(foreign string) feed.Activity {
		return feed.Activity{Actor: feed.Ref{ID: "ada"}, Verb: "post", Object: feed.Ref{Kind: "photo", ID: "1"}, ForeignID: foreign, To: []string{"club"}}
	}
	all(t,
		operator.Init(ctx),
		reader.Verify(ctx),
		worker.Verify(ctx),
		err2(home.Follow(ctx, "ada", nil)),
		err2(home.FollowMany(ctx, []string{"ada", "club"}, nil)),
		err2(box.PublishMany(ctx, []feed.Activity{post("one"), post("two")})),
	)
	all(t, err3(box.Publish(ctx, post(""))))
	posted, _, err := leaves.Outbox("ada").Publish(ctx, post("three"))
	require.NoError(t, err)
	all(t,
		err2(worker.Deliver(ctx)),
		err2(reader.Outbox("ada").Get(ctx, posted.ID)),
		err2(reader.Outbox("club").GetMany(ctx, []ids.ID{posted.ID})),
		err2(reader.Outbox("ada").List(ctx, first)),
		err2(reader.Home("bob").List(ctx, first)),
		err2(reader.Home("bob").Grouped(ctx, first)),
		err3(box.Update(ctx, posted)),
		err2(box.Remove(ctx, posted.ID)),
		err2(box.RemoveForeign(ctx, "one")),
		err2(home.Trim(ctx, posted.ID)),
		err2(box.SetPulled(ctx, true)),
		err2(worker.Deliver(ctx)),
		err2(reader.Outbox("ada").Mode(ctx)),
		err2(box.SetPulled(ctx, false)),
		err2(worker.Deliver(ctx)),
		err2(home.Unfollow(ctx, "ada", nil)),
		operator.Erase(ctx, "ada"),
		operator.Erase(ctx, "bob"),
	)
	as[tables.Worker].endless(t, "feed.Repository.Run", worker.Run)
}

func comments(t *testing.T, w *world, as callers) {
	ctx := t.Context()
	of := func(role tables.Role) *comment.Repository {
		return ok(comment.New(as[role].db, w.names.Comment, w, &comment.Options{
			Now: w.Now, Score: func(context.Context, comment.Address) (int64, error) { return 5, nil },
		}))(t)
	}
	reader, service, operator := of(tables.Reader), of(tables.Service), of(tables.Operator)
	all(t, operator.Init(ctx), reader.Verify(ctx))
	add := func(c comment.Comment) comment.Comment {
		c.Object, c.User, c.Text = "photo", "ann", "Nice."
		c, _, err := service.Add(ctx, c)
		require.NoError(t, err)
		return c
	}
	root := add(comment.Comment{Key: "once"})
	add(comment.Comment{Key: "once"})
	reply := add(comment.Comment{Root: root.ID, Parent: root.ID})
	answer := add(comment.Comment{Root: root.ID, Parent: reply.ID})
	quoting := add(comment.Comment{Quote: &comment.Quote{Address: root.Address()}})
	at, lists := root.Address(), &comment.ListOptions{}
	edited := reply
	edited.Text = "Very nice."
	all(t,
		err3(service.Edit(ctx, edited)),
		err2(service.UpdateScore(ctx, at)),
		err2(service.Pin(ctx, at)),
		err2(reader.Get(ctx, at)),
		err2(reader.Get(ctx, reply.Address())),
		err2(reader.GetMany(ctx, []comment.Address{at, reply.Address()})),
		err2(reader.ByObject(ctx, "photo", first, lists)),
		err2(reader.ByUser(ctx, "ann", first, lists)),
		err2(reader.Threads(ctx, "photo", first, lists)),
		err2(reader.Replies(ctx, at, first, lists)),
		err2(reader.Top(ctx, "photo", first)),
		err2(reader.Pinned(ctx, "photo")),
		err2(reader.Counts(ctx, "photo")),
		err2(reader.CountsMany(ctx, []string{"photo"})),
		err2(service.Unpin(ctx, at)),
		err2(service.Hide(ctx, at)),
		err2(service.Unhide(ctx, at)),
		err2(service.Delete(ctx, comment.Action{Address: answer.Address(), User: "ann"})),
		err2(service.Remove(ctx, quoting.Address(), comment.Removal{By: "mod"})),
		operator.Erase(ctx, "ann"),
	)
	add(comment.Comment{Key: "again"})
	all(t, operator.EraseObject(ctx, "photo"))
}

func reactions(t *testing.T, w *world, as callers) {
	ctx := t.Context()
	of := func(role tables.Role) *reaction.Repository {
		return ok(reaction.New(as[role].db, w.names.Reaction, w, &reaction.Options{Kinds: []string{"like", "up", "down"}, OneOf: [][]string{{"up", "down"}}}))(t)
	}
	reader, service, operator := of(tables.Reader), of(tables.Service), of(tables.Operator)
	like := reaction.Reaction{User: "ann", Object: "photo", Kind: "like"}
	vote := func(kind string) reaction.Reaction {
		return reaction.Reaction{User: "ann", Object: "photo", Kind: kind}
	}
	all(t,
		operator.Init(ctx),
		reader.Verify(ctx),
		err3(service.React(ctx, like)),
		err3(service.React(ctx, vote("up"))),
		err3(service.React(ctx, vote("down"))),
		err2(reader.Get(ctx, like)),
		err2(reader.ByObject(ctx, "photo", "like", first)),
		err2(reader.ByUser(ctx, "ann", "like", first)),
		err2(reader.Counts(ctx, "photo")),
		err2(reader.CountsMany(ctx, []string{"photo"})),
		err3(reader.VersionedCounts(ctx, "photo")),
		err2(reader.Reacted(ctx, "ann", []string{"photo"})),
		err2(operator.Check(ctx, "photo")),
		err2(operator.CheckUser(ctx, "ann")),
		w.lose(t, w.names.Reaction, "L#"),
		err2(operator.Repair(ctx, "photo")),
		err2(operator.RepairUser(ctx, "ann")),
		err2(service.Unreact(ctx, like)),
		operator.Erase(ctx, "ann"),
		operator.EraseObject(ctx, "photo"),
	)
}
