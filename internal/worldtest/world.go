// Package worldtest has the tables of all features, in which Ann has something of each, and
// finds what they store of her.
package worldtest

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/tables"
)

// World has tables of its own.
type World struct {
	T      testing.TB
	Prefix string // of the tables
	Names  tables.Names
	Tables []tables.Table
	Client *dynamodb.Client
	DB     *dynamo.DB
	IDs    ids.Source
}

// New has the tables of these features, or all.
func New(t testing.TB, features ...string) *World {
	t.Helper()
	e := dynamotest.Engine(t)
	w := &World{T: t, Prefix: "world-" + rand.Text()[:10] + "-", Client: dynamodb.NewFromConfig(e.Config())}
	w.Names = tables.NamesOf(w.Prefix)
	w.DB = dynamo.NewFromIface(w.Client)
	gen, err := ids.New(1, nil)
	require.NoError(t, err)
	w.IDs = gen
	for _, table := range tables.All(w.Prefix) {
		if len(features) > 0 && !slices.Contains(features, table.Feature) {
			continue
		}
		w.Tables = append(w.Tables, table)
		_, err := w.Client.CreateTable(t.Context(), table.Create)
		require.NoError(t, err)
		t.Cleanup(func() {
			_, err := w.Client.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: aws.String(table.Name())})
			require.NoError(t, err)
		})
		if table.TTL != nil {
			_, err = w.Client.UpdateTimeToLive(t.Context(), table.TTL)
			require.NoError(t, err)
		}
	}
	return w
}

// Config is that of another client, which repeats at once.
func (w *World) Config(wrap func(aws.HTTPClient) aws.HTTPClient) aws.Config {
	cfg := dynamotest.Engine(w.T).Config()
	cfg.Retryer = func() aws.Retryer {
		return retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxBackoff, o.RateLimiter = 5*time.Millisecond, ratelimit.None
		})
	}
	if wrap != nil {
		next := cfg.HTTPClient
		if next == nil {
			next = http.DefaultClient
		}
		cfg.HTTPClient = wrap(next)
	}
	return cfg
}

// Process is a connection of another process.
func (w *World) Process(wrap func(aws.HTTPClient) aws.HTTPClient) *dynamo.DB {
	return dynamo.NewFromIface(dynamodb.NewFromConfig(w.Config(wrap)))
}

// Before calls f with the number of each request, which fails with f's error.
func Before(f func(sent int64) error) func(aws.HTTPClient) aws.HTTPClient {
	sent := new(atomic.Int64)
	return func(next aws.HTTPClient) aws.HTTPClient {
		return client(func(r *http.Request) (*http.Response, error) {
			if err := f(sent.Add(1)); err != nil {
				return nil, err
			}
			return next.Do(r)
		})
	}
}

// client is a function that sends a request.
type client func(*http.Request) (*http.Response, error)

func (c client) Do(r *http.Request) (*http.Response, error) { return c(r) }

// Follows is a repository of follows.
func (w *World) Follows() *follow.Repository {
	return Must[*follow.Repository](w)(follow.New(w.DB, w.Names.Follow, w.IDs, nil))
}

func keyOf(pk, sk string) dynamo.Item {
	return dynamo.Item{"pk": &types.AttributeValueMemberS{Value: pk}, "sk": &types.AttributeValueMemberS{Value: sk}}
}

// Remove deletes an item that is there.
func (w *World) Remove(table, pk, sk string) {
	w.T.Helper()
	out, err := w.Client.DeleteItem(w.T.Context(), &dynamodb.DeleteItemInput{TableName: &table, ReturnValues: types.ReturnValueAllOld, Key: keyOf(pk, sk)})
	require.NoError(w.T, err)
	require.NotEmpty(w.T, out.Attributes, "there is no %s / %s", pk, sk)
}

// Put stores an item without attributes.
func (w *World) Put(table, pk, sk string) {
	w.T.Helper()
	_, err := w.Client.PutItem(w.T.Context(), &dynamodb.PutItemInput{TableName: &table, Item: keyOf(pk, sk)})
	require.NoError(w.T, err)
}

// Set sets an attribute of an item that is there.
func (w *World) Set(table, pk, sk, attribute string, value types.AttributeValue) {
	w.T.Helper()
	_, err := w.Client.UpdateItem(w.T.Context(), &dynamodb.UpdateItemInput{
		TableName: &table, UpdateExpression: aws.String("SET #a = :v"), ConditionExpression: aws.String("attribute_exists(pk)"),
		ExpressionAttributeNames: map[string]string{"#a": attribute}, ExpressionAttributeValues: dynamo.Item{":v": value}, Key: keyOf(pk, sk),
	})
	require.NoError(w.T, err)
}

