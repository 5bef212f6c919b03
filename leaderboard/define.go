package leaderboard

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Define creates the board, or changes it to b. changed is true only if this call
// changed it, so every process may begin with Define. Other processes know the change
// within Options.Refresh. A Define that finds nothing to change writes nothing: an
// earlier one that is still under way may be applied after it.
//
// Fields that Board calls permanent cannot change: that is plaza.ErrConflict. A
// damaged definition is replaced, unless its readable part contradicts b. A board
// that is being undefined is plaza.ErrBusy until Undefine has ended. If this
// machine has no zones at all, a Zone is plaza.ErrUnavailable.
//
// Cost: 1 request, 1 RCU, 1 transaction, 2 WCU; unchanged 1 request, 1 RCU.
func (r *Repository) Define(ctx context.Context, b Board) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Define")
	if err := b.check(r.opts.zones); err != nil {
		return false, err
	}
	changed, err = store.Merge(ctx, r.table, definitionKey(b.Name), nil, func(item *dynamo.Item) (store.Write, error) {
		return r.define(ctx, newDefinitionItem(b.normal()), *item)
	})
	if err != nil {
		return false, fmt.Errorf("leaderboard: define %q: %w", b.Name, err)
	}
	r.forget(b.Name, nil)
	return changed, nil
}

// define returns the write that makes the definition next. Item is the stored one, nil
// if there is none.
func (r *Repository) define(ctx context.Context, next definitionItem, item dynamo.Item) (_ store.Write, err error) {
	if item == nil {
		if next.Ver, err = r.newVer(ctx); err != nil {
			return nil, err
		}
		next.beginFold()
		return r.putDefinition(r.table.Put(next).If("attribute_not_exists(pk)")), nil
	}
	var stored definitionItem
	switch err := r.table.Decode(item, &stored); {
	case err != nil:
		return r.redefine(ctx, next, item)
	case !stored.Undefine.IsZero():
		return nil, errUndefining
	}
	if err := stored.board().checkRedefinition(next.board()); err != nil {
		return nil, err
	}
	next.Shards = max(next.Shards, stored.Shards)
	next.Ver = stored.Ver
	if next.Ranking == stored.Ranking {
		next.Fold = stored.Fold
	}
	if reflect.DeepEqual(next, stored) {
		return nil, store.ErrSame
	}
	next.Ver++
	if next.Ranking != stored.Ranking {
		next.beginFold()
	}
	return r.putDefinition(r.table.Put(next).If("ver = ?", stored.Ver)), nil
}

// putDefinition writes a definition. The transaction has a token, so an attempt whose
// answer was lost is not mistaken for another call's write.
func (r *Repository) putDefinition(definition *store.Put) store.Write {
	return r.table.Tx().Put(definition)
}

// beginFold makes readers ignore what was published before: since then the board may have
// been counted, or undefined.
func (i *definitionItem) beginFold() {
	if i.Ranking == RankByFold {
		i.Fold = i.Ver
	}
}

func (r *Repository) newVer(ctx context.Context) (int64, error) {
	id, err := r.gen.Next(ctx)
	return int64(id), err
}

// redefine replaces a damaged definition, unless what can be read of it
// contradicts next.
func (r *Repository) redefine(ctx context.Context, next definitionItem, item dynamo.Item) (_ store.Write, err error) {
	if next.Ver, err = r.newVer(ctx); err != nil {
		return nil, err
	}
	next.beginFold()
	given, err := dynamo.MarshalItem(next)
	if err != nil {
		return nil, err
	}
	read := maps.Clone(item)
	delete(read, "ranking") // neither is permanent, and they are valid only together
	delete(read, "fold")
	for _, name := range []string{"operator", "shards", "ver"} { // these are always stored
		if read[name] == nil {
			read[name] = given[name]
		}
	}
	for name, value := range read {
		alone := maps.Clone(given)
		alone[name] = value
		if r.table.Decode(alone, new(definitionItem)) == nil {
			continue
		}
		if given[name] == nil {
			delete(read, name)
		} else {
			read[name] = given[name]
		}
	}
	var stored definitionItem
	if err := r.table.Decode(read, &stored); err == nil {
		if !stored.Undefine.IsZero() {
			return nil, errUndefining
		}
		if err := stored.board().checkRedefinition(next.board()); err != nil {
			return nil, err
		}
		next.Shards = max(next.Shards, stored.Shards)
	}
	return r.putDefinition(store.IfUnchanged(r.table.Put(next), item, "ver")), nil
}

// Definitions lists the boards by name, first to last.
//
// Cost: 1 request, 0.5 RCU eventually consistent for each 4 KB; up to 6 requests
// where many are damaged or being undefined.
func (r *Repository) Definitions(ctx context.Context, req cursor.PageRequest) (cursor.Page[Board], error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Definitions")
	list := store.List[definitionItem, Board]{
		Codec: r.opts.Codec,
		Scope: cursor.Scope{List: "leaderboard/definitions"},
		Read: func(ctx context.Context, reach store.Reach) ([]definitionItem, string, error) {
			// Going down this list means going up the names.
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
		Show: func(_ context.Context, rows []definitionItem) ([]definitionItem, error) {
			return slices.DeleteFunc(rows, func(i definitionItem) bool { return !i.Undefine.IsZero() }), nil
		},
		Item: definitionItem.board,
	}
	page, err := list.Page(ctx, req)
	if err != nil {
		return page, fmt.Errorf("leaderboard: definitions: %w", err)
	}
	return page, nil
}

// afterName appended to a name is the next larger text.
const afterName = "\x00"

// errUndefining is returned for a board between Undefine's first and last call.
var errUndefining = fmt.Errorf("the board is being undefined: %w", plaza.ErrBusy)
