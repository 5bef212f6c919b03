// Package leaderboard ranks players by score.
//
// A Board says how scores are ordered and when they reset. Define stores it,
// Submit adds scores, and Top and others read the standings:
//
//	boards, err := leaderboard.New(db, "leaderboard", gen, nil)
//
//	boards.Define(ctx, leaderboard.Board{Name: "StarWar", Cron: "@daily", Zone: "Asia/Shanghai"})
//	boards.Submit(ctx, leaderboard.Submission{Board: "StarWar", Player: "userB", Score: leaderboard.Int(90)})
//	page, err := boards.Top(ctx, leaderboard.In{Board: "StarWar"}, cursor.PageRequest{})
//	rank, err := boards.Rank(ctx, leaderboard.In{Board: "StarWar"}, "userB")
//
// A score can be read at once. Lists, counts and ranks come from an index that
// follows shortly after. They are exact once writers are quiet.
//
// A reset begins a new period; nothing is deleted, and old standings stay
// readable. A player has one entry a board and period. Equal scores are ordered by
// the sub score, then by the time when they were achieved, then by the player's id,
// so that even a million ties have one order.
//
// Run calls a function of yours once for each period that ended, for prizes,
// announcements and archives. It calls again after a failure, with the same Key:
//
//	err := boards.Run(ctx, func(ctx context.Context, ended leaderboard.Ended) error {
//		best, err := boards.Top(ctx, leaderboard.In{Board: ended.Board, Period: ended.Period.Name}, cursor.PageRequest{Limit: 3})
//		… // give prizes under ended.Key and the player
//	})
//
// A stored item that cannot be read is plaza.ErrCorrupt. Lists leave it out and
// report it to Options.OnCorrupt. Until Repair fixes it, it still counts, so that
// ranks agree with counts.
//
// Scores are exact over their whole range: 64-bit integers or floats. A submission
// that is repeated with its Op counts once. If it is Retractable, any number of actors
// may add to one entry, and Retract takes back what one of them added. Apply keeps
// boards in step with another table.
package leaderboard

import (
	"errors"
	"fmt"

	"github.com/plaza-sdk/plaza"
)

// Errors of submissions.
var (
	// ErrClosed is returned when a submission's period and its grace are over.
	// Nothing was written. It unwraps to plaza.ErrRemoved.
	ErrClosed = fmt.Errorf("leaderboard: period is closed: %w", plaza.ErrRemoved)

	// ErrRetracted is returned when Retract took the submission back, perhaps before it
	// came. It unwraps to plaza.ErrRemoved.
	ErrRetracted = fmt.Errorf("leaderboard: submission was retracted: %w", plaza.ErrRemoved)

	// ErrOpTooOld is returned when so many operations followed this one that the entry
	// no longer remembers it. It was not applied now. It may have been applied before.
	// It is also returned for a Retractable submission, and for a stream's record,
	// that is more than 30 days old. It unwraps to plaza.ErrConflict.
	ErrOpTooOld = fmt.Errorf("leaderboard: operation is too old to be known: %w", plaza.ErrConflict)
)

// errDamaged is wrapped by the errors of damaged attributes. Callers get it as
// plaza.ErrCorrupt.
var errDamaged = errors.New("leaderboard: damaged")

// errPlace is returned for an item under the wrong key.
var errPlace = fmt.Errorf("%w: it does not belong under its key", errDamaged)
