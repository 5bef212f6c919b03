// Package dynamotest gives each test its own tables in a real DynamoDB Local,
// and counts what the code under test costs.
package dynamotest

import (
	"context"
	"crypto/rand"
	"errors"
	"hash/crc32"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/engine"
)

var start = sync.OnceValues(func() (*engine.Engine, error) { return engine.Shared(context.Background()) })

var transport = sync.OnceValue(func() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = nil
	t.MaxIdleConns = 0
	t.MaxIdleConnsPerHost = 64
	return t
})

// Engine returns the engine of this process, for clients that DB does not make.
func Engine(t testing.TB) *engine.Engine {
	t.Helper()
	e, err := start()
	if err != nil {
		t.Fatal(err)
	}
	return e.Database(database(t))
}

// databases is how many databases a process has. DynamoDB Local runs each in one thread,
// for which tests that run side by side would wait.
const databases = 4

// database is the same for a test and its subtests.
func database(t testing.TB) int {
	test, _, _ := strings.Cut(t.Name(), "/")
	return int(crc32.ChecksumIEEE([]byte(test)) % databases)
}

// DB reaches the engine of this process. Each wrap goes around those before
// it, so the first is nearest to the engine. The SDK tries three times, a few
// milliseconds apart. A call that does what internal/grants does not allow is refused and
// fails the test.
func DB(t testing.TB, wrap ...func(aws.HTTPClient) aws.HTTPClient) *dynamo.DB {
	t.Helper()
	return dynamo.NewFromIface(client(t, wrap...))
}

func client(t testing.TB, wrap ...func(aws.HTTPClient) aws.HTTPClient) *dynamodb.Client {
	t.Helper()
	e := Engine(t)
	c := guard(t, &http.Client{Transport: &answers})
	for _, w := range wrap {
		c = w(c)
	}
	return dynamodb.NewFromConfig(e.Config(), func(o *dynamodb.Options) {
		if _, ok := t.(*testing.B); !ok { // a benchmark's client signs, as a service's does
			engine.Unsigned(o)
		}
		o.HTTPClient = c
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts = 3
			o.MaxBackoff = 5 * time.Millisecond
			o.RateLimiter = ratelimit.None
		})
	})
}

var notInTableName = regexp.MustCompile(`[^a-zA-Z0-9_.-]+`)

// Table creates an empty table with a unique name, and deletes it when the test ends.
func Table(t testing.TB, schema func(name string) *dynamodb.CreateTableInput, wrap ...func(aws.HTTPClient) aws.HTTPClient) string {
	t.Helper()
	name := notInTableName.ReplaceAllString(t.Name(), "-")
	name = name[:min(len(name), 200)] + "-" + rand.Text()[:10]
	c := client(t, wrap...)
	if _, err := c.CreateTable(t.Context(), schema(name)); err != nil {
		t.Fatalf("dynamotest: creating a table: %v", err)
	}
	guardTable(name, schema)
	t.Cleanup(func() {
		_, err := c.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &name})
		var gone *types.ResourceNotFoundException
		if err != nil && !errors.As(err, &gone) {
			t.Errorf("dynamotest: deleting a table: %v", err)
		}
	})
	return name
}
