package streamtest

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/stream"
)

// Changes are the typed changes of a table.
type Changes[C any] struct {
	tail *Tail
	of   func(stream.Record) ([]C, error)
}

// Watch begins at the first record of a table's stream. Of is a feature's Changes.
func Watch[C any](t testing.TB, table string, of func(stream.Record) ([]C, error)) *Changes[C] {
	t.Helper()
	return watch(t, table, of)
}

func watch[C any](t testing.TB, table string, of func(stream.Record) ([]C, error), wrap ...func(aws.HTTPClient) aws.HTTPClient) *Changes[C] {
	t.Helper()
	tail, err := New(t.Context(), dynamotest.DB(t, wrap...), table)
	if err != nil {
		t.Fatal(err)
	}
	return &Changes[C]{tail, of}
}

// WatchTwice is Watch of a stream that delivers records late and twice, as records says.
func WatchTwice[C any](t testing.TB, table string, of func(stream.Record) ([]C, error), records *faults.Records) *Changes[C] {
	t.Helper()
	c := watch(t, table, of, records.Wrap)
	c.tail.twice = true
	return c
}

// Next are the changes since the last call. A record that Of refuses fails the
// test.
func (c *Changes[C]) Next(t testing.TB) (changes []C) {
	t.Helper()
	records, err := c.tail.Records(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		some, err := c.of(r)
		if err != nil {
			t.Fatalf("streamtest: %v", err)
		}
		changes = append(changes, some...)
	}
	return changes
}

// Each hands all records of a table's stream so far to an example's handler.
func Each(ctx context.Context, db *dynamo.DB, table string, handler stream.Handler) error {
	tail, err := New(ctx, db, table)
	if err != nil {
		return err
	}
	records, err := tail.Records(ctx)
	for i := 0; i < len(records) && err == nil; i++ {
		err = handler(ctx, records[i])
	}
	return err
}
