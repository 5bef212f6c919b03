package store_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/store"
)

// attributes returns the item under key without its key.
func attributes(t *testing.T, table *store.Table, key store.Key) dynamo.Item {
	t.Helper()
	var item dynamo.Item
	require.NoError(t, table.Get(t.Context(), key, true, &item))
	delete(item, "pk")
	delete(item, "sk")
	return item
}

func TestAnUpdateChangesWhatItNames(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t)
	key := store.Key{PK: "p", SK: "a"}
	number := func(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }
	long := strings.Repeat("long # name ", 21)
	const id = ids.ID(1 << 62)
	update := func(u *store.Update) dynamo.Item {
		t.Helper()
		require.NoError(t, table.Run(t.Context(), u))
		return attributes(t, table, key)
	}
	require.Equal(t, dynamo.Item{
		"data":   &types.AttributeValueMemberS{Value: "d"},
		"values": &types.AttributeValueMemberM{Value: dynamo.Item{"id": &types.AttributeValueMemberS{Value: id.String()}}},
		"size":   number("7"), "count": number("2"), "nxt": number("9"), long: number("2"),
		"key":   &types.AttributeValueMemberB{Value: []byte{1}},
		"first": &types.AttributeValueMemberSS{Value: []string{"x"}},
		"on":    &types.AttributeValueMemberBOOL{Value: true},
	}, update(table.Update(key).
		Set("data", "d").
		Set("values", struct {
			ID ids.ID `dynamo:"id"`
		}{id}).
		SetExpr("'size' = ?, $ = ?, nxt = if_not_exists(nxt, ?) + ?", 7, long, 2, int64(7), 2).
		Set("key", []byte{1}).
		Set("on", true).
		SetSet("first", []string{"x"}).
		SetSet("second", []string(nil)).
		Set("third", "").
		Set("fourth", []byte(nil)).
		Add("count", 2).
		If("attribute_not_exists(pk)").
		If("attribute_not_exists('size') OR 'size' < ?", 7)))
	require.Equal(t, dynamo.Item{
		"values": &types.AttributeValueMemberM{Value: dynamo.Item{"id": &types.AttributeValueMemberS{Value: ids.ID(1).String()}}},
		"size":   number("8"), "nxt": number("9"),
		"shards": &types.AttributeValueMemberNS{Value: []string{"3"}},
	}, update(table.Update(key).
		Set("values.id", ids.ID(1)).
		Set("data", "").
		Remove("count", "key", "on").
		RemoveExpr("$", long).
		Add("size", 1).
		Add("shards", []int{3}).
		Drop("first", []string{"x", "y"}).
		If("$ = ? AND 'values'.id = ? AND contains('first', ?)", long, 2, id, "x")))
}

func TestEqualValuesOfAnExpressionStayApart(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t)
	key := store.Key{PK: "p", SK: "a"}
	require.NoError(t, table.Run(t.Context(), table.Update(key).
		SetExpr("a = ?, b = ?, c = ?, d = ?", "5", 5, int64(6), "6").
		SetExpr("e = ?, f = ?, g = ?", ids.ID(0).String(), ids.ID(0), ids.ID(0).String())))
	text := func(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
	number := func(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }
	zeros := text(ids.ID(0).String())
	require.Equal(t, dynamo.Item{
		"a": text("5"), "b": number("5"), "c": number("6"), "d": text("6"), "e": zeros, "f": text(""), "g": zeros,
	}, attributes(t, table, key))
}

func TestLongClausesStayApart(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t)
	key := store.Key{PK: "p", SK: "a"}
	update, want := table.Update(key), dynamo.Item{}
	for i := range 40 { // each clause in turn, so that all grow
		n := strconv.Itoa(i)
		update.Set("set"+n, i).Add("add"+n, i).Remove("gone"+n).If("attribute_not_exists($)", "none"+n)
		want["set"+n] = &types.AttributeValueMemberN{Value: n}
		want["add"+n] = &types.AttributeValueMemberN{Value: n}
	}
	require.NoError(t, table.Run(t.Context(), update))
	require.Equal(t, want, attributes(t, table, key))
}

func TestEachConditionMustHold(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t)
	key := store.Key{PK: "p", SK: "a"}
	require.NoError(t, table.Run(t.Context(), table.PutAt(key).Set("n", 1)))
	const holds = "attribute_exists(pk) OR attribute_exists(n)"
	for name, conditions := range map[string][]string{
		"without an argument":  {holds, "attribute_not_exists(n)"},
		"with one":             {holds, "n < ?"},
		"with one, before it":  {"n < ?", holds},
		"the first of several": {"attribute_not_exists(n)", holds, "n = ?"},
	} {
		update := table.Update(key).Set("n", 2)
		for _, condition := range conditions {
			update.If(condition, []any{1}[:strings.Count(condition, "?")]...)
		}
		_, refused := store.AsRefused(table.Run(t.Context(), update))
		require.True(t, refused, name)
	}
	require.NoError(t, table.Run(t.Context(), table.Update(key).Set("n", 2).If(holds).If("n = ?", 1).If("attribute_exists(n)")))
}

func TestAnExpressionThatCannotBeWrittenIsNotSent(t *testing.T) {
	t.Parallel()
	table, in := newTable(t)
	key := store.Key{PK: "p", SK: "a"}
	for name, u := range map[string]*store.Update{
		"no argument": table.Update(key).If("a = ?"),
		"no value":    table.Update(key).SetExpr("a = ?", nil),
		"no set":      table.Update(key).SetSet("a", "x"),
		"no text":     table.Update(key).Set("a", ids.ID(1<<63)),
	} {
		require.Error(t, table.Run(t.Context(), u), name)
		require.Error(t, table.Run(t.Context(), store.Returning{Update: u}), name)
		require.Error(t, table.Run(t.Context(), table.Tx().Update(u)), name)
	}
	require.Error(t, table.Run(t.Context(), table.Put(row{PK: "p"}).If("a = ?")))
	require.Error(t, table.Run(t.Context(), table.Delete(key).If("a = ?")))
	require.Error(t, table.Run(t.Context(), table.Tx().Check(key, "a = ?")))
	require.Zero(t, in.Requests())
}

// A damaged item is not what the caller asked for, although the update was applied.
func TestADamagedItemThatAnUpdateReturnsIsCorrupt(t *testing.T) {
	t.Parallel()
	name := dynamotest.Table(t, store.Schema)
	table, err := store.Open(dynamotest.DB(t), name, nil, true)
	require.NoError(t, err)
	require.NoError(t, dynamotest.DB(t).Table(name).Put(map[string]any{"pk": "p", "sk": "a", "n": "seven"}).Run(t.Context()))
	var out row
	err = table.Run(t.Context(), store.Returning{Update: table.Update(store.Key{PK: "p", SK: "a"}).Set("text", "x"), Out: &out})
	require.ErrorIs(t, err, plaza.ErrCorrupt)
}
