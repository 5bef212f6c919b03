package leaderboard

import (
	"bytes"
	"context"
	"errors"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// answer is what Submit returns.
type answer struct {
	Result
	repeated bool // the Op was applied before this call
}

// effect is the change that an attempt makes to an entry.
type effect struct {
	answer // empty if the entry was not read
	writes writes
	score  Score
	key    []byte // of the new score
	ops    []byte // remembered after the write
}

// writes is the part of an entry that an effect writes.
type writes int

const (
	writeNothing writes = iota
	writeMemory         // operations or the version: nothing that players see
	writeName
	writeScore // and key, name and meta
)

// appliesUnseen reports whether one conditional update is enough, without reading the
// entry first. Best needs no memory of operations, because a repeat finds an equal or
// better score. A Version needs none, because a repeat finds it stored.
func (a attempt) appliesUnseen() bool { return a.board.bestOnly() || a.Version > 0 }

// readEntry reads the entry, strongly consistent. An absent one is empty.
func (r *Repository) readEntry(ctx context.Context, a attempt) (*entryItem, error) {
	e := new(entryItem)
	err := r.table.Get(ctx, a.entry(), true, e)
	if errors.Is(err, plaza.ErrNotFound) {
		err = nil
	}
	return e, err
}

// effectOn returns the effect of the attempt on the entry. A nil entry was not read.
func (a attempt) effectOn(e *entryItem, refusal error) (effect, error) {
	if e == nil {
		return a.effectOnScore(Score{}, writeScore)
	}
	if first, known, err := a.firstAnswer(e); known || err != nil {
		return effect{answer: first}, err
	}
	remembered, err := parseOps(e.Ops)
	switch {
	case err != nil:
		return effect{}, err
	case refusal != nil:
		return effect{}, refusal
	case a.Version > 0 && e.Version >= a.Version:
		outdated, err := a.outdated(e)
		return effect{answer: outdated}, err
	case a.Version == 0 && remembered.forgot(a.Op) && !a.isNew(e):
		return effect{}, ErrOpTooOld
	case a.Op <= e.Removed:
		return effect{}, keys.Older(a.Op, e.Removed, a.now)
	}
	old := Score{kind: a.board.Kind} // 0 of the board's kind
	if e.Key != nil {
		current, err := a.board.placeOf(e.Key, a.Player)
		if err != nil {
			return effect{}, err
		}
		old = current.score
	}
	next, err := a.effectOnScore(old, writeMemory)
	if err != nil {
		return effect{}, err
	}
	after := e.Key
	switch {
	case a.replaces(next.key, e):
		next.writes, after = writeScore, next.key
	case a.renames(next.key, e):
		next.writes = writeName
	case a.board.bestOnly():
		next.writes = writeNothing
	}
	next.answer, err = a.answerFor(e.Key, after)
	next.ops = remembered.with(applied{
		op: a.Op, print: a.print,
		existed: next.Existed, improved: next.Improved,
		old: next.Old.bits, new: next.New.bits,
	}).bytes()
	return next, err
}

// effectOnScore returns the effect on the old score.
func (a attempt) effectOnScore(old Score, w writes) (effect, error) {
	score := a.Score
	var err error
	switch a.Operator {
	case Increment:
		score, err = old.plus(a.Score)
	case Decrement:
		score, err = old.minus(a.Score)
	}
	if err == nil {
		score, err = a.board.clamped(score)
	}
	if err != nil {
		return effect{}, err
	}
	key := a.board.appendKey(make([]byte, 0, prefixed+len(a.Player)), place{score, a.Sub, a.At, a.Player})
	return effect{writes: w, score: score, key: key}, nil
}

// firstAnswer returns the first answer to the attempt's Op, if the entry still
// remembers it.
func (a attempt) firstAnswer(e *entryItem) (first answer, known bool, err error) {
	remembered, err := parseOps(e.Ops)
	if err != nil {
		return answer{}, false, err
	}
	before, found := remembered.find(a.Op)
	if !found {
		before.print = e.Print
	}
	switch {
	case !found && e.LastOp != a.Op:
		return answer{}, false, nil
	case before.print != a.print:
		return answer{}, true, plaza.ErrConflict
	case e.Key == nil, found && a.Op <= e.Removed:
		return answer{}, true, plaza.ErrRemoved
	case found:
		kind := a.board.Kind
		first.Result = Result{
			Period: a.period.name(),
			Old:    Score{kind, before.old}, New: Score{kind, before.new}, Existed: before.existed, Improved: before.improved,
		}
	default:
		first, err = a.answerFor(e.Prev, e.Key)
	}
	first.repeated = !a.minted
	return first, true, err
}

// outdated returns the answer to a version that is not newer.
func (a attempt) outdated(e *entryItem) (answer, error) {
	if e.Key == nil {
		return answer{}, plaza.ErrRemoved
	}
	got, err := a.answerFor(e.Key, e.Key)
	got.repeated = e.Version == a.Version
	return got, err
}

// isNew reports whether an Op that the entry does not remember was certainly never
// applied: it was not applied at an earlier revision, and there were too few writes
// since for it to be forgotten.
func (a attempt) isNew(e *entryItem) bool {
	return a.unapplied != nil && e.Rev-*a.unapplied <= maxOps
}

// replaces reports whether the key replaces the entry's.
func (a attempt) replaces(key []byte, e *entryItem) bool {
	if e.Key == nil {
		return true
	}
	side := bytes.Compare(key[:decided], e.Key[:decided])
	return side < 0 || side > 0 && a.Operator != Best
}

// renames reports whether an attempt that leaves the key as it is sets the player's
// name. A later Op may have named the player already.
func (a attempt) renames(key []byte, e *entryItem) bool {
	return tied(key, e.Key) && a.Name != "" && a.Name != e.Name && (a.Version > 0 || a.Op > e.LastOp)
}

// answerFor returns the answer for a write that replaced the key before with the key
// after. An empty key means none.
func (a attempt) answerFor(before, after []byte) (answer, error) {
	got := Result{Period: a.period.name(), Old: Score{kind: a.board.Kind}, Existed: len(before) > 0}
	current, err := a.board.parseKey(after)
	if err != nil {
		return answer{}, err
	}
	got.New = current.score
	if got.Existed {
		old, err := a.board.parseKey(before)
		if err != nil {
			got.Existed, got.Improved = false, true
			return answer{Result: got}, nil //nolint:nilerr // a damaged key counts as none
		}
		got.Old = old.score
	}
	got.Improved = !got.Existed || bytes.Compare(after[:decided], before[:decided]) < 0
	return answer{Result: got}, nil
}

// after raises a minted Op that is below the removal of the entry, because the clock of
// the removal was ahead. It adds as much as clocks may differ, so that ids of one
// source stay different. An erased entry has no revision: then the attempt may be a
// late repeat, and its Op stays.
func (a attempt) after(e *entryItem) attempt {
	if e == nil || e.Rev == 0 || a.Op > e.Removed || !a.minted || a.doubtful {
		return a
	}
	at := a.Op.Time().Add(keys.MaxAhead)
	if end := a.period.end; !end.IsZero() && !at.Before(end) {
		return a // a repeat would be one of the next period
	}
	if _, known, _ := a.firstAnswer(e); !known {
		a.Op += ids.At(at) - ids.At(a.Op.Time())
	}
	return a
}
