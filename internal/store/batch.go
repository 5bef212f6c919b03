package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

// The most entries that DynamoDB accepts in one request.
const (
	MaxBatchGet   = 100
	MaxBatchWrite = 25
	MaxTx         = 100
)

// PutAll writes whole items, 25 a request and up to atOnce requests at a time.
// Their keys must differ. After an error some may be written, even if it is plaza.ErrBusy.
func (t *Table) PutAll(ctx context.Context, items []dynamo.Item, atOnce int) error {
	requests := make([]types.WriteRequest, len(items))
	for i, item := range items {
		requests[i].PutRequest = &types.PutRequest{Item: item}
	}
	return t.writeAll(ctx, requests, atOnce)
}

// DeleteAll deletes items by key, as PutAll writes them, up to 4 requests at a time.
func (t *Table) DeleteAll(ctx context.Context, keys []Key) error {
	requests := make([]types.WriteRequest, len(keys))
	for i, key := range keys {
		requests[i].DeleteRequest = &types.DeleteRequest{Key: key.item()}
	}
	return t.writeAll(ctx, requests, 4)
}

// Erase deletes all items of a partition, damaged ones too.
func (t *Table) Erase(ctx context.Context, pk string) error {
	for items, err := range Pages[dynamo.Item](ctx, t, Span{PK: pk, Consistent: true}) {
		if err != nil {
			return err
		}
		all := make([]Key, len(items))
		for i, item := range items {
			all[i] = KeyOf(item)
		}
		if err := t.DeleteAll(ctx, all); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) writeAll(ctx context.Context, requests []types.WriteRequest, atOnce int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var seen tries
	batches := slices.Collect(slices.Chunk(requests, MaxBatchWrite))
	err := parallel.ForEach(ctx, len(batches), atOnce, func(all context.Context, i int) error {
		if err := all.Err(); err != nil {
			return err
		}
		return t.writeBatch(ctx, batches[i], &seen) // to its end, so that no answer is lost because another batch failed
	})
	if err != nil {
		return t.failed(ctx, err, &seen, true)
	}
	return nil
}

func (t *Table) writeBatch(ctx context.Context, left []types.WriteRequest, seen *tries) error {
	for attempt := range attempts {
		if attempt > 0 {
			if err := sleep(ctx, attempt); err != nil {
				return err
			}
		}
		out, err := t.db.Client().BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{t.name: left},
		}, seen.note)
		if err != nil {
			return err
		}
		if left = out.UnprocessedItems[t.name]; len(left) == 0 {
			return nil
		}
	}
	return fmt.Errorf("%d entries of a batch unprocessed", len(left))
}

// GetAll reads items by key, 100 a request and up to atOnce requests at a time.
// A key may repeat. The answer has no entry for an absent item.
func (t *Table) GetAll(ctx context.Context, keys []Key, consistent bool, atOnce int) (map[Key]dynamo.Item, error) {
	wanted := make([]Key, 0, len(keys))
	items := make(map[Key]dynamo.Item, len(keys))
	for _, key := range keys {
		if _, asked := items[key]; !asked {
			items[key] = nil
			wanted = append(wanted, key)
		}
	}
	var mu sync.Mutex
	batches := slices.Collect(slices.Chunk(wanted, MaxBatchGet))
	err := parallel.ForEach(ctx, len(batches), atOnce, func(ctx context.Context, i int) error {
		return t.getBatch(ctx, batches[i], consistent, func(item dynamo.Item) {
			mu.Lock()
			defer mu.Unlock()
			items[KeyOf(item)] = item
		})
	})
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(items, func(_ Key, item dynamo.Item) bool { return item == nil })
	return items, nil
}

func (t *Table) getBatch(ctx context.Context, keys []Key, consistent bool, keep func(dynamo.Item)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	left := types.KeysAndAttributes{ConsistentRead: &consistent, Keys: make([]dynamo.Item, len(keys))}
	for i, key := range keys {
		left.Keys[i] = key.item()
	}
	for attempt := 0; len(left.Keys) > 0; {
		out, err := ask(ctx, t, t.db.Client().BatchGetItem, &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{t.name: left},
		})
		if err != nil {
			return err
		}
		for _, item := range out.Responses[t.name] {
			keep(item)
		}
		left = out.UnprocessedKeys[t.name]
		if len(out.Responses[t.name]) > 0 {
			attempt = 0 // an answer that ends at 16 MB is progress, not throttling
			continue
		}
		if attempt++; len(left.Keys) > 0 {
			if attempt == attempts {
				return fmt.Errorf("table %s: %w: %d keys of a batch unprocessed", t.name, plaza.ErrBusy, len(left.Keys))
			}
			if err := sleep(ctx, attempt); err != nil {
				return err
			}
		}
	}
	return nil
}
