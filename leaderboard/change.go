package leaderboard

import (
	"context"
	"errors"
	"fmt"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// contests bounds how often a write is tried anew when others were faster.
const contests = 64

// change reads the entry, unless it is given as it just stood, and writes on
// condition that nobody wrote since. A refused write is tried anew at once, on
// the entry that came with the refusal: waiting would let more operations pass
// than an entry remembers.
func (r *Repository) change(ctx context.Context, m move, given *entryItem) (Result, error) {
	e := given
	if e == nil {
		var err error
		if e, err = r.readEntry(ctx, m); err != nil {
			return Result{}, err
		}
		if m.minted {
			m.unapplied = &e.Rev
		}
	}
	for contest := 0; ; contest++ {
		next, err := m.on(*e)
		if err != nil || next.nothing {
			return next.result, err
		}
		if contest == contests {
			return Result{}, plaza.ErrBusy
		}
		if (next.moves || next.renames) && r.opts.Refuse != nil {
			if err := r.opts.Refuse(ctx, m.Submission, next.result); err != nil {
				return Result{}, fmt.Errorf("%w: %w", plaza.ErrForbidden, err)
			}
		}
		err = r.table.Run(ctx, r.write(m, *e, next))
		refused, ok := store.AsRefused(err)
		if !ok {
			return next.result, err
		}
		m.unapplied = &e.Rev
		if e, err = r.refusedEntry(refused); err != nil {
			return Result{}, err
		}
	}
}

// readEntry reads the entry of the move, consistently; an absent one is empty.
func (r *Repository) readEntry(ctx context.Context, m move) (*entryItem, error) {
	e := new(entryItem)
	err := r.table.Get(ctx, m.entry(), true, e)
	if errors.Is(err, plaza.ErrNotFound) {
		err = nil
	}
	return e, err
}

// write carries out the step. A set by version needs no memory of operations.
func (r *Repository) write(m move, e entryItem, next step) *dynamo.Update {
	update := r.table.Update(m.entry()).SetExpr(nextRev, int64(m.Op), 1)
	switch {
	case next.moves:
		update = r.replace(m, next.score)
	case next.renames:
		update.Set("name", m.Name).Set("lastOp", m.Op).Set("print", m.print).Set("prev", e.Key)
	}
	switch {
	case m.Version > 0:
		update.Set("version", m.Version)
	case !m.board.bestOnly():
		update.Set("ops", next.ops.bytes())
	}
	if e.Rev == 0 {
		return update.If("attribute_not_exists(rev)").
			If("attribute_not_exists(removed) OR removed < ?", m.Op)
	}
	return e.stands(update)
}

// stands lets the update be of the entry as it was read. Its revision alone
// does not tell: one that was erased may come again by the same operation.
func (e entryItem) stands(update *dynamo.Update) *dynamo.Update {
	update.If("rev = ?", e.Rev)
	if e.LastOp != 0 {
		update.If("lastOp = ?", e.LastOp)
	}
	if len(e.Ops) > 0 {
		update.If("ops = ?", e.Ops)
	}
	return update
}
