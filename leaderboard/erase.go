package leaderboard

import (
	"context"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// forgetErased is how long the mark of an erased entry is kept.
const forgetErased = 30 * 24 * time.Hour

// erasedAtOnce is how many entries Erase reads at once.
const erasedAtOnce = 500

// Erase deletes the player's entries on all boards, in all periods, but not what
// the player added to the entries of others, such as likes: Retract does. A submission
// that comes meanwhile may be deleted too; a later one makes a new entry. Each
// entry leaves the id of its removal, and its Version if it had one, for 30 days:
// a late submission from before is plaza.ErrRemoved. After an error, repeat it.
//
// Cost: 1 request for each 500 entries, 1 RCU for each 4 KB; 1 request for each 25, 2
// WCU an entry, more above 1 KB.
func (r *Repository) Erase(ctx context.Context, player string) error {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Erase")
	if err := keys.CheckName("Player", player); err != nil {
		return err
	}
	if err := r.erase(ctx, playerPK(player)); err != nil {
		return fmt.Errorf("leaderboard: erase %q: %w", player, err)
	}
	return nil
}

func (r *Repository) erase(ctx context.Context, pk string) error {
	var op ids.ID
	span := store.Span{PK: pk, Ascending: true, Limit: erasedAtOnce, Consistent: true}
	for entries, err := range store.Pages[dynamo.Item](ctx, r.table, span) {
		if err != nil {
			return err
		}
		var erased []dynamo.Item
		for _, entry := range entries {
			if isErased(entry) {
				continue
			}
			if op == 0 { // what is erased needs no machine number
				if op, err = r.gen.Next(ctx); err != nil {
					return err
				}
			}
			item, err := dynamo.MarshalItem(r.erased(entry, op))
			if err != nil {
				return err
			}
			erased = append(erased, item)
		}
		if err := r.table.PutAll(ctx, erased, r.opts.Parallel); err != nil {
			return err
		}
	}
	return nil
}

// erasedItem is the mark that replaces an erased entry.
type erasedItem struct {
	PK      string `dynamo:"pk"`
	SK      string `dynamo:"sk"`
	Removed ids.ID `dynamo:"removed"`
	Gone    bool   `dynamo:"gone,omitempty"` // by a Projection
	Version uint64 `dynamo:"version,omitempty"`
	TTL     int64  `dynamo:"ttl"`
}

// erased returns the mark of an entry. Its removal is at least as late as every
// operation of the entry, even if a clock was ahead.
func (r *Repository) erased(entry dynamo.Item, op ids.ID) erasedItem {
	key := store.KeyOf(entry)
	e := readableEntry(entry)
	remembered, _ := parseOps(e.Ops)
	for _, floor := range append(remembered.floors, remembered.floor) {
		op = max(op, floor)
	}
	for _, applied := range remembered.known {
		op = max(op, applied.op)
	}
	return erasedItem{
		PK: key.PK, SK: key.SK,
		Removed: max(op, e.LastOp, e.Removed, e.Managed.Op),
		Version: e.Version,
		TTL:     r.opts.Now().Add(forgetErased).Unix(),
	}
}

func isErased(entry dynamo.Item) bool {
	for name := range entry {
		switch name {
		case "pk", "sk", "removed", "gone", "version", "ttl":
		default:
			return false
		}
	}
	return entry["removed"] != nil
}
