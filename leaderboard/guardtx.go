package leaderboard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// commit answers operations on one entry, each of another guard. They share a
// transaction of their guards and the entry, on condition that nobody wrote the entry
// since it was read. An operation whose guard refuses it is answered by that, and the
// others are tried again. The error is of those that were not answered.
func (r *Repository) commit(ctx context.Context, operations []*operation) error {
	by, err := r.gen.Next(ctx)
	if err != nil {
		return err
	}
	var e *entryItem // nil: to be read
	for range maxContests {
		operations = slices.DeleteFunc(slices.Clone(operations), func(o *operation) bool { return o.answered })
		if len(operations) == 0 {
			return nil
		}
		if e == nil {
			if e, err = r.readEntry(ctx, operations[0].attempt); err != nil {
				return err
			}
		}
		t, err := r.newGuardTx(ctx, e, by, operations)
		if err != nil {
			return err
		}
		if len(t.writes) == 0 {
			continue
		}
		err = t.run(ctx)
		refused, ok := store.AsRefused(err)
		switch {
		case ok:
			if e, err = t.learn(refused); err != nil {
				return err
			}
		case err != nil:
			return err
		default:
			for _, w := range t.writes {
				w.operation.answer(w.got, nil)
			}
		}
	}
	return plaza.ErrBusy
}

// guardTx is one transaction: the writes of guards, and what they make of the entry.
type guardTx struct {
	r      *Repository
	by     ids.ID
	e      *entryItem // as it was read
	life   ids.ID     // of the entry, or the one that begins
	writes []guardWrite

	at     place // of the entry after the writes so far
	exists bool
	moved  bool // whether one of them changes the entry
	least  ids.ID
	lastOp ids.ID
	newest *operation // whose name and Meta the entry gets; nil: it keeps them
}

// guardWrite is what becomes of an operation's guard.
type guardWrite struct {
	operation *operation
	got       answer
	old, new  []byte // the parts of keys that the guard keeps
	mark      bool   // the guard alone: the score stays
}

// newGuardTx applies the operations to the entry, one after another. It answers those
// that the entry or the board refuses.
func (r *Repository) newGuardTx(ctx context.Context, e *entryItem, by ids.ID, operations []*operation) (*guardTx, error) {
	t := &guardTx{r: r, by: by, e: e, life: e.life(), exists: e.Key != nil, lastOp: e.LastOp}
	a := operations[0].attempt
	t.at = place{score: Score{kind: a.board.Kind}, player: a.Player}
	if t.exists {
		var err error
		if t.at, err = a.board.placeOf(e.Key, a.Player); err != nil {
			return nil, r.table.Corrupt(a.entry(), err.Error())
		}
	}
	for _, o := range operations {
		if !o.retracts && o.Op <= e.Removed {
			o.answer(answer{}, keys.Older(o.Op, e.Removed, o.now))
			continue
		}
		if o.retracts && (t.e.life() == 0 || o.known.absent || o.known.life != 0 && o.known.life != t.e.life()) {
			t.writes = append(t.writes, guardWrite{operation: o, mark: true, got: answer{repeated: true}})
			continue
		}
		if err := t.add(ctx, o); err != nil {
			got, err := r.answered(ctx, o.attempt, err)
			o.answer(got, err)
		}
	}
	return t, nil
}

// add applies one operation that changes the score.
func (t *guardTx) add(ctx context.Context, o *operation) error {
	next := t.at
	var err error
	if o.retracts == (o.Operator == Decrement) {
		next.score, err = t.at.score.plus(o.Score)
	} else {
		next.score, err = t.at.score.minus(o.Score)
	}
	if err == nil {
		err = o.board.checkBoundsOf(next.score)
	}
	if err != nil {
		return err
	}
	newest := !o.retracts && o.Op > t.lastOp
	if newest {
		next.sub = o.Sub
	}
	if !o.retracts && (!t.exists || o.At.After(t.at.at)) {
		next.at = o.At
	}
	w := guardWrite{operation: o, new: o.board.appendDecided(nil, next.score, next.sub)}
	if t.exists {
		w.old = o.board.appendDecided(nil, t.at.score, t.at.sub)
	}
	if !o.retracts {
		w.got.Result = Result{
			Period: o.period.name(), Old: t.at.score, New: next.score, Existed: t.exists,
			Improved: !t.exists || bytes.Compare(w.new, w.old) < 0,
		}
		if err := t.refuse(ctx, o, w.got.Result); err != nil {
			return err
		}
		if t.life == 0 {
			t.life = o.Op
		}
		if t.least == 0 || o.Op < t.least {
			t.least = o.Op
		}
	}
	if newest {
		t.lastOp, t.newest = o.Op, o
	}
	t.at, t.exists, t.moved = next, true, true
	t.writes = append(t.writes, w)
	return nil
}

