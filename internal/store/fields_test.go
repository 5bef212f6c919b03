package store_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/store"
)

// every has a field of every type that rows decoded by name have.
type every struct {
	Text   string    `dynamo:"text"`
	ID     ids.ID    `dynamo:"id"`
	Time   time.Time `dynamo:"time"`
	Number int64     `dynamo:"number"`
	Int    int       `dynamo:"int"`
	Flag   bool      `dynamo:"flag"`
	Bytes  []byte    `dynamo:"bytes"`
	List   []string  `dynamo:"list"`
	Score  *int64    `dynamo:"score"`
}

func (e *every) attribute(name string) any {
	return map[string]any{
		"text": &e.Text, "id": &e.ID, "time": &e.Time, "number": &e.Number, "int": &e.Int,
		"flag": &e.Flag, "bytes": &e.Bytes, "list": &e.List, "score": &e.Score,
	}[name]
}

func TestFieldsGivesWhatTheDriverDoes(t *testing.T) {
	t.Parallel()
	row := new(every)
	dynamotest.SameFields(t, row, row.attribute)
	values := []types.AttributeValue{
		&types.AttributeValueMemberS{}, &types.AttributeValueMemberS{Value: "a"}, &types.AttributeValueMemberS{Value: ids.ID(7).String()},
		&types.AttributeValueMemberS{Value: "2026-01-02T03:04:05Z"},
		&types.AttributeValueMemberN{Value: "-7"}, &types.AttributeValueMemberN{Value: "1.5"}, &types.AttributeValueMemberN{Value: "99999999999999999999"},
		&types.AttributeValueMemberB{}, &types.AttributeValueMemberB{Value: []byte("a")},
		&types.AttributeValueMemberBOOL{Value: true}, &types.AttributeValueMemberNULL{Value: true},
		&types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberS{Value: "a"}}},
		&types.AttributeValueMemberSS{Value: []string{"a"}}, &types.AttributeValueMemberM{},
	}
	decoded := 0
	for _, name := range []string{"text", "id", "time", "number", "int", "flag", "bytes", "list", "score", "another"} {
		for _, value := range values {
			item := dynamo.Item{name: value}
			var ours, theirs every
			err := store.Fields(item, ours.attribute)
			require.Equal(t, dynamo.UnmarshalItem(item, &theirs) == nil, err == nil, "%s %#v", name, value)
			if err == nil {
				decoded++
				require.Equal(t, theirs, ours, "%s %#v", name, value)
			}
		}
	}
	require.Greater(t, decoded, len(values))
}

func TestARowAfterADamagedOneStartsEmpty(t *testing.T) {
	t.Parallel()
	table, _ := damaged(t, 0, nil)
	require.NoError(t, table.PutAll(t.Context(), []dynamo.Item{
		{"pk": &types.AttributeValueMemberS{Value: "p"}, "sk": &types.AttributeValueMemberS{Value: "1"}, "text": &types.AttributeValueMemberS{Value: "of 1"}, "wrong": &types.AttributeValueMemberBOOL{}},
		{"pk": &types.AttributeValueMemberS{Value: "p"}, "sk": &types.AttributeValueMemberS{Value: "2"}},
	}, 1))
	rows, err := store.Query[halfDamaged](t.Context(), table, store.Span{PK: "p", Ascending: true})
	require.NoError(t, err)
	require.Equal(t, []halfDamaged{{}}, rows)
}

// halfDamaged is set before its damage is found.
type halfDamaged struct{ text string }

func (h *halfDamaged) UnmarshalDynamoItem(item dynamo.Item) error {
	err := store.Fields(item, func(name string) any {
		return map[string]any{"text": &h.text}[name]
	})
	if err == nil && item["wrong"] != nil {
		err = ids.ErrInvalid
	}
	return err
}
