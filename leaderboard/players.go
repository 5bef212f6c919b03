package leaderboard

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// MaxPlayers is the most players that Players takes.
const MaxPlayers = 100

// Players ranks up to MaxPlayers players among themselves, the best first, strongly
// consistent. Players who are hidden or not on the board are left out.
//
// Cost: 1 request, 1 RCU a player.
func (r *Repository) Players(ctx context.Context, in In, ids []string) ([]Standing, error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Players")
	err := cmp.Or(in.check(), args.Count("ids", len(ids), "ids", MaxPlayers), keys.CheckNames("ids", ids))
	if err != nil {
		return nil, err
	}
	rows, err := r.players(ctx, in, ids)
	return rows, in.wrap("players of", err)
}

func (r *Repository) players(ctx context.Context, in In, ids []string) ([]Standing, error) {
	s, err := r.standings(ctx, in)
	if err != nil {
		return nil, err
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	entries := make([]store.Key, len(ids))
	for i, id := range ids {
		entries[i] = entryKey(id, in.Board, s.period)
	}
	found, err := s.table.GetAll(ctx, entries, true, 1)
	if err != nil {
		return nil, err
	}
	var items []rowItem
	for i, id := range ids {
		item, ok := found[entries[i]]
		if !ok {
			continue
		}
		e, err := s.read(id, item)
		switch {
		case s.table.Skips(err):
		case err != nil:
			return nil, err
		case s.shows(e):
			items = append(items, s.item(id, e))
		}
	}
	slices.SortFunc(items, func(a, b rowItem) int { return bytes.Compare(a.Key, b.Key) })
	return s.shown(number(items, Position{Ordinal: 1, Rank: 1, AsOf: s.now})), nil
}
