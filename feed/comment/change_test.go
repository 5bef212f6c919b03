package comment_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/store/changetest"
)

func TestEachChangeHappensOnce(t *testing.T) {
	t.Parallel()
	type repository = *comment.Repository
	type score struct{} // the key of a score in a context
	f := changetest.Feature[repository]{
		Package: "feed/comment",
		Table:   dynamotest.Table(t, comment.Table),
	}
	f.Open = func(t testing.TB, p *changetest.Process) repository {
		r, err := comment.New(dynamotest.DB(t, p.Wrap), f.Table, p, &comment.Options{
			Consistent: true, Now: p.Now,
			Score: func(ctx context.Context, _ comment.Address) (int64, error) { return ctx.Value(score{}).(int64), nil },
		})
		require.NoError(t, err)
		return r
	}
	// Each object has a comment, a reply and another comment.
	id := func(name, of string) ids.ID {
		id, err := ids.Backdate(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), name+of)
		require.NoError(t, err)
		return id
	}
	first := func(name string) comment.Address { return comment.Address{Object: name, ID: id(name, "first")} }
	reply := func(name string) comment.Address {
		return comment.Address{Object: name, Root: first(name).ID, ID: id(name, "reply")}
	}
	begin := func(ctx context.Context, r repository, name string) error {
		for _, c := range []comment.Comment{{ID: first(name).ID}, {ID: reply(name).ID, Root: first(name).ID}, {}} {
			c.Object, c.User, c.Text = name, "ann of "+name, "hello"
			if _, _, err := r.Add(ctx, c); err != nil {
				return err
			}
		}
		return nil
	}
	type change = func(context.Context, repository, string) (bool, error)
	edit := func(text string) change {
		return func(ctx context.Context, r repository, name string) (bool, error) {
			_, changed, err := r.Edit(ctx, comment.Comment{Object: name, ID: first(name).ID, User: "ann of " + name, Text: text})
			return changed, err
		}
	}
	on := func(call func(repository, context.Context, comment.Address) (bool, error), of func(string) comment.Address) change {
		return func(ctx context.Context, r repository, name string) (bool, error) { return call(r, ctx, of(name)) }
	}
	scores := func(n int64) change {
		return func(ctx context.Context, r repository, name string) (bool, error) {
			return r.UpdateScore(context.WithValue(ctx, score{}, n), first(name))
		}
	}
	beginWith := func(do change) func(context.Context, repository, string) error {
		return func(ctx context.Context, r repository, name string) error {
			err := begin(ctx, r, name)
			if err == nil {
				_, err = do(ctx, r, name)
			}
			return err
		}
	}
	hide, unhide := on(repository.Hide, reply), on(repository.Unhide, reply)
	pin, unpin := on(repository.Pin, first), on(repository.Unpin, first)

	state := func(ctx context.Context, r repository, name string) (any, error) {
		list, err := r.ByObject(ctx, name, cursor.PageRequest{}, nil)
		if err != nil {
			return nil, err
		}
		c := list.Items[1]
		top, err := r.Top(ctx, name, cursor.PageRequest{})
		if err != nil {
			return nil, err
		}
		counts, err := r.Counts(ctx, name)
		if err != nil {
			return nil, err
		}
		_, noPin := r.Pinned(ctx, name)
		return []any{c.Text, c.Replies, counts, len(top.Items), top.Items[0].ID == c.ID, noPin == nil}, nil
	}
	row := func(name string) store.Key { return store.Key{PK: keys.Join("T", name), SK: first(name).ID.String()} }
	header := func(name string) store.Key { return store.Key{PK: keys.Join("N", name), SK: "~"} }
	replyRow := func(name string) store.Key {
		at := reply(name)
		return store.Key{PK: keys.Join("F", name), SK: keys.Join(at.Root.String(), at.ID.String())}
	}
	f.Calls = map[string]changetest.Call[repository]{
		"Repository.Edit":        {Part: "edit", Unread: true, Item: row, Begin: begin, Do: edit("one"), Undo: edit("hello")},
		"Repository.Hide":        {Part: "hide", Item: replyRow, Begin: begin, Do: hide, Undo: unhide},
		"Repository.Unhide":      {Part: "hide", Item: replyRow, Begin: beginWith(hide), Do: unhide, Undo: hide},
		"Repository.Pin":         {Part: "pin", Unread: true, Item: header, Begin: begin, Do: pin, Undo: unpin},
		"Repository.Unpin":       {Part: "pin", Unread: true, Item: header, Begin: beginWith(pin), Do: unpin, Undo: pin},
		"Repository.UpdateScore": {Part: "place", Item: row, Begin: begin, Do: scores(1), Undo: scores(0)},
	}
	for name, call := range f.Calls {
		call.State = state
		call.Erase = func(ctx context.Context, r repository, name string) error { return r.EraseObject(ctx, name) }
		f.Calls[name] = call
	}
	changetest.Run(t, f)
}
