package feed_test

import (
	"context"
	"errors"
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/store/changetest"
)

func TestEachChangeHappensOnce(t *testing.T) {
	t.Parallel()
	type repository = *feed.Repository
	f := changetest.Feature[repository]{Package: "feed", Table: dynamotest.Table(t, feed.Table)}
	graph := dynamotest.Table(t, follow.Table)
	f.Open = func(t testing.TB, p *changetest.Process) repository {
		db := dynamotest.DB(t, p.Wrap)
		follows, err := follow.New(db, graph, p, &follow.Options{Now: p.Now})
		require.NoError(t, err)
		r, err := feed.New(db, f.Table, p, follows, &feed.Options{Consistent: true, JobShards: 1, Now: p.Now})
		require.NoError(t, err)
		return r
	}
	const id = ids.ID(1 << 40) // of the only activity of each owner
	published := func(name string) feed.Activity {
		return feed.Activity{ID: id, Actor: feed.Ref{ID: name}, Verb: "add", ForeignID: "picture", Data: []byte(`1`)}
	}
	publish := func(ctx context.Context, r repository, name string) error {
		_, _, err := r.Outbox(name).Publish(ctx, published(name))
		return err
	}
	update := func(verb, data string) func(context.Context, repository, string) (bool, error) {
		return func(ctx context.Context, r repository, name string) (bool, error) {
			a := published(name)
			a.Verb, a.Data = verb, []byte(data)
			_, changed, err := r.Outbox(name).Update(ctx, a)
			return changed, err
		}
	}
	activityKey := func(name string) store.Key { return store.Key{PK: keys.Join("O", name), SK: id.String()} }
	stands := func(ctx context.Context, r repository, name string) (any, error) {
		a, err := r.Outbox(name).Get(ctx, id)
		if errors.Is(err, plaza.ErrNotFound) {
			return "removed", nil
		}
		return [2]string{a.Verb, string(a.Data)}, err
	}
	erase := func(ctx context.Context, r repository, name string) error { return r.Erase(ctx, name) }

	setPulled := func(pulled bool) func(context.Context, repository, string) (bool, error) {
		return func(ctx context.Context, r repository, name string) (bool, error) {
			return r.Outbox(name).SetPulled(ctx, pulled)
		}
	}
	sourceKey := func(name string) store.Key { return store.Key{PK: keys.Join("O", name), SK: "~"} }

	f.Calls = map[string]changetest.Call[repository]{
		"Outbox.Update": {
			Part: "edit", Unread: true, Item: activityKey, Begin: publish,
			Do: update("share", `2`), Undo: update("add", `1`), State: stands, Erase: erase,
		},
		"Outbox.Remove": {
			Part: "edit", Unread: true, Item: activityKey, Begin: publish, State: stands, Erase: erase,
			Do: func(ctx context.Context, r repository, name string) (bool, error) {
				return r.Outbox(name).Remove(ctx, id)
			},
		},
		"Outbox.RemoveForeign": {
			Part: "edit", Unread: true, Item: activityKey, Begin: publish, State: stands, Erase: erase,
			Do: func(ctx context.Context, r repository, name string) (bool, error) {
				return r.Outbox(name).RemoveForeign(ctx, "picture")
			},
		},
		"Outbox.SetPulled": {
			Part: "switch", Item: sourceKey, Do: setPulled(true), Undo: setPulled(false),
			State: func(ctx context.Context, r repository, name string) (any, error) {
				mode, err := r.Outbox(name).Mode(ctx)
				return mode == feed.Opening || mode == feed.Pulled, err
			},
			Erase: func(ctx context.Context, r repository, name string) error {
				key := sourceKey(name) // the switch ends
				err := dynamotest.DB(t).Table(f.Table).Update("pk", key.PK).Range("sk", key.SK).Set("mode", feed.Pushed).If("attribute_exists(pk)").Run(ctx)
				if err != nil && !dynamo.IsCondCheckFailed(err) {
					return err
				}
				return r.Erase(ctx, name)
			},
		},
		"Home.Trim": {
			Item: func(name string) store.Key { return store.Key{PK: keys.Join("H", name), SK: "~"} },
			Do: func(ctx context.Context, r repository, name string) (bool, error) {
				return r.Home(name).Trim(ctx, id)
			},
			State: func(ctx context.Context, r repository, name string) (any, error) {
				page, err := r.Home(name).List(ctx, cursor.PageRequest{})
				return len(page.Items), err
			},
			Erase: erase,
		},
	}
	changetest.Run(t, f)
}
