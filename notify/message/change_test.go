package message_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/store/changetest"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/ratelimit"
)

func TestEachChangeHappensOnce(t *testing.T) {
	t.Parallel()
	type repository = *message.Repository
	f := changetest.Feature[repository]{
		Package: "notify/message",
		Table:   dynamotest.Table(t, message.Table),
	}
	f.Open = func(t testing.TB, p *changetest.Process) repository {
		r, err := message.New(dynamotest.DB(t, p.Wrap), f.Table, p, &message.Options{Consistent: true, Now: p.Now, Limiter: ratelimit.Unlimited{}})
		require.NoError(t, err)
		return r
	}
	group := func(ctx context.Context, r repository, name string) error {
		if _, err := r.Create(ctx, message.Group{ID: name, Members: []string{"ann", "ben"}}, "ann"); err != nil {
			return err
		}
		for range 2 {
			if _, _, err := r.Send(ctx, message.Message{Conversation: name, Sender: "ann", Key: name, Text: "first"}); err != nil {
				return err
			}
		}
		return nil
	}
	edit := func(text string) func(context.Context, repository, string) (bool, error) {
		return func(ctx context.Context, r repository, name string) (bool, error) {
			_, changed, err := r.Edit(ctx, message.Message{Conversation: name, Seq: 1, Sender: "ann", Text: text})
			return changed, err
		}
	}
	content := func(ctx context.Context, r repository, name string) (any, error) {
		page, err := r.History(ctx, message.In{Conversation: name, User: "ann"}, cursor.PageRequest{})
		if err != nil {
			return nil, err
		}
		return [2]any{page.Items[0].Text, page.Items[0].Recalled.IsZero()}, nil
	}
	messageKey := func(name string) store.Key {
		return store.Key{PK: keys.Join("C", name, "0"), SK: "0000000000000001"}
	}
	f.Calls = map[string]changetest.Call[repository]{
		"Repository.Edit": {
			Part: "edit", Item: messageKey, Begin: group, Do: edit("one"), Undo: edit("two"), State: content,
		},
	}
	changetest.Run(t, f)
}
