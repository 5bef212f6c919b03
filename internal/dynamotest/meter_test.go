package dynamotest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

func kb(n float64) string { return strings.Repeat("x", int(n*1024)-20) }

func indexed(name string) *dynamodb.CreateTableInput {
	in := schema(name)
	in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{
		AttributeName: aws.String("Text"), AttributeType: types.ScalarAttributeTypeS,
	})
	in.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{{
		IndexName:  aws.String("texts"),
		KeySchema:  []types.KeySchemaElement{{AttributeName: aws.String("Text"), KeyType: types.KeyTypeHash}},
		Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
	}}
	return in
}

func TestPrices(t *testing.T) {
	t.Parallel()
	used := func(requests int, read, write float64) dynamotest.Cost {
		return dynamotest.Cost{Requests: requests, Read: read, Write: write}
	}
	missing := func(err error) bool { return err == dynamo.ErrNotFound }
	// Each starts from items of 1, 3 and 5 KB: a/1, a/3 and a/5.
	for name, c := range map[string]struct {
		want dynamotest.Cost
		do   func(ctx context.Context, db *dynamo.DB, table dynamo.Table) error
		fail func(error) bool
	}{
		"put": {used(1, 0, 1), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			return table.Put(row{PK: "b", SK: "b"}).Run(ctx)
		}, nil},
		"put over a larger item": {used(1, 0, 3), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			return table.Put(row{PK: "a", SK: "3"}).Run(ctx)
		}, nil},
		"update": {used(1, 0, 5), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			return table.Update("pk", "a").Range("sk", "5").Set("n", 1).Run(ctx)
		}, nil},
		"delete of nothing": {used(1, 0, 1), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			return table.Delete("pk", "b").Range("sk", "b").Run(ctx)
		}, nil},
		"failed put": {used(1, 0, 3), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			return table.Put(row{PK: "a", SK: "3"}).If("attribute_not_exists(pk)").Run(ctx)
		}, dynamo.IsCondCheckFailed},
		"failed update of nothing": {used(1, 0, 1), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			return table.Update("pk", "b").Range("sk", "b").Set("n", 1).If("attribute_exists(pk)").Run(ctx)
		}, dynamo.IsCondCheckFailed},
		"get": {used(1, 1, 0), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			return table.Get("pk", "a").Range("sk", dynamo.Equal, "5").One(ctx, new(row))
		}, nil},
		"consistent get": {used(1, 2, 0), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			return table.Get("pk", "a").Range("sk", dynamo.Equal, "5").Consistent(true).One(ctx, new(row))
		}, nil},
		"get of nothing": {used(1, 0.5, 0), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			return table.Get("pk", "b").Range("sk", dynamo.Equal, "5").One(ctx, new(row))
		}, missing},
		"consistent get of nothing": {used(1, 1, 0), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			return table.Get("pk", "b").Range("sk", dynamo.Equal, "5").Consistent(true).One(ctx, new(row))
		}, missing},
		"query, rounded up once": {used(1, 1.5, 0), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			return table.Get("pk", "a").All(ctx, new([]row))
		}, nil},
		"query of nothing": {used(1, 0.5, 0), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			return table.Get("pk", "b").All(ctx, new([]row))
		}, nil},
		"consistent query of nothing": {used(1, 1, 0), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			return table.Get("pk", "b").Consistent(true).All(ctx, new([]row))
		}, nil},
		"batch get with two missing": {used(1, 3, 0), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			return table.Batch("pk", "sk").Get(dynamo.Keys{"a", "1"}, dynamo.Keys{"a", "3"}, dynamo.Keys{"a", "5"},
				dynamo.Keys{"b", "1"}, dynamo.Keys{"b", "2"}).All(ctx, new([]row))
		}, nil},
		"consistent batch get of nothing": {used(1, 2, 0), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			return table.Batch("pk", "sk").Get(dynamo.Keys{"b", "1"}, dynamo.Keys{"b", "2"}).Consistent(true).All(ctx, new([]row))
		}, missing},
		"batch write": {used(1, 0, 5), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			_, err := table.Batch("pk", "sk").Write().Put(row{PK: "b", SK: "1"}).
				Delete(dynamo.Keys{"a", "3"}, dynamo.Keys{"b", "2"}).Run(ctx)
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
		"cancelled transaction": {used(1, 0, 2*(3+1)), func(ctx context.Context, db *dynamo.DB, table dynamo.Table) error {
			return db.WriteTx().
				Put(table.Put(row{PK: "a", SK: "3"})).
				Check(table.Check("pk", "a").Range("sk", "1").IfNotExists()).
				Run(ctx)
		}, dynamo.IsCondCheckFailed},
		"repeated transaction": {used(2, 2, 2), func(ctx context.Context, db *dynamo.DB, table dynamo.Table) error {
			tx := func() *dynamo.WriteTx {
				return db.WriteTx().IdempotentWithToken(t.Name()).Put(table.Put(row{PK: "b", SK: "1"}))
			}
			if err := tx().Run(ctx); err != nil {
				return err
			}
			return tx().Run(ctx)
		}, nil},
		"transactional get": {used(1, 4+2+2, 0), func(ctx context.Context, db *dynamo.DB, table dynamo.Table) error {
			return db.GetTx().
				GetOne(table.Get("pk", "a").Range("sk", dynamo.Equal, "5"), new(row)).
				GetOne(table.Get("pk", "a").Range("sk", dynamo.Equal, "3").Project("pk"), new(row)).
				GetOne(table.Get("pk", "b").Range("sk", dynamo.Equal, "3"), new(row)).Run(ctx)
		}, nil},
		"refused": {used(1, 0, 0), func(ctx context.Context, db *dynamo.DB, table dynamo.Table) error {
			return table.Put(map[string]string{"pk": "a"}).Run(ctx)
		}, func(err error) bool { return err != nil }},
		"describe": {used(1, 0, 0), func(ctx context.Context, _ *dynamo.DB, table dynamo.Table) error {
			_, err := table.Describe().Run(ctx)
			return err
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := dynamotest.NewMeter().Price()
			db := dynamotest.DB(t, m.Wrap)
			table := db.Table(dynamotest.Table(t, schema))
			for sk, size := range map[string]float64{"1": 1, "3": 3, "5": 5} {
				require.NoError(t, table.Put(row{PK: "a", SK: sk, Text: kb(size)}).Run(t.Context()))
			}
			m.Take()
			err := c.do(t.Context(), db, table)
			if c.fail == nil {
				require.NoError(t, err)
			} else {
				require.True(t, c.fail(err), "%v", err)
			}
			require.Equal(t, c.want, m.Take())
			require.Zero(t, m.Take())
		})
	}
}

