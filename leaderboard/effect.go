package leaderboard

import (
	"bytes"

	"github.com/plaza-sdk/plaza"
)

// answer is what Submit returns.
type answer struct {
	Result
	repeated bool // the Op had been applied before this call
}

// effect is what an attempt does to an entry.
type effect struct {
	answer // empty where the entry was not read
	writes writes
	score  Score
	key    []byte // of that score
	ops    ops    // what the entry remembers then
}

// writes is what of an entry an effect writes.
type writes int

const (
	writeNothing writes = iota
	writeMemory         // operations or the version: nothing that anybody sees
	writeName
	writeScore // and what comes with it
)

// appliesUnseen reports whether one conditional update may do, without reading
// the entry first. The better score needs no memory of operations: a repeat can
// only meet itself or a better one. Nor does a newer version.
func (a attempt) appliesUnseen() bool { return a.board.bestOnly() || a.Version > 0 }

// effectOn is the effect of the attempt on an entry, nil for one that was not
// read.
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
	case a.Version == 0 && a.Op <= remembered.floor && !a.isNew(e):
		return effect{}, ErrOpTooOld
	case a.Op <= e.Removed:
		return effect{}, plaza.ErrRemoved
	}
	old := Score{kind: a.board.Kind} // 0 of either kind
	if e.Key != nil {
		stands, err := a.board.placeOf(e.Key, a.Player)
		if err != nil {
			return effect{}, err
		}
		old = stands.score
	}
	next, err := a.effectOnScore(old, writeMemory)
	if err != nil {
		return effect{}, err
	}
	after := e.Key
	switch {
	case a.moves(next.key, e):
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
	})
	return next, err
}

// effectOnScore is the effect on an old score.
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

// firstAnswer is the answer that the attempt's Op had first, if the entry knows
// it.
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

// outdated is the answer to a version that is not newer.
func (a attempt) outdated(e *entryItem) (answer, error) {
	if e.Key == nil {
		return answer{}, plaza.ErrRemoved
	}
	got, err := a.answerFor(e.Key, e.Key)
	got.repeated = e.Version == a.Version
	return got, err
}

// isNew reports, of an Op that the entry does not remember, whether it was
// certainly never applied: it was not at an earlier revision, and would be
// remembered for all the writes since.
func (a attempt) isNew(e *entryItem) bool {
	return a.unapplied != nil && e.Rev-*a.unapplied <= maxOps
}

// moves reports whether the entry gets the key.
func (a attempt) moves(key []byte, e *entryItem) bool {
	if e.Key == nil {
		return true
	}
	side := bytes.Compare(key[:decided], e.Key[:decided])
	return side < 0 || side > 0 && a.Operator != Best
}

// renames reports whether an attempt that leads to the key, and leaves the
// score as it is, is the last one to name the player.
func (a attempt) renames(key []byte, e *entryItem) bool {
	return tied(key, e.Key) && a.Name != "" && a.Name != e.Name && (a.Version > 0 || a.Op > e.LastOp)
}

// answerFor is the answer where the entry's key before, empty for none, became the
// key after.
func (a attempt) answerFor(before, after []byte) (answer, error) {
	got := Result{Period: a.period.name(), Old: Score{kind: a.board.Kind}, Existed: len(before) > 0}
	stands, err := a.board.parseKey(after)
	if err != nil {
		return answer{}, err
	}
	got.New = stands.score
	if got.Existed {
		stood, err := a.board.parseKey(before)
		if err != nil {
			got.Existed, got.Improved = false, true
			return answer{Result: got}, nil //nolint:nilerr // what is damaged did not stand
		}
		got.Old = stood.score
	}
	got.Improved = !got.Existed || bytes.Compare(after[:decided], before[:decided]) < 0
	return answer{Result: got}, nil
}
