package leaderboard

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Entry is a player's score on a board.
type Entry struct {
	Board  string          `json:"board"`
	Period string          `json:"period"`
	Score  Score           `json:"score"`
	Sub    int64           `json:"sub,omitzero"`
	Name   string          `json:"name,omitzero"`
	Meta   json.RawMessage `json:"meta,omitzero"`   // of the submission that brought the score
	Hidden bool            `json:"hidden,omitzero"` // for moderators: other viewers must not see it
}

// Entry returns the player's entry, strongly consistent, even if it is hidden. A
// player who is not on the board is plaza.ErrNotFound.
//
// Cost: 1 request, 1 RCU for each 4 KB of the entry.
func (r *Repository) Entry(ctx context.Context, in In, player string) (Entry, error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Entry")
	if err := checkPlayer(in, player); err != nil {
		return Entry{}, err
	}
	e, err := r.entry(ctx, in, player)
	return e, in.wrap("entry on", err)
}

func (r *Repository) entry(ctx context.Context, in In, player string) (Entry, error) {
	s, err := r.standings(ctx, in)
	if err != nil {
		return Entry{}, err
	}
	stored, err := s.stored(ctx, player)
	if err == nil && !stored.onBoard() {
		err = plaza.ErrNotFound
	}
	if err != nil {
		return Entry{}, err
	}
	row := rankedRow{rowItem: s.item(player, stored)}.row()
	return Entry{
		Board: in.Board, Period: s.period.name(),
		Score: row.Score, Sub: row.Sub, Name: row.Name, Meta: row.Meta, Hidden: !s.shows(stored),
	}, nil
}

// ByPlayer lists the player's entries on all boards, hidden ones included: by
// board, and within a board the newest period first.
//
// Cost: 1 request, 0.5 RCU for each 4 KB; up to 6 requests where many were removed or
// erased, and 1 for each further MB.
func (r *Repository) ByPlayer(ctx context.Context, player string, req cursor.PageRequest) (cursor.Page[Entry], error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.ByPlayer")
	if err := keys.CheckName("Player", player); err != nil {
		return cursor.Page[Entry]{}, err
	}
	list := store.List[playerItem, Entry]{
		Codec: r.opts.Codec,
		Scope: cursor.Scope{List: "leaderboard/boards", Partition: player},
		Read: func(ctx context.Context, reach store.Reach) ([]playerItem, string, error) {
			span := reach.Span(playerPK(player))
			span.Consistent = r.opts.Consistent
			return store.Read[playerItem](ctx, r.table, span)
		},
		Order: store.Order[playerItem]{
			Below: func(row playerItem) string { return row.SK },
			Above: func(row playerItem) string { return row.SK + afterName },
			Valid: func(gap string) bool {
				_, ok := parseEntrySK(strings.TrimSuffix(gap, afterName))
				return ok
			},
		},
		Show: r.showEntries,
		Item: playerItem.entry,
	}
	page, err := list.Page(ctx, req)
	if err != nil {
		return page, fmt.Errorf("leaderboard: entries of %q: %w", player, err)
	}
	return page, nil
}

// playerItem is an entry in the list of its player.
type playerItem struct {
	PK    string `dynamo:"pk"`
	SK    string `dynamo:"sk"`
	Key   []byte `dynamo:"key"`
	Part  string `dynamo:"part"`
	Score Score  `dynamo:"score"`
	Sub   int64  `dynamo:"sub"`
	Name  string `dynamo:"name"`
	Meta  string `dynamo:"meta"`
	TTL   int64  `dynamo:"ttl"`
}

func (r *Repository) showEntries(_ context.Context, rows []playerItem) ([]playerItem, error) {
	now := r.opts.Now()
	return slices.DeleteFunc(rows, func(i playerItem) bool {
		return i.Key == nil || i.Part == "" || period{ttl: i.TTL}.expired(now) || r.table.Skips(i.check(r.table))
	}), nil
}

// check refuses a damaged item.
func (i playerItem) check(t *store.Table) error {
	if err := i.damage(); err != nil {
		return t.Corrupt(store.Key{PK: i.PK, SK: i.SK}, err.Error())
	}
	return nil
}

func (i playerItem) damage() error {
	player, err := playerOf(i.PK)
	switch _, ok := parseEntrySK(i.SK); {
	case err != nil:
	case !ok:
		err = errPlace
	case len(i.Key) <= prefixed || string(i.Key[prefixed:]) != player:
		err = errKey
	default:
		err = checkShown(i.Name, i.Meta)
	}
	return err
}

func (i playerItem) entry() Entry {
	in, _ := parseEntrySK(i.SK)
	e := Entry{Board: in.Board, Period: in.Period, Score: i.Score, Sub: i.Sub, Name: i.Name}
	e.Hidden = i.Part == keys.Join(in.Board, in.Period, hidden)
	if i.Meta != "" {
		e.Meta = json.RawMessage(i.Meta)
	}
	return e
}

func parseEntrySK(sk string) (In, bool) {
	parts := keys.Split(sk)
	if len(parts) != 3 || parts[0] != entries {
		return In{}, false
	}
	in := In{Board: parts[1], Period: parts[2]}
	return in, in.Period != "" && in.check() == nil
}
