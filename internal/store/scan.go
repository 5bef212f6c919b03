package store

import "context"

// Scan reads the items of all partitions that have the sort key, strongly
// consistent. DynamoDB reads the whole table for it, 1 RCU for each 4 KB.
func Scan[R any](ctx context.Context, t *Table, key string) ([]R, error) {
	var rows []R
	err := t.db.Table(t.name).Scan().Consistent(true).Filter("$ = ?", sk, key).All(ctx, &rows)
	return rows, t.readError(ctx, err)
}
