package leaderboard

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Erase deletes the player's entries on all boards, in all periods. What is
// submitted meanwhile may go too; what is later, late repeats too, makes new
// ones. After an error, repeat it.
//
// One read, 1 RCU for each 4 KB, and one request for each 25 entries, 2 WCU
// each and more above 1 KB.
func (r *Repository) Erase(ctx context.Context, player string) error {
	if err := keys.CheckName("Player", player); err != nil {
		return err
	}
	if err := r.erase(ctx, playerPK(player)); err != nil {
		return fmt.Errorf("leaderboard: erase %q: %w", player, err)
	}
	return nil
}

func (r *Repository) erase(ctx context.Context, pk string) error {
	rows, err := store.Query[struct {
		SK string `dynamo:"sk"`
	}](ctx, r.table, store.Span{PK: pk, Consistent: true})
	if err != nil {
		return err
	}
	entries := make([]store.Key, len(rows))
	for i, row := range rows {
		entries[i] = store.Key{PK: pk, SK: row.SK}
	}
	return r.table.DeleteAll(ctx, entries, r.opts.Parallel)
}
