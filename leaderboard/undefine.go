package leaderboard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/folder"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Undefine removes a board with its periods and entries. changed is true only if
// this call removed the definition, which is the last step. A board that does not
// exist is no error.
//
// From the first call on, the board is plaza.ErrNotFound for processes that read its
// definition. Others remember it for up to two minutes, and may submit to it: until then
// Undefine removes all entries and returns plaza.ErrBusy. Call it again after that, and
// after any error. A Define that was still under way may define the board again: repeat
// Undefine then. A later Define begins with an empty board.
//
// Deliver does not call do for the periods of an undefined board. Let it call do for the
// last one before you undefine the board.
//
// Cost: 1 request for each MB of the whole table, 1 RCU for each 4 KB; 1 request for
// each 25 entries, 2 WCU an entry.
//
//plaza:cost each entry: 2 WCU
//plaza:cost each 25 entries: 1 request
//plaza:cost each MB of the whole table: 1 request
//plaza:cost each 4 KB of the whole table: 1 RCU
//plaza:cost each period, and each KB that a Folder published: 1 WCU
//plaza:cost each period that Deliver has not called for: 1 request, 2 WCU
//plaza:cost the first call, for all else but the table: 5 requests, 3 RCU, 1 WCU
//plaza:cost the last call, for all else but the table: 4 requests, 3 RCU, 1 WCU
func (r *Repository) Undefine(ctx context.Context, board string) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Undefine")
	if err := keys.CheckName("Name", board); err != nil {
		return false, err
	}
	changed, err = r.undefine(ctx, board)
	r.forget(board, nil)
	if err != nil {
		return false, fmt.Errorf("leaderboard: undefine %q: %w", board, err)
	}
	return changed, nil
}

func (r *Repository) undefine(ctx context.Context, board string) (changed bool, err error) {
	since, err := r.markUndefined(ctx, board)
	if errors.Is(err, plaza.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	unknown := !r.opts.Now().Before(since.Add(settle)) // no process has the board cached
	// The scan also finds what folders published. The stored periods would not be enough:
	// a folder that has not noticed may publish a period that is gone.
	prefix := store.Key{PK: folder.PublishedPrefix(board), SK: keys.Join(entries, board, "")}
	err = r.table.ScanKeys(ctx, prefix, func(items []store.Key) error {
		return r.table.DeleteAll(ctx, items)
	})
	if err != nil {
		return false, err
	}
	if err := r.table.Erase(ctx, periodsPK(board)); err != nil {
		return false, err
	}
	if err := r.deleteDue(ctx, board); err != nil {
		return false, err
	}
	if !unknown {
		return false, errUndefining
	}
	err = r.table.Run(ctx, r.table.Delete(definitionKey(board)).If("undefine = ?", since))
	if _, refused := store.AsRefused(err); refused {
		return false, nil // another call removed it
	}
	return err == nil, err
}

// markUndefined hides the board and returns when it was hidden. From then on no process
// can open a period.
func (r *Repository) markUndefined(ctx context.Context, board string) (since time.Time, err error) {
	key := definitionKey(board)
	_, err = store.Merge(ctx, r.table, key, nil, func(item *dynamo.Item) (store.Write, error) {
		if *item == nil {
			return nil, plaza.ErrNotFound
		}
		var mark struct {
			Undefine time.Time `dynamo:"undefine"`
		}
		if err := r.table.Decode(*item, &mark); err == nil && !mark.Undefine.IsZero() {
			since = mark.Undefine
			return nil, store.ErrSame
		}
		ver, err := r.newVer(ctx)
		since = r.opts.Now().UTC()
		return store.IfUnchanged(r.table.Update(key).Set("undefine", since).Set("ver", ver), *item, "ver", "undefine"), err
	})
	return since, err
}

// deleteDue deletes the due items of a board for which no period can be opened any more.
func (r *Repository) deleteDue(ctx context.Context, board string) error {
	span := store.Span{PK: duePK, Ascending: true, Limit: erasedAtOnce, Consistent: true}
	for items, err := range store.Pages[dynamo.Item](ctx, r.table, span) {
		if err != nil {
			return err
		}
		var own []store.Key
		for _, item := range items {
			key := store.KeyOf(item)
			if parts := keys.Split(key.SK); len(parts) == 3 && parts[1] == board {
				own = append(own, key)
			}
		}
		if err := r.table.DeleteAll(ctx, own); err != nil {
			return err
		}
	}
	return nil
}
