// Package leaderboard ranks players by score.
//
// A board says how its scores are ordered and when it resets. Define stores
// it, Submit brings scores to it, Top and others read its standings:
//
//	boards, err := leaderboard.New(db, "leaderboard", gen, nil)
//
//	boards.Define(ctx, leaderboard.Board{Name: "StarWar", Cron: "@daily", Zone: "Asia/Shanghai"})
//	boards.Submit(ctx, leaderboard.Submission{Board: "StarWar", Player: "userB", Score: leaderboard.Int(90)})
//	page, err := boards.Top(ctx, leaderboard.In{Board: "StarWar"}, cursor.PageRequest{})
//	rank, err := boards.Rank(ctx, leaderboard.In{Board: "StarWar"}, "userB")
//
// A score reads back at once. Lists, counts and ranks come from an index that
// follows shortly: they are exact once writers are quiet.
//
// A reset begins a new period; nothing is deleted, and old standings stay
// readable. A player has one entry a board and period. Equal scores are
// decided by the sub score, then by the time they were achieved, then by the
// player's id, so that a million ties still have one order.
//
// What is stored and cannot be read is plaza.ErrCorrupt. Lists leave it out
// and report it to Options.OnCorrupt; its place among the others stays, so that
// ranks are what counting gives, until Repair mends it.
//
// Scores are exact over their whole range: 64-bit integers or floats. What is
// submitted twice with one Op counts once.
package leaderboard

import (
	"fmt"

	"github.com/plaza-sdk/plaza"
)

// What a submission may meet.
var (
	// ErrClosed is returned when the period of a submission and its grace are
	// over. This call wrote nothing. It unwraps to plaza.ErrRemoved.
	ErrClosed = fmt.Errorf("leaderboard: period is closed: %w", plaza.ErrRemoved)

	// ErrOpTooOld is returned when so many operations on the entry came after
	// this one that it is not known any more. It was not applied now; whether
	// it was before is unknown.
	// It unwraps to plaza.ErrConflict.
	ErrOpTooOld = fmt.Errorf("leaderboard: operation is too old to be known: %w", plaza.ErrConflict)
)
