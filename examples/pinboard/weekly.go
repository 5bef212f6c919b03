package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// mostLiked ranks people by the likes that their pictures got this week.
const mostLiked = "liked"

const (
	weeklyLimit  = 50
	weeklyAround = 5
)

func (s *api) weeklyRoutes() {
	s.route("GET /api/weekly", s.weekly, "cursor", "period")
	s.route("GET /api/weekly/around", s.weeklyAround, "period")
	s.route("GET /api/weekly/following", s.weeklyFollowing, "period")
	s.route("GET /api/weekly/periods", s.weeklyPeriods)
}

// defineWeekly makes the board, unless it is there.
func (a *app) defineWeekly(ctx context.Context) error {
	zero := leaderboard.Int(0)
	_, err := a.Boards.Define(ctx, leaderboard.Board{
		Name: mostLiked, Operator: leaderboard.Increment, Above: &zero,
		Cron: "0 0 * * 1", Zone: "UTC", // Mondays
		Grace: time.Hour, Keep: 8 * 7 * 24 * time.Hour,
	})
	return err
}

// pointOf a like is for the owner of the picture.
func pointOf(_ context.Context, r reaction.Reaction) (leaderboard.Submission, bool, error) {
	picture, ok := strings.CutPrefix(r.Object, "picture:")
	owner, _, _ := strings.Cut(picture, ".")
	ok = ok && r.Kind == like && known(owner) && owner != r.User
	return leaderboard.Submission{Board: mostLiked, Player: owner, Score: leaderboard.Int(1)}, ok, nil
}

// week is the period that a request names, by default the current one.
func week(r *http.Request) leaderboard.In {
	return leaderboard.In{Board: mostLiked, Period: r.URL.Query().Get("period")}
}

func (s *api) weekly(r *http.Request, _ people.Person) (any, error) {
	return s.Boards.Top(r.Context(), week(r), pageOf(r, weeklyLimit))
}

// weeklyAround answers with the rows around one's own, or with none if one has no point yet.
func (s *api) weeklyAround(r *http.Request, me people.Person) (any, error) {
	rows, err := s.Boards.Around(r.Context(), week(r), me.ID, weeklyAround)
	if errors.Is(err, plaza.ErrNotFound) {
		rows, err = []leaderboard.Standing{}, nil
	}
	return cursor.Page[leaderboard.Standing]{Items: rows}, err
}

// weeklyFollowing ranks a person and the newest 99 that the person follows among
// themselves.
func (s *api) weeklyFollowing(r *http.Request, me people.Person) (any, error) {
	players := []string{me.ID}
	following, err := s.Follows.Following(r.Context(), me.ID, cursor.PageRequest{Limit: leaderboard.MaxPlayers - 1})
	if err != nil {
		return nil, err
	}
	for _, edge := range following.Items {
		if known(edge.Followee) && edge.Followee != me.ID { // boards are followed too
			players = append(players, edge.Followee)
		}
	}
	rows, err := s.Boards.Players(r.Context(), week(r), players)
	return cursor.Page[leaderboard.Standing]{Items: rows}, err
}

// weeklyPeriods lists the weeks, the newest first.
func (s *api) weeklyPeriods(r *http.Request, _ people.Person) (any, error) {
	return s.Boards.Periods(r.Context(), mostLiked, cursor.PageRequest{})
}
