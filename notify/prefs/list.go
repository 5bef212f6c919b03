package prefs

import (
	"context"
	"slices"
	"strings"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/notifytable"
	"github.com/plaza-sdk/plaza/internal/store"
)

// list lists the rows of a kind that have not ended, by sort key.
func list[T any](ctx context.Context, r *Repository, k kind, user string, req cursor.PageRequest, item func(row) T) (cursor.Page[T], error) {
	if err := keys.CheckName("User", user); err != nil {
		return cursor.Page[T]{}, err
	}
	page, err := store.List[row, T]{
		Codec:  r.opts.Codec,
		Scope:  cursor.Scope{List: "prefs." + k.name, Partition: user, Order: "text"},
		Oldest: true,
		Read: func(ctx context.Context, reach store.Reach) ([]row, string, error) {
			return r.rows(ctx, k, user, reach)
		},
		Order: order(k),
		Show: func(_ context.Context, rows []row) ([]row, error) {
			return slices.DeleteFunc(rows, func(found row) bool { return found.Since == 0 }), nil
		},
		Item: item,
	}.Page(ctx, req)
	return page, wrap(k.name+" of", user, err)
}

// rows reads the rows of a kind in a reach.
func (r *Repository) rows(ctx context.Context, k kind, user string, reach store.Reach) ([]row, string, error) {
	span := reach.Span(notifytable.UserPK(user))
	span.Consistent = true
	from, to := k.span()
	switch {
	case reach.Gap == "":
		span.From, span.To = from, to
	case reach.Ascending():
		span.To = to
	default:
		span.From = from
		span.Limit++ // with both bounds, a read includes the row at its end
	}
	rows, rest, err := store.Read[row](ctx, r.table, span)
	if !reach.Ascending() {
		rows = slices.DeleteFunc(rows, func(found row) bool { return found.SK == reach.Gap })
	}
	return rows, rest, err
}

// after appended to a sort key is the next greater key.
const after = "\x00"

func order(k kind) store.Order[row] {
	from, to := k.span()
	return store.Order[row]{
		Below: func(found row) string { return found.SK },
		Above: func(found row) string { return found.SK + after },
		Valid: func(gap string) bool {
			return gap > from && gap < to && len(gap) <= maxSK+len(after) && strings.HasPrefix(gap, from)
		},
	}
}
