package pagetest

import (
	"context"

	"github.com/plaza-sdk/plaza/cursor"
)

// Other is a list whose cursors are foreign to the one under test.
type Other struct {
	name string
	page func(context.Context, cursor.PageRequest) (cursor.Page[struct{}], error)
}

// Foreign makes an Other of a list function, of whatever items.
func Foreign[T any](name string, page func(context.Context, cursor.PageRequest) (cursor.Page[T], error)) Other {
	return Other{name, func(ctx context.Context, r cursor.PageRequest) (cursor.Page[struct{}], error) {
		p, err := page(ctx, r)
		return cursor.Page[struct{}]{Items: make([]struct{}, len(p.Items)), Next: p.Next, Prev: p.Prev}, err
	}}
}
