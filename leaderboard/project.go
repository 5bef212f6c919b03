package leaderboard

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/stream"
)

// Project keeps boards in step with another table, whose stream has both images of an
// item. read returns what a board shows of an item, from the item alone: it is called
// with the item before and after each change. An item that shows on no board is Gone,
// with its Version. If another Board, Player or At makes it another entry, the item
// moves: for a moment it is in both places.
//
// Records may come in any order, and repeatedly. An error is wrapped by
// stream.Permanent if a repeat cannot help: plaza.ErrInvalid from read or Apply,
// a truncated record, a new score in a period that is over, and a record that is
// more than 30 days old, which is ErrOpTooOld. An item that is Gone stays on the
// board of a period that is over.
//
// To fill a board from an existing table, call Apply with each of its items.
//
// At defaults to the record's, on a board that does not reset.
//
// Cost: as Apply for each record; twice that for one that moves its item.
func Project(r *Repository, read func(context.Context, map[string]types.AttributeValue) (Projection, error)) stream.Handler {
	return func(ctx context.Context, record stream.Record) error {
		err := r.follow(ctx, record, read)
		for _, final := range []error{plaza.ErrInvalid, ErrClosed, ErrOpTooOld} {
			if errors.Is(err, final) {
				return stream.Permanent(err)
			}
		}
		return err
	}
}

func (r *Repository) follow(ctx context.Context, record stream.Record, read func(context.Context, map[string]types.AttributeValue) (Projection, error)) error {
	switch {
	case record.Truncated:
		return stream.ErrTruncated
	case record.Old == nil && record.New == nil, record.Kind == stream.Modify && (record.Old == nil || record.New == nil):
		return stream.ErrView
	case !record.At.IsZero() && !r.opts.Now().Before(record.At.Add(forgetErased)):
		return ErrOpTooOld // what is gone may have been forgotten
	}
	next := Projection{Gone: true}
	if record.New != nil {
		var err error
		if next, err = read(ctx, record.New); err != nil {
			return err
		}
	}
	if !next.Gone {
		if _, err := r.project(ctx, next, record.At); err != nil {
			return err
		}
	}
	if record.Old == nil {
		return nil
	}
	last, err := read(ctx, record.Old)
	switch {
	case errors.Is(err, plaza.ErrInvalid), err == nil && last.Gone:
		return nil // it never was on a board
	case err != nil:
		return err
	case !next.Gone:
		same, err := r.sameEntry(ctx, last, next)
		if err != nil || same {
			return err
		}
	}
	last.Gone = true
	_, err = r.project(ctx, last, record.At)
	if errors.Is(err, ErrClosed) {
		return nil
	}
	return err
}

// sameEntry reports whether two projections are of one entry.
func (r *Repository) sameEntry(ctx context.Context, a, b Projection) (bool, error) {
	if a.Board != b.Board || a.Player != b.Player {
		return false, nil
	}
	board, err := r.board(ctx, a.Board)
	if err != nil || board.Cron == "" || a.At.Equal(b.At) {
		return err == nil, err
	}
	before, _, err := r.period(ctx, board, a.At.UTC())
	if err != nil {
		return false, err
	}
	after, _, err := r.period(ctx, board, b.At.UTC())
	return before.start.Equal(after.start), err
}
