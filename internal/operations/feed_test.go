package operations_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
)

func feedSteps(t *testing.T) []step {
	db, gen := open(t)
	graph, err := follow.New(db, table(t, follow.Table, follow.TTL), gen, nil)
	require.NoError(t, err)
	r, err := feed.New(db, table(t, feed.Table, feed.TTL), gen, graph, nil)
	require.NoError(t, err)
	home, outbox := r.Home("ann"), r.Outbox("ben")
	posted := feed.Activity{Actor: feed.Ref{Kind: "user", ID: "ben"}, Verb: "post", Object: feed.Ref{Kind: "photo", ID: "1"}, ForeignID: "photo 1"}
	publish := func(ctx context.Context) (err error) {
		posted, _, err = outbox.Publish(ctx, posted)
		return err
	}
	return []step{
		{"Repository.Init", r.Init},
		{"Repository.Verify", r.Verify},
		{"Home.Follow", func(ctx context.Context) error { return failed(home.Follow(ctx, "ben", nil)) }},
		{"Home.FollowMany", func(ctx context.Context) error { return failed(home.FollowMany(ctx, []string{"cem", "dan"}, nil)) }},
		{"Outbox.Publish", publish},
		{"Outbox.PublishMany", func(ctx context.Context) error {
			return failed(outbox.PublishMany(ctx, []feed.Activity{{Actor: posted.Actor, Verb: "like", Object: posted.Object}}))
		}},
		{"Outbox.Get", func(ctx context.Context) error { return failed(outbox.Get(ctx, posted.ID)) }},
		{"Outbox.GetMany", func(ctx context.Context) error { return failed(outbox.GetMany(ctx, []ids.ID{posted.ID})) }},
		{"Outbox.List", func(ctx context.Context) error { return failed(outbox.List(ctx, page)) }},
		{"Outbox.Update", func(ctx context.Context) error {
			edited := posted
			edited.Data = []byte(`{"title":"Sea"}`)
			return failed(outbox.Update(ctx, edited))
		}},
		{"Home.List", func(ctx context.Context) error { return failed(home.List(ctx, page)) }},
		{"Home.Trim", func(ctx context.Context) error { return failed(home.Trim(ctx, posted.ID)) }},
		{"Outbox.Remove", func(ctx context.Context) error { return failed(outbox.Remove(ctx, posted.ID)) }},
		{"Outbox.RemoveForeign", func(ctx context.Context) error { return failed(outbox.RemoveForeign(ctx, "photo 1")) }},
		{"Home.Unfollow", func(ctx context.Context) error { return failed(home.Unfollow(ctx, "ben", nil)) }},
		{"Repository.Deliver", func(ctx context.Context) error { return failed(r.Deliver(ctx)) }},
		{"Repository.Run", callstest.UntilAnswer(r.Run)},
		{"Repository.Erase", func(ctx context.Context) error { return r.Erase(ctx, "ben") }},
	}
}

func commentSteps(t *testing.T) []step {
	db, gen := open(t)
	r, err := comment.New(db, table(t, comment.Table, comment.TTL), gen, &comment.Options{
		Score: func(context.Context, comment.Address) (int64, error) { return 1, nil },
	})
	require.NoError(t, err)
	said := comment.Comment{Object: "photo", User: "ann", Text: "Nice."}
	add := func(ctx context.Context) (err error) {
		said, _, err = r.Add(ctx, said)
		return err
	}
	return []step{
		{"Repository.Init", r.Init},
		{"Repository.Verify", r.Verify},
		{"Repository.Add", add},
		{"Repository.Edit", func(ctx context.Context) error {
			edited := said
			edited.Text = "Very nice."
			return failed(r.Edit(ctx, edited))
		}},
		{"Repository.UpdateScore", func(ctx context.Context) error { return failed(r.UpdateScore(ctx, said.Address())) }},
		{"Repository.Get", func(ctx context.Context) error { return failed(r.Get(ctx, said.Address())) }},
		{"Repository.GetMany", func(ctx context.Context) error { return failed(r.GetMany(ctx, []comment.Address{said.Address()})) }},
		{"Repository.Counts", func(ctx context.Context) error { return failed(r.Counts(ctx, "photo")) }},
		{"Repository.CountsMany", func(ctx context.Context) error { return failed(r.CountsMany(ctx, []string{"photo"})) }},
		{"Repository.ByObject", func(ctx context.Context) error { return failed(r.ByObject(ctx, "photo", page, nil)) }},
		{"Repository.ByUser", func(ctx context.Context) error { return failed(r.ByUser(ctx, "ann", page, nil)) }},
		{"Repository.Threads", func(ctx context.Context) error { return failed(r.Threads(ctx, "photo", page, nil)) }},
		{"Repository.Replies", func(ctx context.Context) error { return failed(r.Replies(ctx, said.Address(), page, nil)) }},
		{"Repository.Top", func(ctx context.Context) error { return failed(r.Top(ctx, "photo", page)) }},
		{"Repository.Pin", func(ctx context.Context) error { return failed(r.Pin(ctx, said.Address())) }},
		{"Repository.Pinned", func(ctx context.Context) error { return failed(r.Pinned(ctx, "photo")) }},
		{"Repository.Unpin", func(ctx context.Context) error { return failed(r.Unpin(ctx, said.Address())) }},
		{"Repository.Hide", func(ctx context.Context) error { return failed(r.Hide(ctx, said.Address())) }},
		{"Repository.Unhide", func(ctx context.Context) error { return failed(r.Unhide(ctx, said.Address())) }},
		{"Repository.Delete", func(ctx context.Context) error {
			return failed(r.Delete(ctx, comment.Action{Address: said.Address(), User: "ann"}))
		}},
		{"Repository.Remove", func(ctx context.Context) error {
			return failed(r.Remove(ctx, said.Address(), comment.Removal{By: "cem"}))
		}},
		{"Repository.Erase", func(ctx context.Context) error { return r.Erase(ctx, "ann") }},
		{"Repository.EraseObject", func(ctx context.Context) error { return r.EraseObject(ctx, "photo") }},
	}
}
