package leaderboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Submit brings a score to a board, in the period of its time. An unknown board
// is plaza.ErrNotFound, a period that is over ErrClosed. Where the period of its
// time is not stored and this machine lacks the zone of the board, it is
// plaza.ErrUnavailable: repeat it elsewhere or later. An entry that is damaged
// is plaza.ErrCorrupt until Repair; a Set by Version may replace it.
//
// Repeated with its Op a submission is applied once and gives its first answer
// while what it wrote stands; another submission under that Op is
// plaza.ErrConflict where that can be seen, one older than the entry's removal
// or erasure plaza.ErrRemoved, and one too old to be known ErrOpTooOld, which a
// crowd of more than 16 writing one entry at once may meet too. What leaves the
// score and the sub score as they are changes nothing else but the name, and
// that if no later Op named the player.
//
// Cost: for Best, where a board allows nothing else, 1 request, 2 WCU for the
// first score, 3 for a better one, 1 for another; for Set with a Version 1, 3
// WCU, or 2 where the score stays; for all else 2, 1 RCU and 3 WCU, or 1 WCU
// where the score stays. A new name beside an equal score is 2 requests, 3 WCU
// in the first two cases, else 1 RCU and 2 WCU. A WCU is for each KB of the
// entry. A process's first submission to a board reads it with 2 requests, 2
// RCU, again every Options.Refresh; a period's first opens it with 3, 2 RCU and
// 4 WCU.
func (r *Repository) Submit(ctx context.Context, s Submission) (Result, error) {
	m := move{Submission: s, minted: s.Op == 0}
	err := s.check()
	if err == nil && m.minted {
		m.Op, err = r.gen.Next(ctx)
	}
	if err != nil {
		return Result{Op: s.Op}, err
	}
	m.At = m.time()
	m.print = m.Submission.print()
	m.now = r.opts.Now()
	if err := m.checkTime(); err != nil {
		return Result{Op: m.Op}, err
	}
	result, err := r.submit(ctx, m)
	result.Op = m.Op
	if err != nil {
		return result, fmt.Errorf("leaderboard: submit %v of %q to %q: %w", m.Op, m.Player, m.Board, err)
	}
	return result, nil
}

func (r *Repository) submit(ctx context.Context, m move) (Result, error) {
	for range turns {
		b, err := r.board(ctx, m.Board)
		if err != nil {
			return Result{}, err
		}
		result, err := r.submitTo(ctx, b, m)
		if !errors.Is(err, errStale) {
			return result, err
		}
		r.forget(m.Board, b)
	}
	return Result{}, plaza.ErrBusy
}

func (r *Repository) submitTo(ctx context.Context, b *board, m move) (Result, error) {
	m.board = b
	m.Operator = cmp.Or(m.Operator, b.Operator)
	refusal := m.checkFor(b.Board)
	if refusal != nil && m.minted {
		return Result{}, refusal
	}
	p, stored, err := r.period(ctx, b, m.At)
	if err != nil {
		return Result{}, err
	}
	if m.period = p; refusal == nil && p.closed(m.now) {
		refusal = ErrClosed
	}
	switch {
	case refusal == nil:
	case stored && !m.minted:
		return r.repeat(ctx, m, refusal)
	default:
		return Result{}, refusal
	}
	if m.period, err = r.open(ctx, b, m.At, p, stored); err != nil {
		return Result{}, err
	}
	result, err := r.apply(ctx, m)
	return result, r.damage(m.entry(), err)
}

// repeat is the first answer of what is refused by now, if it was applied once.
func (r *Repository) repeat(ctx context.Context, m move, refusal error) (Result, error) {
	e, err := r.readEntry(ctx, m)
	if err != nil {
		return Result{}, err
	}
	answer, known, err := m.applied(*e)
	if err == nil && !known {
		err = refusal
	}
	return answer, r.damage(m.entry(), err)
}

// damage names the entry of an error that says it is damaged.
func (r *Repository) damage(key store.Key, err error) error {
	if errors.Is(err, errDamaged) {
		return r.table.Corrupt(key, err.Error())
	}
	return err
}

func (r *Repository) apply(ctx context.Context, m move) (Result, error) {
	switch {
	case r.opts.Refuse != nil: // it must see what stands
	case m.board.bestOnly():
		return r.keepBest(ctx, m)
	case m.Version > 0:
		return r.setVersion(ctx, m)
	}
	return r.change(ctx, m, nil)
}
