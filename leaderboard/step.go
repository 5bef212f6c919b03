package leaderboard

import (
	"bytes"

	"github.com/plaza-sdk/plaza"
)

// step is what a move does to an entry.
type step struct {
	result  Result
	score   Score
	ops     ops  // what the entry then remembers
	moves   bool // the score or the sub score changes
	renames bool // the name alone does
	nothing bool // there is nothing to write
}

// on is the step of the move on an entry that stands like that.
func (m move) on(e entryItem) (step, error) {
	if answer, known, err := m.applied(e); known || err != nil {
		return step{result: answer, nothing: true}, err
	}
	remembered, err := parseOps(e.Ops)
	switch {
	case err != nil:
		return step{}, err
	case m.Version > 0 && e.Version >= m.Version:
		answer, err := m.outdated(e)
		return step{result: answer, nothing: true}, err
	case m.Version == 0 && m.Op <= remembered.floor && !m.isNew(e):
		return step{}, ErrOpTooOld
	case m.Op <= e.Removed:
		return step{}, plaza.ErrRemoved
	}

	if e.Key != nil {
		if _, err := m.board.standingOf(e.Key, m.Player); err != nil {
			return step{}, err
		}
	}
	var s step
	if s.score, err = m.operate(e); err != nil {
		return step{}, err
	}
	key := m.orderKey(s.score)
	if s.moves = m.movesTo(key, e); s.moves {
		s.result, err = m.between(e.Key, key)
	} else {
		s.result, err = m.unmoved(e)
		s.renames = m.renames(key, e)
		s.nothing = m.board.bestOnly() && !s.renames
	}
	s.ops = remembered.with(applied{
		op: m.Op, print: m.print,
		existed: s.result.Existed, improved: s.result.Improved,
		old: s.result.Old.bits, new: s.result.New.bits,
	})
	return s, err
}

// isNew tells, of an operation that the entry does not remember, whether that
// says that it was never applied: it was not at an earlier revision, and would
// be remembered for all the writes since.
func (m move) isNew(e entryItem) bool {
	return m.unapplied != nil && e.Rev-*m.unapplied <= maxOps
}

// operate is the score that comes of the move.
func (m move) operate(e entryItem) (Score, error) {
	score := m.Score
	if m.Operator == Increment || m.Operator == Decrement {
		old := Score{kind: m.board.Kind} // 0 of either kind
		if e.Key != nil {
			stands, err := m.board.parseKey(e.Key)
			if err != nil {
				return Score{}, err
			}
			old = stands.score
		}
		operation := old.plus
		if m.Operator == Decrement {
			operation = old.minus
		}
		var err error
		if score, err = operation(m.Score); err != nil {
			return Score{}, err
		}
	}
	return m.board.clamped(score)
}

// movesTo tells whether the entry gets the key.
func (m move) movesTo(key []byte, e entryItem) bool {
	if e.Key == nil {
		return true
	}
	side := bytes.Compare(key[:decided], e.Key[:decided])
	return side < 0 || side > 0 && m.Operator != Best
}

// renames tells whether a move to the key, which leaves the score as it is, is
// the last one to name the player.
func (m move) renames(key []byte, e entryItem) bool {
	return tied(key, e.Key) && m.Name != "" && m.Name != e.Name && (m.Version > 0 || m.Op > e.LastOp)
}

// applied is the first answer of a move that the entry knows.
func (m move) applied(e entryItem) (answer Result, known bool, err error) {
	remembered, err := parseOps(e.Ops)
	if err != nil {
		return Result{}, false, err
	}
	before, found := remembered.find(m.Op)
	switch {
	case found:
		answer, err = m.repeated(e, before)
	case e.LastOp == m.Op:
		answer, err = m.again(e)
	default:
		return Result{}, false, nil
	}
	return answer, true, err
}

// repeated is the first answer of an operation that the entry remembers.
func (m move) repeated(e entryItem, a applied) (Result, error) {
	switch {
	case a.print != m.print:
		return Result{}, plaza.ErrConflict
	case e.Key == nil, m.Op <= e.Removed:
		return Result{}, plaza.ErrRemoved
	}
	kind := m.board.Kind
	return Result{
		Period: m.period.name(), Repeated: !m.minted,
		Old: Score{kind, a.old}, New: Score{kind, a.new}, Existed: a.existed, Improved: a.improved,
	}, nil
}

// outdated is the answer to a version that is not newer.
func (m move) outdated(e entryItem) (Result, error) {
	if e.Key == nil {
		return Result{}, plaza.ErrRemoved
	}
	result, err := m.unmoved(e)
	result.Repeated = e.Version == m.Version
	return result, err
}
