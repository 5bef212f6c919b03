package leaderboard

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Define makes the board what b says. What Board says is for ever cannot become
// another: plaza.ErrConflict. Repeating it is harmless, so
// that every process may begin with it. Other processes follow within
// Options.Refresh.
//
// One consistent read, and one write where something changes: 1 RCU and 1
// WCU.
func (r *Repository) Define(ctx context.Context, b Board) error {
	if err := b.check(); err != nil {
		return err
	}
	err := plaza.ErrBusy
	for range turns {
		err = r.define(ctx, newDefinitionItem(b.normal()))
		if _, changed := store.AsRefused(err); !changed {
			break
		}
		err = plaza.ErrBusy
	}
	if err != nil {
		return fmt.Errorf("leaderboard: define %q: %w", b.Name, err)
	}
	r.forget(b.Name, nil)
	return nil
}

func (r *Repository) define(ctx context.Context, next definitionItem) error {
	stands, err := r.definition(ctx, next.Name)
	if errors.Is(err, plaza.ErrNotFound) {
		return r.table.Run(ctx, r.table.Put(next).If("attribute_not_exists(pk)"))
	}
	if err != nil {
		return err
	}
	if err := stands.board().becomes(next.board()); err != nil {
		return err
	}
	next.Shards = max(next.Shards, stands.Shards)
	next.Ver = stands.Ver
	if reflect.DeepEqual(next, stands) {
		return nil
	}
	next.Ver++
	return r.table.Run(ctx, r.table.Put(next).If("ver = ?", stands.Ver))
}

func (r *Repository) definition(ctx context.Context, board string) (definitionItem, error) {
	var item definitionItem
	err := r.table.Get(ctx, definitionKey(board), true, &item)
	return item, err
}

// Definitions lists the boards by name, first to last.
//
// One read, 0.5 RCU eventually consistent for each 4 KB.
func (r *Repository) Definitions(ctx context.Context, req cursor.PageRequest) (cursor.Page[Board], error) {
	list := store.List[definitionItem, Board]{
		Codec: r.opts.Codec,
		Scope: cursor.Scope{List: "leaderboard/definitions"},
		Read: func(ctx context.Context, reach store.Reach) ([]definitionItem, string, error) {
			// Down this list is up the names.
			span := store.Span{PK: definitionsPK, Ascending: !reach.Up, Limit: reach.Limit, Consistent: r.opts.Consistent}
			if reach.Up {
				span.To = reach.Gap
			} else {
				span.From = reach.Gap
			}
			return store.Read[definitionItem](ctx, r.table, span)
		},
		Order: store.Order[definitionItem]{
			Below: func(row definitionItem) string { return row.Name + afterName },
			Above: func(row definitionItem) string { return row.Name },
			Valid: func(gap string) bool {
				return keys.CheckName("Name", gap) == nil || keys.CheckName("Name", strings.TrimSuffix(gap, afterName)) == nil
			},
		},
		Item: definitionItem.board,
	}
	page, err := list.Page(ctx, req)
	if err != nil {
		return page, fmt.Errorf("leaderboard: definitions: %w", err)
	}
	return page, nil
}

// afterName makes of a name the next larger text.
const afterName = "\x00"
