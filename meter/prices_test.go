package meter_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/localmeter"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/meter"
)

// row is in two indexes, a local and a global one, if it has a Place.
type row struct {
	PK    string `dynamo:"pk"`
	SK    string `dynamo:"sk"`
	Text  string `dynamo:",omitempty"`
	Place string `dynamo:",omitempty"`
}

func schema(name string) *dynamodb.CreateTableInput {
	in := store.Index{Name: "ofKey", Sort: "Place", Text: true}.Schema(name)
	in.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{{
		IndexName:  aws.String("ofAll"),
		KeySchema:  []types.KeySchemaElement{{AttributeName: aws.String("Place"), KeyType: types.KeyTypeHash}},
		Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
	}}
	return in
}

// sides are the meter for AWS, over answers that report what AWS bills, and the one for
// an engine on this machine.
var sides = map[string]func(aws.Config) (*meter.Meter, *dynamo.DB){
	"AWS": func(cfg aws.Config) (*meter.Meter, *dynamo.DB) {
		m := meter.New()
		cfg.HTTPClient = localmeter.New(meter.New(), http.DefaultTransport, nil).Wrap(http.DefaultClient)
		m.Attach(&cfg)
		return m, dynamo.New(cfg)
	},
	"Local": func(cfg aws.Config) (*meter.Meter, *dynamo.DB) {
		m := meter.New()
		cfg.HTTPClient = localmeter.New(m, http.DefaultTransport, nil).Wrap(http.DefaultClient)
		return m, dynamo.New(cfg)
	},
}

func config(t *testing.T) aws.Config {
	t.Helper()
	cfg := dynamotest.Engine(t).Config()
	cfg.HTTPClient = http.DefaultClient
	return cfg
}

// engines are the one of all tests and, in full runs, the other.
func engines(t *testing.T) []*engine.Engine {
	t.Helper()
	own := dynamotest.Engine(t)
	if !faults.Full() {
		return []*engine.Engine{own}
	}
	name := "dynoxide"
	if own.Kind == engine.Dynoxide {
		name = "dynamodb-local"
	}
	other, err := engine.Start(t.Context(), &engine.Options{Name: name})
	if errors.Is(err, engine.ErrAbsent) {
		t.Log(err)
		return []*engine.Engine{own}
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, other.Close()) })
	return []*engine.Engine{own, other}
}

func kb(n float64) string { return strings.Repeat("x", int(n*1024)-20) }

type (
	writer interface{ Run(context.Context) error }
	reader interface {
		One(context.Context, any) error
	}
	lister interface {
		All(context.Context, any) error
	}
	priced = func(context.Context, *dynamo.DB, dynamo.Table) error
)

func writes(of func(dynamo.Table) writer) priced {
	return func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error { return of(table).Run(ctx) }
}

func reads(of func(dynamo.Table) reader) priced {
	return func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error { return of(table).One(ctx, new(row)) }
}

func lists(of func(dynamo.Table) lister) priced {
	return func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
		return of(table).All(ctx, new([]row))
	}
}