// refuse asks Options.Refuse. Its panic is the operation's alone.
func (t *guardTx) refuse(ctx context.Context, o *operation, would Result) error {
	if t.r.opts.Refuse == nil {
		return nil
	}
	err := parallel.Catch(func() error { return t.r.opts.Refuse(ctx, o.Submission, would) })
	if panicked := (*parallel.PanicError)(nil); err == nil || errors.As(err, &panicked) {
		return err
	}
	return fmt.Errorf("%w: %w", plaza.ErrForbidden, err)
}

// run writes all at once: the guards in their order, then the entry.
func (t *guardTx) run(ctx context.Context) error {
	if len(t.writes) == 1 && !t.moved { // half the units, without a transaction
		put, update := t.writeGuard(t.writes[0])
		if put != nil {
			return t.r.table.Run(ctx, put)
		}
		return t.r.table.Run(ctx, update)
	}
	tx := t.r.table.Tx()
	for _, w := range t.writes {
		if put, update := t.writeGuard(w); put != nil {
			tx.Put(put)
		} else {
			tx.Update(update)
		}
	}
	if t.moved {
		tx.Update(t.writeEntry())
	}
	return t.r.table.Run(ctx, tx)
}

// writeGuard is a put of a new guard, or an update of a stored one.
func (t *guardTx) writeGuard(w guardWrite) (*store.Put, *store.Update) {
	o, key := w.operation, w.operation.guard()
	life := t.life
	if w.mark {
		life = o.known.life
	}
	if o.retracts && life != 0 {
		return nil, t.r.table.Update(key).
			Set("undone", true).
			Set("by", t.by).
			If("life = ? AND print = ? AND attribute_not_exists(undone)", life, o.print)
	}
	item := guardItem{PK: key.PK, SK: key.SK, Print: o.print, By: t.by, Old: w.old, New: w.new, Life: life, Undone: o.retracts, TTL: o.guardTTL()}
	return t.r.table.Put(item).If("attribute_not_exists(pk)"), nil
}

// writeEntry changes what an entry shows. Its memory of other operations stays.
func (t *guardTx) writeEntry() *store.Update {
	a := t.writes[0].operation.attempt // the period and the shard of a new entry are the same for all
	a.Op = t.least
	update := t.r.table.Update(a.entry()).
		SetExpr(nextRev, int64(t.lastOp), 1, t.by).
		SetExpr("prev = if_not_exists('key', ?)", []byte{}).
		Set("lastOp", t.lastOp).
		Set("life", t.life)
	a.setScore(update, t.e, t.at.score, t.at.sub, a.board.appendKey(nil, t.at))
	if o := t.newest; o != nil {
		update.Set("print", o.print).Set("meta", string(o.Meta))
		if o.Name != "" {
			update.Set("name", o.Name)
		}
	}
	return t.e.unchanged(update, a)
}

// learn reads a refusal. It answers the operations that their guards decide, and
// returns the entry, nil if it must be read again.
func (t *guardTx) learn(refused *store.Refused) (*entryItem, error) {
	e := t.e
	for i, w := range t.writes {
		item, failed := refused.At(i)
		if !failed {
			continue
		}
		if read := t.learnGuard(w, item); read {
			e = nil
		}
	}
	if item, failed := refused.At(len(t.writes)); failed && e != nil {
		e = new(entryItem)
		if item != nil {
			return e, t.r.table.Decode(item, e)
		}
	}
	return e, nil
}

// learnGuard reads the guard that refused a write. It returns whether the entry must
// be read, to compare its life with the guard's.
func (t *guardTx) learnGuard(w guardWrite, item dynamo.Item) (read bool) {
	o := w.operation
	o.known = knowledge{absent: item == nil}
	if item == nil {
		return false
	}
	var g guardItem
	err := t.r.table.Decode(item, &g)
	switch {
	case err != nil:
		o.answer(answer{}, err)
	case g.Print != o.print:
		o.answer(answer{}, plaza.ErrConflict)
	case g.By == t.by: // this transaction was applied before
		o.answer(w.got, nil)
	case o.retracts && g.Undone:
		o.answer(answer{repeated: true}, nil)
	case o.retracts:
		o.known.life = g.Life
		return true
	case !g.Undone && g.Life != t.e.life() && !o.reread:
		o.reread = true
		return true
	default:
		o.answer(t.r.answerOf(o.attempt, g, t.e))
	}
	return false
}
