package cursor

import (
	"context"
	"iter"
)

// All walks a list from its start to its end, MaxLimit items a request. An error
// comes last, with a zero item; the end of ctx is an error too. Each range over it
// starts again.
//
// Cost: as list, once for each MaxLimit items.
func All[T any](ctx context.Context, list func(context.Context, PageRequest) (Page[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		request := PageRequest{Limit: MaxLimit}
		for {
			if err := ctx.Err(); err != nil {
				yield(none, err)
				return
			}
			page, err := list(ctx, request)
			if err != nil {
				yield(none, err)
				return
			}
			for _, item := range page.Items {
				if err := ctx.Err(); err != nil {
					yield(none, err)
					return
				}
				if !yield(item, nil) {
					return
				}
			}
			if page.Next == "" {
				return
			}
			request.Cursor = page.Next
		}
	}
}