func TestPrices(t *testing.T) {
	t.Parallel()
	engines := engines(t)
	used := func(requests int, read, write float64) meter.Cost {
		return meter.Cost{Requests: requests, Read: read, Write: write}
	}
	missing := func(err error) bool { return err == dynamo.ErrNotFound }
	get := func(table dynamo.Table, pk, sk string) *dynamo.Query {
		return table.Get("pk", pk).Range("sk", dynamo.Equal, sk)
	}
	noPut := func(table dynamo.Table) *dynamo.Put {
		return table.Put(row{PK: "a", SK: "3"}).If("attribute_not_exists(pk)")
	}
	noUpdate := func(table dynamo.Table) *dynamo.Update {
		return table.Update("pk", "a").Range("sk", "5").Set("n", 1).If("attribute_not_exists(pk)")
	}
	// What a refusal does not say, and the meter for AWS therefore estimates.
	estimates := map[string]meter.Cost{
		"failed put":            used(1, 0, 1),
		"failed update":         used(1, 0, 1),
		"cancelled transaction": used(1, 0, 2*(1+1)),
		"cancelled transaction that asks for the items": used(1, 0, 2*(3+1+2)),
	}
	// Each starts from items of 1, 3 and 5 KB: a/1, a/3 and a/5.
	for name, c := range map[string]struct {
		want meter.Cost
		do   priced
		fail func(error) bool
	}{
		"put":                    {used(1, 0, 1), writes(func(table dynamo.Table) writer { return table.Put(row{PK: "b", SK: "b"}) }), nil},
		"put over a larger item": {used(1, 0, 3), writes(func(table dynamo.Table) writer { return table.Put(row{PK: "a", SK: "3"}) }), nil},
		"update":                 {used(1, 0, 5), writes(func(table dynamo.Table) writer { return table.Update("pk", "a").Range("sk", "5").Set("n", 1) }), nil},
		"put into, within and out of indexes": {used(4, 0, 3+1+5+3), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			for _, place := range []string{"x", "x", "y", ""} {
				if err := table.Put(row{PK: "b", SK: "1", Place: place}).Run(ctx); err != nil {
					return err
				}
			}
			return nil
		}, nil},
		"delete of nothing": {used(1, 0, 1), writes(func(table dynamo.Table) writer { return table.Delete("pk", "b").Range("sk", "b") }), nil},
		"failed put":        {used(1, 0, 3), writes(func(table dynamo.Table) writer { return noPut(table) }), dynamo.IsCondCheckFailed},
		"failed put that asks for the item": {used(1, 0, 3), writes(func(table dynamo.Table) writer {
			return noPut(table).IncludeItemInCondCheckFail(true)
		}), dynamo.IsCondCheckFailed},
		"failed update": {used(1, 0, 5), writes(func(table dynamo.Table) writer { return noUpdate(table) }), dynamo.IsCondCheckFailed},
		"failed update that asks for the item": {used(1, 0, 5), writes(func(table dynamo.Table) writer {
			return noUpdate(table).IncludeItemInCondCheckFail(true)
		}), dynamo.IsCondCheckFailed},
		"delete": {used(1, 0, 5), writes(func(table dynamo.Table) writer { return table.Delete("pk", "a").Range("sk", "5") }), nil},
		"scan":   {used(1, 1.5, 0), lists(func(table dynamo.Table) lister { return table.Scan() }), nil},
		"failed update of nothing": {used(1, 0, 1), writes(func(table dynamo.Table) writer {
			return table.Update("pk", "b").Range("sk", "b").Set("n", 1).If("attribute_exists(pk)")
		}), dynamo.IsCondCheckFailed},
		"get":                         {used(1, 1, 0), reads(func(table dynamo.Table) reader { return get(table, "a", "5") }), nil},
		"consistent get":              {used(1, 2, 0), reads(func(table dynamo.Table) reader { return get(table, "a", "5").Consistent(true) }), nil},
		"get of nothing":              {used(1, 0.5, 0), reads(func(table dynamo.Table) reader { return get(table, "b", "5") }), missing},
		"consistent get of nothing":   {used(1, 1, 0), reads(func(table dynamo.Table) reader { return get(table, "b", "5").Consistent(true) }), missing},
		"query, rounded up once":      {used(1, 1.5, 0), lists(func(table dynamo.Table) lister { return table.Get("pk", "a") }), nil},
		"query of nothing":            {used(1, 0.5, 0), lists(func(table dynamo.Table) lister { return table.Get("pk", "b") }), nil},
		"consistent query of nothing": {used(1, 1, 0), lists(func(table dynamo.Table) lister { return table.Get("pk", "b").Consistent(true) }), nil},
		"batch get with two missing": {used(1, 3, 0), lists(func(table dynamo.Table) lister {
			return table.Batch("pk", "sk").Get(dynamo.Keys{"a", "1"}, dynamo.Keys{"a", "3"}, dynamo.Keys{"a", "5"}, dynamo.Keys{"b", "1"}, dynamo.Keys{"b", "2"})
		}), nil},
		"consistent batch get of nothing": {used(1, 2, 0), lists(func(table dynamo.Table) lister {
			return table.Batch("pk", "sk").Get(dynamo.Keys{"b", "1"}, dynamo.Keys{"b", "2"}).Consistent(true)
		}), missing},
		"batch write": {used(1, 0, 6), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			_, err := table.Batch("pk", "sk").Write().Put(row{PK: "b", SK: "1"}).
				Delete(dynamo.Keys{"a", "3"}, dynamo.Keys{"b", "2"}, dynamo.Keys{"b", "3"}).Run(ctx)
			return err
		}, nil},
		"transaction": {used(1, 0, 2*(1+3+5+2+1+1)), func(ctx context.Context, db *dynamo.DB, table dynamo.Table) error {
			return db.WriteTx().
				Put(table.Put(row{PK: "b", SK: "1"})).
				Put(table.Put(row{PK: "a", SK: "3"})).
				Update(table.Update("pk", "a").Range("sk", "5").Set("n", 1)).
				Update(table.Update("pk", "a").Range("sk", "1").Set("more", kb(1))).
				Delete(table.Delete("pk", "b").Range("sk", "2")).
				Check(table.Check("pk", "b").Range("sk", "3").IfNotExists()).
				Run(ctx)
		}, nil},
		"transaction that writes to indexes, which it does once": {used(2, 0, 2*3+2*(1+3+2+1)+2*2+2*1+(1+2)+(0+1)), func(ctx context.Context, db *dynamo.DB, table dynamo.Table) error {
			if _, err := table.Batch("pk", "sk").Write().
				Put(row{PK: "b", SK: "1", Place: "x"}, row{PK: "b", SK: "3", Place: "x"}).Run(ctx); err != nil {
				return err
			}
			return db.WriteTx().
				Put(table.Put(row{PK: "b", SK: "1", Place: "y"})).
				Put(table.Put(row{PK: "a", SK: "3", Place: "x"})).
				Put(table.Put(row{PK: "b", SK: "2", Place: "x", Text: kb(2)})).
				Update(table.Update("pk", "b").Range("sk", "3").Set("n", 1)).
				Run(ctx)
		}, nil},
		"cancelled transaction": {used(1, 0, 2*(3+1)), func(ctx context.Context, db *dynamo.DB, table dynamo.Table) error {
			return db.WriteTx().
				Put(table.Put(row{PK: "a", SK: "3"})).
				Check(table.Check("pk", "a").Range("sk", "1").IfNotExists()).
				Run(ctx)
		}, dynamo.IsCondCheckFailed},
		"cancelled transaction that asks for the items": {used(1, 0, 2*(3+1+1)), func(ctx context.Context, db *dynamo.DB, table dynamo.Table) error {
			return db.WriteTx().
				Put(noPut(table)).
				Update(table.Update("pk", "a").Range("sk", "1").Set("n", 1)).
				Put(table.Put(row{PK: "b", SK: "1", Text: kb(2)})).
				IncludeAllItemsInCondCheckFail(true).Run(ctx)
		}, dynamo.IsCondCheckFailed},
		"repeated transaction": {used(2, 2, 2), func(ctx context.Context, db *dynamo.DB, table dynamo.Table) error {
			token := table.Name()[len(table.Name())-10:]
			tx := func() *dynamo.WriteTx {
				return db.WriteTx().IdempotentWithToken(token).Put(table.Put(row{PK: "b", SK: "1"}))
			}
			if err := tx().Run(ctx); err != nil {
				return err
			}
			return tx().Run(ctx)
		}, nil},
		"transactional get": {used(1, 4+2+2, 0), func(ctx context.Context, db *dynamo.DB, table dynamo.Table) error {
			return db.GetTx().
				GetOne(get(table, "a", "5"), new(row)).GetOne(get(table, "a", "3").Project("pk"), new(row)).
				GetOne(get(table, "b", "3"), new(row)).Run(ctx)
		}, nil},
		"refused": {used(1, 0, 0), func(ctx context.Context, db *dynamo.DB, table dynamo.Table) error {
			return table.Put(map[string]string{"pk": "a"}).Run(ctx)
		}, func(err error) bool { return err != nil }},
		"describe": {used(1, 0, 0), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			_, err := table.Describe().Run(ctx)
			return err
		}, nil},
	} {
		for _, e := range engines {
			for side, connect := range sides {
				t.Run(fmt.Sprintf("%s, %s of %s", name, side, e.Kind), func(t *testing.T) {
					t.Parallel()
					m, db := connect(e.Config())
					table := db.Table(rand.Text())
					_, err := db.Client().CreateTable(t.Context(), schema(table.Name()))
					require.NoError(t, err)
					t.Cleanup(func() { require.NoError(t, table.DeleteTable().Run(context.Background())) })
					for sk, size := range map[string]float64{"1": 1, "3": 3, "5": 5} {
						require.NoError(t, table.Put(row{PK: "a", SK: sk, Text: kb(size)}).Run(t.Context()))
					}
					m.Reset()
					err = c.do(plaza.WithOperation(t.Context(), "test."+name), db, table)
					if c.fail == nil {
						require.NoError(t, err)
					} else {
						require.True(t, c.fail(err), "%v", err)
					}
					want := c.want
					if estimate, ok := estimates[name]; ok && side == "AWS" {
						want = estimate
					}
					require.Equal(t, map[string]meter.Cost{"test." + name: want}, m.Reset())
				})
			}
		}
	}
}
