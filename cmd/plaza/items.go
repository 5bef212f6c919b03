package main

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/images"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/stream"
)

// itemCheck returns what is wrong with an item of a table.
type itemCheck func(table string, item dynamo.Item) error

// by checks the items that a feature's Changes reads, which knows their keys and structs.
func by[C any](changes func(stream.Record) ([]C, error)) itemCheck {
	return func(table string, item dynamo.Item) error { return images.Check(changes, table, item) }
}

// items checks each item of a table alone.
func (j *checkJob) items(checks ...itemCheck) walk {
	return func(ctx context.Context, at place, keep func(place) error) error {
		return j.walkTable(ctx, at, dynamodb.ScanInput{}, keep, func(at place, items []map[string]types.AttributeValue) error {
			return parallel.ForEach(ctx, len(items), checksAtOnce, func(ctx context.Context, i int) error {
				return j.item(ctx, at, items[i], checks)
			})
		})
	}
}

func (j *checkJob) item(ctx context.Context, at place, item dynamo.Item, checks []itemCheck) error {
	for _, check := range checks {
		var damaged *plaza.CorruptError
		var left *store.LeftError
		switch err := check(at.Table, item); {
		case errors.As(err, &damaged):
			j.s.corrupt(damaged)
		case errors.As(err, &left):
			if err := j.left(ctx, at, item, left); err != nil {
				return err
			}
		case err != nil:
			return err
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.checked++
	return nil
}

// left reports the attributes that a removal left in an item. A repair deletes it, unless the item
// is no longer as that removal left it.
func (j *checkJob) left(ctx context.Context, at place, item dynamo.Item, left *store.LeftError) error {
	key := store.KeyOf(item)
	if j.repair {
		t, err := store.Open(j.s.db, at.Table, nil, true)
		if err != nil {
			return err
		}
		err = t.Run(ctx, t.Update(key).Remove(left.Names...).If("$ = ?", left.Removal, item[left.Removal]))
		if _, refused := store.AsRefused(err); refused {
			return nil
		}
		if err != nil {
			return err
		}
	}
	j.report(finding{
		subject: subject{Feature: at.Feature, PK: key.PK, SK: key.SK},
		Drift:   map[string]int64{"leftover": int64(len(left.Names))}, Fixed: j.repair,
	})
	return nil
}
