package store_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/dynamotest/wire"
	"github.com/plaza-sdk/plaza/internal/store"
)

func TestVerifyReportsTheDifference(t *testing.T) {
	t.Parallel()
	index := store.Index{Name: "ranking", Partition: "part", Sort: "key", Include: []string{"score"}}
	local := store.Index{Name: "recent", Sort: "last", Text: true, Include: []string{"score"}}
	plain := store.Feature{Name: "plain", Format: 2, Schema: store.Schema}
	indexed := store.Feature{Name: "indexed", Format: 1, Schema: index.Schema}
	ordered := store.Feature{Name: "ordered", Format: 1, Schema: local.Schema}
	expiring := store.Feature{Name: "plain", Format: 2, Schema: store.Schema, Expires: true}
	numbered := func(name string) *dynamodb.CreateTableInput {
		in := store.Schema(name)
		in.AttributeDefinitions[1].AttributeType = types.ScalarAttributeTypeN
		return in
	}
	lean := func(name string) *dynamodb.CreateTableInput {
		in := index.Schema(name)
		in.GlobalSecondaryIndexes[0].Projection = &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}
		return in
	}
	meagre := func(name string) *dynamodb.CreateTableInput {
		in := local.Schema(name)
		in.LocalSecondaryIndexes[0].Projection = &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}
		return in
	}
	turned := func(name string) *dynamodb.CreateTableInput {
		in := store.Schema(name)
		in.KeySchema[0].AttributeName, in.KeySchema[1].AttributeName = aws.String("sk"), aws.String("pk")
		return in
	}
	marked := func(f store.Feature) func(*testing.T, *store.Table) {
		return func(t *testing.T, table *store.Table) { require.NoError(t, table.Init(t.Context(), f)) }
	}
	for name, c := range map[string]struct {
		schema  func(string) *dynamodb.CreateTableInput
		before  func(*testing.T, *store.Table)
		feature store.Feature
		says    string // a part of the error; "" for none
	}{
		"its own table":          {schema: store.Schema, feature: plain},
		"its own, marked":        {schema: store.Schema, before: marked(plain), feature: plain},
		"its own, marked twice":  {schema: store.Schema, before: func(t *testing.T, table *store.Table) { marked(plain)(t, table); marked(plain)(t, table) }, feature: plain},
		"of an older format":     {schema: store.Schema, before: marked(store.Feature{Name: "plain", Format: 1, Schema: store.Schema}), feature: plain},
		"of a newer format":      {schema: store.Schema, before: marked(store.Feature{Name: "plain", Format: 3, Schema: store.Schema}), feature: plain, says: "format 3"},
		"another feature's":      {schema: index.Schema, before: marked(indexed), feature: plain, says: "indexed, not of plain"},
		"without its index":      {schema: store.Schema, feature: indexed, says: "part"},
		"an index that lacks":    {schema: lean, feature: indexed, says: "another index ranking"},
		"its local index":        {schema: local.Schema, feature: ordered},
		"a local one that lacks": {schema: meagre, feature: ordered, says: "another index recent"},
		"another local index":    {schema: store.Index{Name: "newest", Sort: "last", Text: true}.Schema, feature: ordered, says: "lacks the index recent"},
		"with an index more":     {schema: index.Schema, feature: plain},
		"keys of another type":   {schema: numbered, feature: plain, says: "sk"},
		"keys turned round":      {schema: turned, feature: plain, says: "another key"},
		"without expiry":         {schema: store.Schema, feature: expiring, says: "no expiry"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table, _ := newTableOf(t, c.schema)
			if c.before != nil {
				c.before(t, table)
			}
			for _, err := range []error{table.Verify(t.Context(), c.feature), table.Init(t.Context(), c.feature)} {
				if c.says == "" {
					require.NoError(t, err)
					continue
				}
				require.ErrorIs(t, err, plaza.ErrTable)
				require.True(t, strings.Contains(err.Error(), c.says), "%v", err)
			}
		})
	}
}

// strong makes each table that is described a global one with strong consistency.
type strong struct{ aws.HTTPClient }

func (c strong) Do(r *http.Request) (*http.Response, error) {
	res, err := c.HTTPClient.Do(r)
	if err != nil {
		return nil, err
	}
	body, err := wire.Body(res)
	wire.SetBody(res, bytes.Replace(body, []byte(`"Table":{`), []byte(`"Table":{"MultiRegionConsistency":"STRONG",`), 1))
	return res, err
}

func TestVerifyRefusesATableWithoutTransactions(t *testing.T) {
	t.Parallel()
	wrap := func(next aws.HTTPClient) aws.HTTPClient { return strong{next} }
	table, err := store.Open(dynamotest.DB(t, wrap), dynamotest.Table(t, store.Schema), nil, true)
	require.NoError(t, err)
	err = table.Verify(t.Context(), store.Feature{Name: "plain", Format: 1, Schema: store.Schema})
	require.ErrorIs(t, err, plaza.ErrTable)
	require.ErrorContains(t, err, "transactions")
}
