package store

import (
	"context"

	"github.com/guregu/dynamo/v2"
)

// Scan reads the items of all partitions that have the sort key, strongly
// consistent, and leaves out what is damaged. DynamoDB reads the whole table for it, 1 RCU for each 4 KB.
func Scan[R any](ctx context.Context, t *Table, key string) ([]R, error) {
	var items []dynamo.Item
	err := t.db.Table(t.name).Scan().Consistent(true).Filter("$ = ?", sk, key).All(ctx, &items)
	if err != nil {
		return nil, t.readError(ctx, err)
	}
	return decodeAll[R](t, items), nil
}
