package leaderboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

// Submit submits a score to a board, in the period of its time. A submission that is
// repeated with its Op is applied once: created is false, and the result is the first
// answer. A board that allows Best alone remembers only the submission of the current
// score: a repeat of another changes nothing, but created is true.
//
// A submission that leaves score and sub score as they are changes only the name,
// unless a submission with a later Op has changed it.
//
// An unknown board is plaza.ErrNotFound, a period that is over ErrClosed. Another
// submission under a known Op is plaza.ErrConflict. One from before the entry was
// removed or erased is plaza.ErrRemoved. ErrOpTooOld means that the entry no longer
// remembers the Op; more than 16 concurrent writers of one entry may get it too. A
// damaged entry is plaza.ErrCorrupt until Repair; a Set by Version may replace it. If
// the period is not stored yet and this machine lacks the board's zone, the error is
// plaza.ErrUnavailable: repeat the call elsewhere or later.
//
// Cost: 1 request, 3 WCU for each KB of a better entry where a board allows Best
// alone; elsewhere 2 requests, 1 RCU, 3 WCU.
//
//plaza:cost Best alone, a better score: 1 request, 3 WCU
//plaza:cost Best alone, the first score: 1 request, 2 WCU
//plaza:cost Best alone, no better score: 1 request, 1 WCU
//plaza:cost Best alone, a new name beside an equal score: 2 requests, 3 WCU
//plaza:cost Set with a Version: 1 request, 3 WCU
//plaza:cost Set with a Version, the first score: 1 request, 2 WCU
//plaza:cost Set with a Version, outdated: 1 request, 1 WCU
//plaza:cost Set with a Version, the same score: 2 requests, 2 WCU
//plaza:cost Set with a Version, the same score and a new name: 2 requests, 3 WCU
//plaza:cost any other: 2 requests, 1 RCU, 3 WCU
//plaza:cost any other, the first score: 2 requests, 1 RCU, 2 WCU
//plaza:cost any other, the same score: 2 requests, 1 RCU, 1 WCU
//plaza:cost any other, the same score and a new name: 2 requests, 1 RCU, 2 WCU
//plaza:cost retractable: 1 request, 1 transaction, 1 RCU, 6 WCU
//plaza:cost retractable, each further one in the same transaction: 2 WCU
//plaza:cost retractable, a repeat: 1 request, 1 transaction, 1 RCU, 4 WCU
//plaza:cost with Options.Refuse, where nothing else is read, more: 1 request, 1 RCU
//plaza:cost with Options.Refuse, Best alone, no better score: 1 request, 1 RCU
//plaza:cost a process's first to a board, and each Options.Refresh, more: 2 requests, 2 RCU
//plaza:cost a period's first, more: 3 requests, 2 RCU, 6 WCU
//plaza:cost the first of a period without an end, more: 3 requests, 2 RCU, 4 WCU
//plaza:cost the first that knows of more shards, more: 1 request, 1 WCU
func (r *Repository) Submit(ctx context.Context, s Submission) (result Result, created bool, err error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Submit")
	a, err := r.accept(ctx, s)
	if err != nil {
		return Result{Op: a.Op}, false, err
	}
	got, err := r.submit(ctx, a)
	if err != nil {
		return Result{Op: cmp.Or(got.Op, a.Op)}, false, fmt.Errorf("leaderboard: submit %v of %q to %q: %w", a.Op, a.Player, a.Board, err)
	}
	got.Op = cmp.Or(got.Op, a.Op)
	return got.Result, !got.repeated, nil
}

// SubmitMany submits each as Submit does. The results have the order of the
// submissions. If some failed, the error is a *plaza.PartialError. The submissions of
// one player are applied one after another, in the order given, except that those that
// are Retractable share transactions.
//
// Cost: as Submit, for each.
func (r *Repository) SubmitMany(ctx context.Context, submissions []Submission) ([]plaza.Result[Result], error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.SubmitMany")
	results := make([]plaza.Result[Result], len(submissions))
	byPlayer := map[string][]int{}
	for i, s := range submissions {
		byPlayer[s.Player] = append(byPlayer[s.Player], i)
	}
	group := parallel.New()
	group.SetLimit(r.opts.Parallel)
	for _, own := range byPlayer {
		group.Go(func() error {
			guarded := parallel.New()
			guarded.SetLimit(2 * maxGuards)
			for _, i := range own {
				submit := func() error {
					one := &results[i]
					one.Err = parallel.Catch(func() (err error) {
						one.Value, one.Changed, err = r.Submit(ctx, submissions[i])
						return err
					})
					return nil
				}
				if submissions[i].Retractable {
					guarded.Go(submit)
				} else {
					_ = submit()
				}
			}
			return guarded.Wait()
		})
	}
	_ = group.Wait()
	return results, parallel.Failed(results)
}

// accept checks the submission and sets its Op and time.
func (r *Repository) accept(ctx context.Context, s Submission) (attempt, error) {
	a := attempt{Submission: s, now: r.opts.Now(), minted: s.Op == 0}
	if err := s.Validate(); err != nil {
		return a, err
	}
	var err error
	if a.call, err = r.gen.Next(ctx); err != nil {
		return a, err
	}
	if a.minted {
		a.Op = a.call
	}
	a.At = a.time()
	a.print = a.Submission.print()
	return a, a.checkTime()
}

