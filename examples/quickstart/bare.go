package main

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2/dynamodbiface"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/examples/edgelist"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
)

const (
	parallel  = 8  // requests at once, of the import and of the bare writes
	batchSize = 25 // the most that BatchWriteItem accepts
)

// bareWriter writes three items for each edge, as large as Plaza's, with nothing
// but BatchWriteItem. It measures how fast an import could be at best.
type bareWriter struct {
	client dynamodbiface.DynamoDBAPI
	table  string
	next   func() (follow.Edge, error, bool)
	stop   func()

	seen         map[follow.Edge]bool // a pair is written once
	edges, items int
	spent        time.Duration
}

func newBareWriter(client dynamodbiface.DynamoDBAPI, table string, edges edgelist.Edges) *bareWriter {
	w := &bareWriter{client: client, table: table, seen: map[follow.Edge]bool{}}
	w.next, w.stop = iter.Pull2(edges)
	return w
}

func (w *bareWriter) close() { w.stop() }

// writeTo continues until the given number of edges is written.
func (w *bareWriter) writeTo(ctx context.Context, edges int) error {
	began := time.Now()
	defer func() { w.spent += time.Since(began) }()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	var batch []types.WriteRequest
	for w.edges < edges {
		e, err, ok := w.next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		w.edges++
		if w.seen[e] {
			continue
		}
		w.seen[e] = true
		for _, item := range bareItems(e, w.edges) {
			batch = append(batch, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
			if len(batch) == batchSize {
				full := batch
				group.Go(func() error { return w.write(ctx, full) })
				batch = nil
			}
		}
		w.items += 3
	}
	group.Go(func() error { return w.write(ctx, batch) })
	return group.Wait()
}

func (w *bareWriter) write(ctx context.Context, batch []types.WriteRequest) error {
	for len(batch) > 0 {
		out, err := w.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{w.table: batch},
		})
		if err != nil {
			return fmt.Errorf("writing bare: %w", err)
		}
		batch = out.UnprocessedItems[w.table]
	}
	return nil
}

// bareItems returns the edge and its places in both lists.
func bareItems(e follow.Edge, n int) [3]map[string]types.AttributeValue {
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	id := text(ids.ID(n + 1).String())
	return [3]map[string]types.AttributeValue{
		{"pk": text("E#" + e.Follower), "sk": text(e.Followee), "id": id, "import": text("graph#1")},
		{"pk": text("F#" + e.Follower), "sk": id, "followee": text(e.Followee)},
		{"pk": text("R#" + e.Followee + "#0"), "sk": id, "follower": text(e.Follower)},
	}
}
