package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"net/http"
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

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/tables"
)

// world has tables of its own, and runs commands on them.
type world struct {
	t      *testing.T
	prefix string
	names  tables.Names
	tables []tables.Table
	client *dynamodb.Client
	db     *dynamo.DB
	gen    ids.Source

	wrap func(aws.HTTPClient) aws.HTTPClient // around the client of commands
	page int
}

// newWorld has the tables of these features, or all.
func newWorld(t *testing.T, features ...string) *world {
	t.Helper()
	e := dynamotest.Engine(t)
	w := &world{t: t, prefix: "cmd-" + rand.Text()[:10] + "-", client: dynamodb.NewFromConfig(e.Config())}
	w.names = tables.NamesOf(w.prefix)
	w.db = dynamo.NewFromIface(w.client)
	gen, err := ids.New(1, nil)
	require.NoError(t, err)
	w.gen = gen
	for _, table := range tables.All(w.prefix) {
		if len(features) > 0 && !slices.Contains(features, table.Feature) {
			continue
		}
		w.tables = append(w.tables, table)
		_, err := w.client.CreateTable(t.Context(), table.Create)
		require.NoError(t, err)
		t.Cleanup(func() {
			_, err := w.client.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: aws.String(table.Name())})
			require.NoError(t, err)
		})
		if table.TTL != nil {
			_, err = w.client.UpdateTimeToLive(t.Context(), table.TTL)
			require.NoError(t, err)
		}
	}
	return w
}

// result is what a command answered.
type result struct {
	code           int
	stdout, stderr string
}

func (w *world) run(args ...string) result { return w.runIn(w.t.Context(), "", args...) }

// ends runs a command that ends with a code.
func (w *world) ends(code int, args ...string) result {
	w.t.Helper()
	got := w.run(args...)
	require.Equal(w.t, code, got.code, "%q: %s%s", args, got.stdout, got.stderr)
	return got
}

func (w *world) runIn(ctx context.Context, stdin string, args ...string) result {
	var stdout, stderr bytes.Buffer
	p := program{
		stdin: strings.NewReader(stdin), stdout: &stdout, stderr: &stderr, page: w.page,
		wrap: func(next aws.HTTPClient) aws.HTTPClient {
			next = w.permit(args[0], next)
			if w.wrap != nil {
				next = w.wrap(next)
			}
			return next
		},
		config: func(context.Context) (aws.Config, error) {
			cfg := dynamotest.Engine(w.t).Config()
			cfg.Retryer = func() aws.Retryer {
				return retry.NewStandard(func(o *retry.StandardOptions) {
					o.MaxBackoff, o.RateLimiter = 5*time.Millisecond, ratelimit.None
				})
			}
			return cfg, nil
		},
	}
	if len(args) > 0 && args[0] != "id" {
		args = append(args, "--prefix", w.prefix)
	}
	if len(args) > 0 && args[0] != "id" && args[0] != "tables" {
		args = append(args, "--rate", "0", "--endpoint", dynamotest.Engine(w.t).Endpoint)
	}
	code := p.run(ctx, args)
	return result{code, stdout.String(), stderr.String()}
}

// before calls f with the number of each request of the next commands, which fails with f's
// error.
func (w *world) before(f func(sent int64) error) {
	sent := new(atomic.Int64)
	w.wrap = func(next aws.HTTPClient) aws.HTTPClient {
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

func (w *world) tableOf(feature string) string {
	return w.tables[slices.IndexFunc(w.tables, func(t tables.Table) bool { return t.Feature == feature })].Name()
}

// stored is an item somewhere.
type stored struct {
	table, pk, sk string
	item          dynamo.Item
}

// scan reads every item of every table.
func (w *world) scan() (all []stored) {
	for _, table := range w.tables {
		pages := dynamodb.NewScanPaginator(w.client, &dynamodb.ScanInput{TableName: aws.String(table.Name()), ConsistentRead: aws.Bool(true)})
		for pages.HasMorePages() {
			page, err := pages.NextPage(w.t.Context())
			require.NoError(w.t, err)
			for _, item := range page.Items {
				all = append(all, stored{table.Feature, textOf(item, "pk"), textOf(item, "sk"), item})
			}
		}
	}
	return all
}

// of are the items that have the user's id anywhere: in a key, a value or a name.
func (w *world) of(user string) (found []stored) {
	for _, s := range w.scan() {
		if mentions(&types.AttributeValueMemberM{Value: s.item}, user) {
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
