package leaderboard

import (
	"bytes"
	"math"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// move is a submission that its board takes, with where it goes.
type move struct {
	Submission
	print  uint32
	now    time.Time
	board  *board
	period period

	minted bool // the operation is new with this call

	// unapplied is a revision of the entry at which the operation was not
	// applied; nil where none is known.
	unapplied *int64
}

// checkTime refuses what cannot have happened yet.
func (m move) checkTime() error {
	if !m.minted {
		if err := keys.CheckNewID("Op", m.Op, m.now); err != nil {
			return err
		}
	}
	switch {
	case m.At.After(m.now.Add(keys.MaxAhead)):
		return &plaza.InvalidError{Field: "At", Reason: "is in the future"}
	case m.At.Year() < 1970:
		return &plaza.InvalidError{Field: "At", Reason: "is before 1970"}
	}
	return nil
}

// clamped is a score as it may stand on the board.
func (b Board) clamped(s Score) (Score, error) {
	if b.Floor != nil && s.Compare(*b.Floor) < 0 {
		s = *b.Floor
	}
	return s, b.bound(s)
}

// entry is the key of the entry in the table.
func (m move) entry() store.Key { return entryKey(m.Player, m.Board, m.period) }

// orderKey is the entry's key with that score.
func (m move) orderKey(score Score) []byte {
	return m.board.appendKey(make([]byte, 0, prefixed+len(m.Player)), standing{score, m.Sub, m.At, m.Player})
}

// replace gives the entry the score, and with the first its place in the
// index. It never moves the part: that says in which shard the entry lies, and
// whether it is hidden.
func (r *Repository) replace(m move, score Score) *dynamo.Update {
	update := r.table.Update(m.entry()).
		SetExpr("prev = if_not_exists('key', ?)", []byte{}).
		Set("score", score).
		Set("key", m.orderKey(score)).
		SetIfNotExists("part", partOf(m.Player, m.Board, m.period, m.now)).
		Set("lastOp", m.Op).
		Set("print", m.print).
		Set("meta", string(m.Meta)).
		SetExpr(nextRev, int64(m.Op), 1)
	if m.Name != "" {
		update.Set("name", m.Name)
	}
	if m.period.ttl != 0 {
		return update.Set("ttl", m.period.ttl)
	}
	return update.Remove("ttl") // of one that was erased
}

// nextRev lets the revisions of a new entry begin with the id of its first
// operation, so that one which was erased and came again has others.
const nextRev = "rev = if_not_exists(rev, ?) + ?"

// landed is the answer where this move gave the entry its key.
func (m move) landed(w written) (Result, error) { return m.between(w.Prev, w.Key) }

// unmoved is the answer where the entry stays as it is.
func (m move) unmoved(e entryItem) (Result, error) { return m.between(e.Key, e.Key) }

// between is the answer where the key before, empty for none, became the key
// after.
func (m move) between(before, after []byte) (Result, error) {
	result := Result{Period: m.period.name(), Old: Score{kind: m.board.Kind}, Existed: len(before) > 0}
	stands, err := m.board.parseKey(after)
	if err != nil {
		return Result{}, err
	}
	result.New = stands.score
	if result.Existed {
		stood, err := m.board.parseKey(before)
		if err != nil {
			result.Existed, result.Improved = false, true
			return result, nil //nolint:nilerr // what is damaged did not stand
		}
		result.Old = stood.score
	}
	result.Improved = !result.Existed || bytes.Compare(after[:decided], before[:decided]) < 0
	return result, nil
}

// again is the answer where the move was the last to give the entry a key.
func (m move) again(e entryItem) (Result, error) {
	switch {
	case e.Print != m.print:
		return Result{}, plaza.ErrConflict
	case e.Key == nil:
		return Result{}, plaza.ErrRemoved
	}
	result, err := m.between(e.Prev, e.Key)
	result.Repeated = !m.minted
	return result, err
}

// worse is a bound between the keys of what this score beats and all others:
// above any time of its like, and a byte that begins no player's name.
func (m move) worse(score Score) []byte {
	bound := m.board.appendDecided(make([]byte, 0, prefixed+1), score, m.Sub)
	for len(bound) < cap(bound) {
		bound = append(bound, math.MaxUint8)
	}
	return bound
}

// written is what an update gives of the entry that it wrote.
type written struct {
	Key  []byte `dynamo:"key"`
	Prev []byte `dynamo:"prev"`
}

// refusedEntry is the entry that stood in the way of an update.
func (r *Repository) refusedEntry(refused *store.Refused) (*entryItem, error) {
	e := new(entryItem)
	item, _ := refused.At(0)
	if item == nil {
		return e, nil
	}
	return e, r.table.Decode(item, e)
}
