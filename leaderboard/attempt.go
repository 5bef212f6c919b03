package leaderboard

import (
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// attempt is a submission in progress.
type attempt struct {
	Submission // with Op and At and, once the board is known, with Operator

	call     ids.ID // minted for this call
	print    uint32
	now      time.Time
	minted   bool // this call made the Op
	doubtful bool // it may have been applied before a refusal
	retracts bool // it takes back what the submission did

	board  *board
	period period
	part   string // the index partition of a new entry

	// unapplied is a revision of the entry at which the Op was not applied, or nil
	// if none is known.
	unapplied *int64
}

// fits refuses what the board does not take.
func (a attempt) fits() error { return a.checkFor(a.board.Board) }

// entry returns the key of the entry in the table.
func (a attempt) entry() store.Key { return entryKey(a.Player, a.Board, a.period) }

// checkTime refuses times and ids from the future.
func (a attempt) checkTime() error {
	if !a.minted {
		if err := keys.CheckNewID("Op", a.Op, a.now); err != nil {
			return err
		}
	}
	switch {
	case a.At.After(a.now.Add(keys.MaxAhead)):
		return &plaza.InvalidError{Field: "At", Reason: "is in the future"}
	case a.At.Year() < 1970:
		return &plaza.InvalidError{Field: "At", Reason: "is before 1970"}
	}
	return nil
}
