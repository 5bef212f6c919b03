package operations_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/message/live"
)

var trip = message.Group{ID: "trip", Members: []string{"ann", "ben"}}

func messageSteps(t *testing.T) []step {
	db, gen := open(t)
	r, err := message.New(db, table(t, message.Table, message.TTL), gen, nil)
	require.NoError(t, err)
	pair := message.Pair{User: "ann", Other: "ben"}
	ann, cem := message.In{Conversation: "trip", User: "ann"}, message.In{Conversation: "trip", User: "cem"}
	hello := message.Message{Conversation: "trip", Sender: "ann", Key: "1", Text: "Hello"}
	return []step{
		{"Repository.Init", r.Init},
		{"Repository.Verify", r.Verify},
		{"Repository.Create", func(ctx context.Context) error { return failed(r.Create(ctx, trip)) }},
		{"Repository.Send", func(ctx context.Context) (err error) {
			hello, _, err = r.Send(ctx, hello)
			return err
		}},
		{"Repository.Edit", func(ctx context.Context) error {
			edited := hello
			edited.Text = "Hello!"
			return failed(r.Edit(ctx, edited))
		}},
		{"Repository.Access", func(ctx context.Context) error { return failed(r.Access(ctx, ann)) }},
		{"Repository.Members", func(ctx context.Context) error { return failed(r.Members(ctx, ann)) }},
		{"Repository.History", func(ctx context.Context) error { return failed(r.History(ctx, ann, page)) }},
		{"Repository.Inbox", func(ctx context.Context) error { return failed(r.Inbox(ctx, "ann", page)) }},
		{"Repository.Unread", func(ctx context.Context) error { return failed(r.Unread(ctx, "ben")) }},
		{"Repository.Read", func(ctx context.Context) error {
			return r.Read(ctx, message.In{Conversation: "trip", User: "ben"}, hello.Seq)
		}},
		{"Repository.Receipts", func(ctx context.Context) error { return failed(r.Receipts(ctx, ann)) }},
		{"Repository.Add", func(ctx context.Context) error { return failed(r.Add(ctx, cem)) }},
		{"Repository.Leave", func(ctx context.Context) error { return failed(r.Leave(ctx, cem)) }},
		{"Repository.Recall", func(ctx context.Context) error { return failed(r.Recall(ctx, ann, hello.Seq)) }},
		{"Repository.Clear", func(ctx context.Context) error { return r.Clear(ctx, ann) }},
		{"Repository.Block", func(ctx context.Context) error { return failed(r.Block(ctx, pair)) }},
		{"Repository.Unblock", func(ctx context.Context) error { return failed(r.Unblock(ctx, pair)) }},
		{"Repository.Erase", func(ctx context.Context) error { return r.Erase(ctx, "ann") }},
	}
}

func messageLiveSteps(t *testing.T) []step {
	db, gen := open(t)
	r, err := message.New(db, table(t, message.Table, message.TTL), gen, nil)
	require.NoError(t, err)
	_, err = r.Create(t.Context(), trip)
	require.NoError(t, err)
	hello, _, err := r.Send(t.Context(), message.Message{Conversation: "trip", Sender: "ann", Key: "1", Text: "Hello"})
	require.NoError(t, err)
	hub, err := live.New(r, &live.Options{Recheck: time.Nanosecond})
	require.NoError(t, err)
	t.Cleanup(hub.Close)
	var viewer *live.Viewer
	return []step{
		{"Hub.Join", func(ctx context.Context) (err error) {
			viewer, err = hub.Join(ctx, message.In{Conversation: "trip", User: "ben"}, "")
			return err
		}},
		{"Hub.Typing", func(ctx context.Context) error {
			return failed(hub.Typing(ctx, message.In{Conversation: "trip", User: "ann"}))
		}},
		{"Hub.Publish", func(ctx context.Context) error { return hub.Publish(ctx, live.Said(hello)) }},
		{"Viewer.Next", func(ctx context.Context) error {
			defer viewer.Close()
			return failed(viewer.Next(ctx))
		}},
	}
}