// TableOf is the name of a feature's table.
func (w *World) TableOf(feature string) string {
	return w.Tables[slices.IndexFunc(w.Tables, func(t tables.Table) bool { return t.Feature == feature })].Name()
}

// Stored is an item somewhere.
type Stored struct {
	Table, PK, SK string
	Item          dynamo.Item
}

// Key is "feature pk / sk", without escapes.
func (s Stored) Key() string {
	return strings.ReplaceAll(fmt.Sprintf("%s %s / %s", s.Table, s.PK, s.SK), `\`, "")
}

// Attributes are the names of all but the key, without escapes.
func (s Stored) Attributes() (names []string) {
	for name := range s.Item {
		if name != "pk" && name != "sk" {
			names = append(names, strings.ReplaceAll(name, `\`, ""))
		}
	}
	return names
}

// Rest is what may stay of somebody.
type Rest struct {
	N    int    // how many
	Key  string // a pattern of Stored.Key
	Only string // the attributes that it may have besides the key; "" is any
}

func (r Rest) matches(s Stored) bool {
	for _, name := range s.Attributes() {
		if r.Only != "" && !strings.Contains(" "+r.Only+" ", " "+name+" ") {
			return false
		}
	}
	return regexp.MustCompile(r.Key).MatchString(s.Key())
}

// RequireLeft fails unless exactly the residue is left.
func RequireLeft(t testing.TB, left []Stored, residue []Rest) {
	t.Helper()
	counts := make([]int, len(residue))
	for _, s := range left {
		i := slices.IndexFunc(residue, func(r Rest) bool { return r.matches(s) })
		require.GreaterOrEqual(t, i, 0, "%s stays: %v", s.Key(), s.Attributes())
		counts[i]++
	}
	for i, r := range residue {
		require.Equal(t, r.N, counts[i], "%s", r.Key)
	}
}

// Scan reads every item of every table.
func (w *World) Scan() (all []Stored) {
	for _, table := range w.Tables {
		pages := dynamodb.NewScanPaginator(w.Client, &dynamodb.ScanInput{TableName: aws.String(table.Name()), ConsistentRead: aws.Bool(true)})
		for pages.HasMorePages() {
			page, err := pages.NextPage(w.T.Context())
			require.NoError(w.T, err)
			for _, item := range page.Items {
				all = append(all, Stored{table.Feature, text(item, "pk"), text(item, "sk"), item})
			}
		}
	}
	return all
}

// Restore makes the world what it was when Scan read all.
func (w *World) Restore(all []Stored) {
	w.T.Helper()
	writes := map[string][]types.WriteRequest{}
	for _, s := range w.Scan() {
		table := w.TableOf(s.Table)
		writes[table] = append(writes[table], types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: keyOf(s.PK, s.SK)}})
	}
	w.write(writes)
	writes = map[string][]types.WriteRequest{}
	for _, s := range all {
		table := w.TableOf(s.Table)
		writes[table] = append(writes[table], types.WriteRequest{PutRequest: &types.PutRequest{Item: s.Item}})
	}
	w.write(writes)
}

func (w *World) write(all map[string][]types.WriteRequest) {
	w.T.Helper()
	for table, writes := range all {
		for batch := range slices.Chunk(writes, 25) {
			out, err := w.Client.BatchWriteItem(w.T.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: batch}})
			require.NoError(w.T, err)
			require.Empty(w.T, out.UnprocessedItems)
		}
	}
}

// Of are the items that have the user's id anywhere: in a key, a value or a name.
func (w *World) Of(user string) (found []Stored) {
	for _, s := range w.Scan() {
		if mentions(&types.AttributeValueMemberM{Value: s.Item}, user) {
			found = append(found, s)
		}
	}
	return found
}

func mentions(value types.AttributeValue, user string) bool {
	has := func(text string) bool { return strings.Contains(strings.ReplaceAll(text, `\`, ""), user) }
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return has(v.Value)
	case *types.AttributeValueMemberB:
		return has(string(v.Value))
	case *types.AttributeValueMemberSS:
		return has(strings.Join(v.Value, " "))
	case *types.AttributeValueMemberBS:
		return has(string(bytes.Join(v.Value, []byte(" "))))
	case *types.AttributeValueMemberL:
		for _, i := range v.Value {
			if mentions(i, user) {
				return true
			}
		}
	case *types.AttributeValueMemberM:
		for name, i := range v.Value {
			if has(name) || mentions(i, user) {
				return true
			}
		}
	}
	return false
}

func text(item dynamo.Item, name string) string {
	if text, ok := item[name].(*types.AttributeValueMemberS); ok {
		return text.Value
	}
	return ""
}
