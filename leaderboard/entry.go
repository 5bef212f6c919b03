package leaderboard

import (
	"context"
	"encoding/json"

	"github.com/plaza-sdk/plaza"
)

// Entry is a player's score on a board.
type Entry struct {
	Board, Period string
	Score         Score
	Name          string
	Meta          json.RawMessage // of the submission that brought the score
	Hidden        bool
}

// Entry gives the player's entry, strongly consistent, also a hidden one. Who
// is not on the board is plaza.ErrNotFound.
//
// Cost: 1 request, 1 RCU for each 4 KB of the entry.
func (r *Repository) Entry(ctx context.Context, in In, player string) (Entry, error) {
	if err := checkPlayer(in, player); err != nil {
		return Entry{}, err
	}
	e, err := r.entry(ctx, in, player)
	return e, in.wrap("entry on", err)
}

func (r *Repository) entry(ctx context.Context, in In, player string) (Entry, error) {
	s, err := r.ladder(ctx, in)
	if err != nil {
		return Entry{}, err
	}
	stored, err := s.stored(ctx, player)
	if err == nil && stored.Key == nil {
		err = plaza.ErrNotFound
	}
	if err != nil {
		return Entry{}, err
	}
	row := placed{rowItem: s.item(player, stored)}.row()
	return Entry{
		Board: in.Board, Period: s.period.name(),
		Score: row.Score, Name: row.Name, Meta: row.Meta, Hidden: !s.shows(stored),
	}, nil
}
