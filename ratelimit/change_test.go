package ratelimit_test

import (
	"context"
	"errors"
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/store/changetest"
	"github.com/plaza-sdk/plaza/ratelimit"
)

func TestEachChangeHappensOnce(t *testing.T) {
	t.Parallel()
	type table = *ratelimit.Table
	f := changetest.Feature[table]{
		Package: "ratelimit",
		Table:   dynamotest.Table(t, store.Schema),
	}
	f.Open = func(t testing.TB, p *changetest.Process) table {
		l, err := ratelimit.NewTable(dynamotest.DB(t, p.Wrap), f.Table, ratelimit.Rate{}, &ratelimit.Options{Now: p.Now})
		require.NoError(t, err)
		return l
	}
	take := func(id string) func(context.Context, table, string) (bool, error) {
		return func(ctx context.Context, l table, name string) (bool, error) {
			wait, err := l.Take(ctx, ratelimit.Attempt{Object: name, User: "ann", ID: id})
			return wait == 0, err
		}
	}
	bucket := func(name string) store.Key { return store.Key{PK: keys.Join("Q", name, "ann"), SK: "Q"} }
	f.Calls = map[string]changetest.Call[table]{
		"Table.Take": {
			Item: bucket, Do: take("one"),
			State: func(ctx context.Context, _ table, name string) (any, error) { // the attempts that count
				var item struct {
					Attempts []string `dynamo:"attempts"`
				}
				err := dynamotest.DB(t).Table(f.Table).Get("pk", bucket(name).PK).Range("sk", dynamo.Equal, "Q").Consistent(true).One(ctx, &item)
				if err != nil && !errors.Is(err, dynamo.ErrNotFound) {
					return nil, err
				}
				return item.Attempts, nil
			},
		},
	}
	changetest.Run(t, f)
}
