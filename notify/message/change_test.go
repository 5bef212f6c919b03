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
	type call = func(context.Context, repository, string) (bool, error)
	f := changetest.Feature[repository]{
		Package: "notify/message",
		Table:   dynamotest.Table(t, message.Table),
	}
	f.Open = func(t testing.TB, p *changetest.Process) repository {
		r, err := message.New(dynamotest.DB(t, p.Wrap), f.Table, p, &message.Options{Consistent: true, Now: p.Now, Limiter: ratelimit.Unlimited{}, Reactions: []string{"like"}})
		require.NoError(t, err)
		return r
	}
	group := func(ctx context.Context, r repository, name string) error {
		if _, err := r.Create(ctx, message.Group{ID: name, Members: []string{"ann", "ben"}}, "ann"); err != nil {
			return err
		}
		_, _, err := r.Send(ctx, message.Message{Conversation: name, Sender: "ann", Key: name, Text: "first"})
		return err
	}
	recall := func(ctx context.Context, r repository, name string) (bool, error) {
		return r.Recall(ctx, of("ann", name), 1)
	}
	edit := func(text string) call {
		return func(ctx context.Context, r repository, name string) (bool, error) {
			_, changed, err := r.Edit(ctx, message.Message{Conversation: name, Seq: 1, Sender: "ann", Text: text})
			return changed, err
		}
	}
	marks := func(mark func(context.Context, repository, message.In) error) call {
		return func(ctx context.Context, r repository, name string) (bool, error) {
			return false, mark(ctx, r, of("ann", name))
		}
	}
	pairOf := func(name string) message.Pair { return message.Pair{User: "ann", Other: name} }
	block := func(ctx context.Context, r repository, name string) (bool, error) { return r.Block(ctx, pairOf(name)) }
	unblock := func(ctx context.Context, r repository, name string) (bool, error) {
		return r.Unblock(ctx, pairOf(name))
	}
	headKey := func(name string) store.Key { return store.Key{PK: "C#" + pairOf(name).Conversation(), SK: "~"} }
	messageKey := func(name string) store.Key {
		return store.Key{PK: keys.Join("C", name, "0"), SK: "0000000000000001"}
	}
	entryKey := func(name string) store.Key {
		return store.Key{PK: keys.Join("U", "ann"), SK: keys.Join("C", name)}
	}
	content := func(ctx context.Context, r repository, name string) (any, error) {
		page, err := r.History(ctx, of("ann", name), cursor.PageRequest{})
		if err != nil {
			return nil, err
		}
		m := page.Items[0]
		return []any{len(page.Items), m.Text, m.Recalled.IsZero()}, nil
	}
	inbox := func(ctx context.Context, r repository, name string) (any, error) {
		read, err := r.Receipts(ctx, of("ann", name))
		if err != nil {
			return nil, err
		}
		access, err := r.Access(ctx, of("ann", name))
		return []any{read, access}, err
	}
	blocked := func(ctx context.Context, r repository, name string) (any, error) {
		access, err := r.Access(ctx, message.In{Conversation: pairOf(name).Conversation(), User: "ann"})
		return access.Blocked, err
	}
	muted := func(ctx context.Context, r repository, name string) (any, error) {
		access, err := r.Access(ctx, of("ann", name))
		return access.Muted, err
	}
	mutes := func(ctx context.Context, r repository, name string) (bool, error) {
		return r.Mute(ctx, of("ann", name))
	}
	unmutes := func(ctx context.Context, r repository, name string) (bool, error) {
		return r.Unmute(ctx, of("ann", name))
	}
	marked := func(ctx context.Context, r repository, name string) (any, error) {
		page, err := r.Inbox(ctx, "ann", cursor.PageRequest{Limit: 100})
		if err != nil {
			return nil, err
		}
		for _, e := range page.Items {
			if e.Conversation == name {
				return e.UnreadFrom, nil
			}
		}
		return int64(0), nil
	}
	reacted := func(ctx context.Context, r repository, name string) (any, error) {
		page, err := r.History(ctx, of("ann", name), cursor.PageRequest{})
		if err != nil {
			return nil, err
		}
		return page.Items[0].Reactions, nil
	}
	f.Calls = map[string]changetest.Call[repository]{
		"Repository.Edit":   {Part: "edit", Item: messageKey, Begin: group, Do: edit("one"), Undo: edit("first"), State: content},
		"Repository.Recall": {Part: "recall", Item: messageKey, Begin: group, Do: recall, State: content},
		"Repository.Block":  {Part: "block", Item: headKey, Do: block, Undo: unblock, State: blocked},
		"Repository.Unblock": {
			Part: "block", Item: headKey, Do: unblock, Undo: block, State: blocked,
			Begin: func(ctx context.Context, r repository, name string) error {
				_, err := r.Block(ctx, pairOf(name))
				return err
			},
		},
		"Repository.Mute": {Part: "mute", Item: entryKey, Begin: group, Do: mutes, Undo: unmutes, State: muted},
		"Repository.Unmute": {
			Part: "mute", Item: entryKey, Do: unmutes, Undo: mutes, State: muted,
			Begin: func(ctx context.Context, r repository, name string) error {
				if err := group(ctx, r, name); err != nil {
					return err
				}
				_, err := mutes(ctx, r, name)
				return err
			},
		},
		"Repository.React": {Item: messageKey, Begin: group, State: reacted, Do: marks(func(ctx context.Context, r repository, in message.In) error {
			return failed(r.React(ctx, in, 1, "like"))
		})},
		"Repository.Unreact": {
			Item: messageKey, State: reacted,
			Begin: func(ctx context.Context, r repository, name string) error {
				if err := group(ctx, r, name); err != nil {
					return err
				}
				return failed(r.React(ctx, of("ann", name), 1, "like"))
			},
			Do: marks(func(ctx context.Context, r repository, in message.In) error { return failed(r.Unreact(ctx, in, 1)) }),
		},
		"Repository.MarkUnread": {Item: entryKey, Begin: group, State: marked, Do: marks(func(ctx context.Context, r repository, in message.In) error {
			return failed(r.MarkUnread(ctx, in, 1))
		})},
		"Repository.MarkRead": {Item: entryKey, Begin: group, State: inbox, Do: marks(func(ctx context.Context, r repository, in message.In) error {
			return failed(r.MarkRead(ctx, in, 1))
		})},
		"Repository.Clear": {Item: entryKey, Begin: group, State: inbox, Do: marks(func(ctx context.Context, r repository, in message.In) error {
			return failed(r.Clear(ctx, in))
		})},
	}
	changetest.Run(t, f)
}