// submit finds the period and writes the entry in it.
func (r *Repository) submit(ctx context.Context, a attempt) (answer, error) {
	a, refusal, err := r.prepare(ctx, a, attempt.fits)
	if err != nil {
		return answer{}, err
	}
	if a.Retractable {
		return r.guarded(ctx, a, refusal)
	}
	got, err := r.apply(ctx, a, refusal)
	if errors.Is(err, errDamaged) {
		err = r.table.Corrupt(a.entry(), err.Error())
	}
	return got, err
}

// prepare sets the attempt's board and an open period. refusal is set if the board
// refuses the submission now, by fits, but may have accepted it before.
func (r *Repository) prepare(ctx context.Context, given attempt, fits func(attempt) error) (_ attempt, refusal, err error) {
	for range maxRetries {
		a := given
		if a.board, err = r.board(ctx, a.Board); err != nil {
			return a, nil, err
		}
		a.Operator = cmp.Or(a.Operator, a.board.Operator)
		refusal = fits(a)
		if refusal != nil && a.minted {
			return a, nil, refusal
		}
		p, stored, err := r.period(ctx, a.board, a.At)
		if err != nil {
			return a, nil, err
		}
		if refusal == nil && p.closed(a.now) {
			refusal = ErrClosed
		}
		switch a.period = p; {
		case refusal == nil:
		case a.minted || !stored: // it was never applied
			return a, nil, refusal
		default:
			return a, refusal, nil
		}
		a.period, err = r.open(ctx, a.board, a.At, p, stored)
		if !errors.Is(err, errStale) {
			a.part = partOf(a.Player, a.Board, a.period, a.now)
			return a, nil, err
		}
		r.forget(a.Board, a.board)
	}
	return given, nil, plaza.ErrBusy
}

// maxContests bounds how often a write is retried when others were faster.
const maxContests = 64

// apply writes the attempt's effect, on condition that nobody has written the entry
// since it was read. A refused write is retried at once, with the entry that came with
// the refusal, because during a wait others could make more operations than an entry
// remembers. If refusal is set, apply writes nothing and can only return the first
// answer, whose Op is that of the write even beside an error.
func (r *Repository) apply(ctx context.Context, a attempt, refusal error) (got answer, err error) {
	defer func() { got.Op = a.Op }()
	var e *entryItem // nil means not read
	if refusal != nil || r.opts.Refuse != nil || !a.appliesUnseen() {
		if e, err = r.readEntry(ctx, a); err != nil {
			return answer{}, err
		}
		if a.minted {
			a.unapplied = &e.Rev
		}
	}
	for contest := 0; ; contest++ {
		a = a.after(e)
		next, err := a.effectOn(e, refusal)
		if a.doubtful && errors.Is(err, ErrOpTooOld) { // it may have been applied, and forgotten since
			err = plaza.ErrUnknownOutcome
		}
		if err != nil || next.writes == writeNothing {
			return next.answer, err
		}
		if contest == maxContests {
			return answer{}, plaza.ErrBusy
		}
		if r.opts.Refuse != nil && next.writes != writeMemory {
			if err := r.opts.Refuse(ctx, a.Submission, next.Result); err != nil {
				return answer{}, fmt.Errorf("%w: %w", plaza.ErrForbidden, err)
			}
		}
		got, refused, err := r.write(ctx, a, e, next)
		if refused == nil {
			return got, err
		}
		if e != nil {
			a.unapplied = &e.Rev
		}
		a.doubtful = a.doubtful || refused.Doubtful()
		if e, err = refusedEntry(r.table, refused); err != nil {
			return answer{}, err
		}
	}
}

// Retract takes back a Retractable submission: s has its Board, Player, Op, Operator,
// Score and, if it had one, its At. changed is true only if this call changed the
// score. A Retract may come before its submission: the submission is then
// ErrRetracted whenever it comes. If the player was removed or erased since, the
// score does not change. The player stays on the board, even with a score of 0, unless
// Board.Above leaves it out.
//
// A period that is over is ErrClosed. Other errors are those of Submit.
// Options.Refuse is not called.
//
// Cost: 1 request, 1 transaction, 1 RCU, 6 WCU; 4 WCU for a repeat.
//
//plaza:cost the first time: 1 request, 1 transaction, 1 RCU, 6 WCU
//plaza:cost a repeat: 1 request, 1 transaction, 1 RCU, 4 WCU
//plaza:cost one that comes first: 2 requests, 1 transaction, 1 RCU, 5 WCU
//plaza:cost of what was removed since: 4 requests, 2 RCU, 2 WCU
//plaza:cost several at once, a board to read, a period to open: as Submit
func (r *Repository) Retract(ctx context.Context, s Submission) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Retract")
	s.Retractable = true
	if s.Op == 0 {
		return false, &plaza.InvalidError{Field: "Op", Reason: "is zero"}
	}
	a, err := r.accept(ctx, s)
	if err != nil {
		return false, err
	}
	a.retracts = true
	got, err := r.submit(ctx, a)
	if err != nil {
		return false, fmt.Errorf("leaderboard: retract %v of %q on %q: %w", a.Op, a.Player, a.Board, err)
	}
	return !got.repeated, nil
}