func TestIndexesArePriced(t *testing.T) {
	t.Parallel()
	m := dynamotest.NewMeter()
	table := dynamotest.DB(t, m.Wrap).Table(dynamotest.Table(t, indexed))
	put := func(text string) func() {
		return func() { require.NoError(t, table.Put(row{PK: "a", SK: "1", Text: text}).Run(t.Context())) }
	}
	require.Equal(t, 2.0, m.AtMost(t, "first", dynamotest.Cost{Requests: 1, Write: 2}, put("x")).Write)
	require.Equal(t, 3.0, m.AtMost(t, "moved", dynamotest.Cost{Requests: 1, Write: 3}, put("y")).Write)
	got := m.AtMost(t, "index query of nothing", dynamotest.Cost{Requests: 1, Read: 0.5}, func() {
		require.NoError(t, table.Get("Text", "z").Index("texts").All(t.Context(), new([]row)))
	})
	require.Equal(t, 0.5, got.Read)
}

type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }

func TestAtMostNoticesEachExcess(t *testing.T) {
	t.Parallel()
	m := dynamotest.NewMeter()
	table := dynamotest.DB(t, m.Wrap).Table(dynamotest.Table(t, schema))
	for want, fails := range map[dynamotest.Cost]bool{
		{Requests: 2, Read: 0.5, Write: 1}: false,
		{Requests: 1, Read: 0.5, Write: 1}: true,
		{Requests: 2, Read: 0, Write: 1}:   true,
		{Requests: 2, Read: 0.5}:           true,
	} {
		r := &recorder{TB: t}
		m.AtMost(r, "both", want, func() {
			require.NoError(t, table.Put(row{PK: "a", SK: "1"}).Run(t.Context()))
			require.NoError(t, table.Get("pk", "a").All(t.Context(), new([]row)))
		})
		require.Equal(t, fails, r.failed, want)
	}
}

func TestWithoutPriceOnlyCallsInAtMostArePriced(t *testing.T) {
	t.Parallel()
	m := dynamotest.NewMeter()
	db := dynamotest.DB(t, m.Wrap)
	table := db.Table(dynamotest.Table(t, schema))
	write := func() {
		require.NoError(t, db.WriteTx().IdempotentWithToken("once").Put(table.Put(row{PK: "a", SK: "1"})).Run(t.Context()))
	}
	write()
	require.Equal(t, dynamotest.Cost{Requests: 1}, m.Take())
	repeated := dynamotest.Cost{Requests: 1, Read: 2}
	require.Equal(t, repeated, m.AtMost(t, "a transaction that was applied before", repeated, write))
	write()
	require.Equal(t, dynamotest.Cost{Requests: 1}, m.Take())
	require.Equal(t, repeated, func() dynamotest.Cost { m.Price(); write(); return m.Take() }())
}
