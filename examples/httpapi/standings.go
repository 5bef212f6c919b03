package main

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/web"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// boards returns the board of the week, which begins on Monday in UTC, and the board of
// all time.
func boards() []leaderboard.Board {
	least, most := leaderboard.Int(0), leaderboard.Int(1e12) // JavaScript reads these exactly
	return []leaderboard.Board{
		{
			Name: "weekly", Cron: "0 0 * * 1",
			Grace: time.Hour, // for repeats
			Keep:  366 * 24 * time.Hour,
			Min:   &least, Max: &most,
		},
		{Name: "all-time", Min: &least, Max: &most},
	}
}

// standingsIn names the standings in the path. Without a period in the query they are
// the current ones.
func standingsIn(r *http.Request) leaderboard.In {
	return leaderboard.In{Board: r.PathValue("board"), Period: r.URL.Query().Get("period")}
}

// standings answers with the top, the players around a player, or a user and their
// friends.
func (a *api) standings(r *http.Request) (any, error) {
	switch query := r.URL.Query(); {
	case query.Has("around"):
		return a.around(r)
	case query.Has("friends"):
		return a.friends(r)
	}
	if err := web.CheckQuery(r, []string{"period", "limit", "cursor"}); err != nil {
		return nil, err
	}
	req, err := cursor.ParseQuery(r.URL.Query(), nil)
	if err != nil {
		return nil, err
	}
	return a.boards.Top(r.Context(), standingsIn(r), req)
}

func (a *api) around(r *http.Request) (any, error) {
	if err := web.CheckQuery(r, []string{"period", "around", "n"}); err != nil {
		return nil, err
	}
	n, err := readNumber(r, "n")
	if err != nil {
		return nil, err
	}
	rows, err := a.boards.Around(r.Context(), standingsIn(r), r.URL.Query().Get("around"), n)
	return cursor.Page[leaderboard.Standing]{Items: rows}, asked("around", err)
}

// place answers with a player's rank among all.
func (a *api) place(r *http.Request) (any, error) {
	player := r.PathValue("player")
	rows, err := a.boards.Around(r.Context(), standingsIn(r), player, 1)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if row.Player == player {
			return row, nil
		}
	}
	return nil, plaza.ErrNotFound // removed in the meantime
}

// friends ranks a user and the last 99 users that the user followed among themselves.
func (a *api) friends(r *http.Request) (any, error) {
	if err := web.CheckQuery(r, []string{"period", "friends"}); err != nil {
		return nil, err
	}
	user := r.URL.Query().Get("friends")
	followees, err := a.follows.Following(r.Context(), user, cursor.PageRequest{Limit: leaderboard.MaxPlayers - 1})
	if err != nil {
		return nil, asked("friends", err)
	}
	players := []string{user}
	for _, edge := range followees.Items {
		players = append(players, edge.Followee)
	}
	rows, err := a.boards.Players(r.Context(), standingsIn(r), players)
	return cursor.Page[leaderboard.Standing]{Items: rows}, err
}

// asked names the query parameter in an error about its player.
func asked(parameter string, err error) error {
	var invalid *plaza.InvalidError
	if errors.As(err, &invalid) && slices.Contains([]string{"player", "user"}, wireName(invalid.Field)) {
		return &plaza.InvalidError{Field: parameter, Reason: invalid.Reason}
	}
	return err
}
