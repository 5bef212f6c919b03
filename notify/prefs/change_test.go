package prefs_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/store/changetest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// The name of an item is that of its user.
func TestEachChangeHappensOnce(t *testing.T) {
	t.Parallel()
	type repository = *prefs.Repository
	type call = func(context.Context, repository, string) (bool, error)
	f := changetest.Feature[repository]{Package: "notify/prefs", Table: dynamotest.Table(t, notify.Table)}
	f.Open = func(t testing.TB, p *changetest.Process) repository {
		o := options()
		o.Now = p.Now
		r, err := prefs.New(dynamotest.DB(t, p.Wrap), f.Table, p, o)
		require.NoError(t, err)
		return r
	}
	of := func(sk ...string) func(string) store.Key {
		return func(user string) store.Key { return store.Key{PK: keys.Join("N", user), SK: keys.Join(sk...)} }
	}
	set := func(ctx context.Context, r repository, user string) (bool, error) {
		return r.Set(ctx, prefs.Subscription{User: user, Verb: "like", Channel: email}, true)
	}
	unset := func(ctx context.Context, r repository, user string) (bool, error) {
		return r.Unset(ctx, prefs.Subscription{User: user, Verb: "like", Channel: email})
	}
	block := func(ctx context.Context, r repository, user string) (bool, error) {
		return r.Block(ctx, prefs.Pair{User: user, Actor: "bob"})
	}
	unblock := func(ctx context.Context, r repository, user string) (bool, error) {
		return r.Unblock(ctx, prefs.Pair{User: user, Actor: "bob"})
	}
	mute := func(ctx context.Context, r repository, user string) (bool, error) {
		return r.Mute(ctx, prefs.Topic{User: user, Object: picture})
	}
	unmute := func(ctx context.Context, r repository, user string) (bool, error) {
		return r.Unmute(ctx, prefs.Topic{User: user, Object: picture})
	}
	state := func(ctx context.Context, r repository, user string) (any, error) {
		settings, err := r.Settings(ctx, user)
		if err != nil {
			return nil, err
		}
		blocked, err := r.Blocked(ctx, prefs.Pair{User: user, Actor: "bob"})
		if err != nil {
			return nil, err
		}
		muted, err := r.Mutes(ctx, user, cursor.PageRequest{})
		return []any{settings, blocked, len(muted.Items)}, err
	}
	both := func(item func(string) store.Key, do, undo call) (begins, ends changetest.Call[repository]) {
		begins = changetest.Call[repository]{
			Part: "change", Item: item, Do: do, Undo: undo, State: state,
			Erase: func(ctx context.Context, r repository, user string) error { return r.Erase(ctx, user) },
		}
		ends = begins
		ends.Do, ends.Undo = undo, do
		ends.Begin = func(ctx context.Context, r repository, user string) error {
			return failed(do(ctx, r, user))
		}
		return begins, ends
	}
	f.Calls = map[string]changetest.Call[repository]{}
	for _, pair := range []struct {
		names    [2]string
		item     func(string) store.Key
		do, undo call
	}{
		{[2]string{"Set", "Unset"}, of("P"), set, unset},
		{[2]string{"Block", "Unblock"}, of("B", "bob"), block, unblock},
		{[2]string{"Mute", "Unmute"}, of("O", picture.String()), mute, unmute},
	} {
		f.Calls["Repository."+pair.names[0]], f.Calls["Repository."+pair.names[1]] = both(pair.item, pair.do, pair.undo)
	}
	changetest.Run(t, f)
}
