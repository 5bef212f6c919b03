package leaderboard

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// guardedPrint is a print of what Retract takes back. Names may differ between a
// submission and its Retract.
func (a attempt) guardedPrint() uint32 {
	return Submission{Score: a.Score, Operator: a.Operator}.print()
}

// forgetOp is how long an operation is remembered if its period does not end.
const forgetOp = 30 * 24 * time.Hour

// forgotten reports whether the guard of the attempt may have expired.
func (a attempt) forgotten() bool {
	return a.period.end.IsZero() && !a.now.Before(a.Op.Time().Add(forgetOp))
}

// guardItem is G#op#hash / G: one guarded operation on one entry, and its result. It has
// no names, so Erase leaves it. It is less than 1 KB.
type guardItem struct {
	PK     string `dynamo:"pk"`
	SK     string `dynamo:"sk"`
	Print  uint32 `dynamo:"print"`         // of the submission
	By     ids.ID `dynamo:"by"`            // the transaction that wrote it last
	Old    []byte `dynamo:"old,omitempty"` // the score and sub score before, as in the entry's key, if there was an entry
	New    []byte `dynamo:"new,omitempty"` // those after
	Life   ids.ID `dynamo:"life"`          // of the entry; 0 in one that was undone before it came
	Undone bool   `dynamo:"undone,omitempty"`
	TTL    int64  `dynamo:"ttl"`
}

// CheckItem refuses a damaged guard.
func (g *guardItem) CheckItem() error {
	if g.Life == 0 && !g.Undone || g.Life != 0 && len(g.New) != decided || len(g.Old) != 0 && len(g.Old) != decided {
		return fmt.Errorf("%w: it is not a guard", errDamaged)
	}
	return nil
}

// guard is the key of the attempt's guard. The entry's names are hashed: one Op may
// add to many entries.
func (a attempt) guard() store.Key {
	entry := sha256.Sum256([]byte(keys.Join(a.Board, a.period.name(), a.Player)))
	return store.Key{PK: keys.Join("G", a.Op.String(), base64.RawURLEncoding.EncodeToString(entry[:16])), SK: "G"}
}

// guardTTL outlasts every repeat that could be mistaken for a new operation, by more than
// clocks differ.
func (a attempt) guardTTL() int64 {
	if a.period.end.IsZero() {
		return a.Op.Time().Add(forgetOp + settle).Unix()
	}
	return a.period.end.Add(a.period.grace + forgetOp).Unix()
}

// answered is the first answer to an attempt that would now be refused.
func (r *Repository) answered(ctx context.Context, a attempt, refusal error) (answer, error) {
	if a.minted {
		return answer{}, refusal
	}
	var g guardItem
	err := r.table.Get(ctx, a.guard(), true, &g)
	switch {
	case errors.Is(err, plaza.ErrNotFound):
		return answer{}, refusal
	case err != nil:
		return answer{}, err
	case g.Print != a.print:
		return answer{}, plaza.ErrConflict
	case a.retracts && !g.Undone:
		return answer{}, refusal
	case a.retracts:
		return answer{repeated: true}, nil
	}
	e, err := r.readEntry(ctx, a)
	if err != nil {
		return answer{}, err
	}
	return r.answerOf(a, g, e)
}

// answerOf is the first answer to a submission that has a guard, by the entry as it was
// read after the guard.
func (r *Repository) answerOf(a attempt, g guardItem, e *entryItem) (answer, error) {
	switch {
	case g.Undone:
		return answer{}, ErrRetracted
	case g.Life != e.life():
		return answer{}, plaza.ErrRemoved
	}
	got, err := a.answerFor(a.keyOf(g.Old), a.keyOf(g.New))
	if err != nil {
		return answer{}, r.table.Corrupt(a.guard(), err.Error())
	}
	got.repeated = true
	return got, nil
}

// keyOf returns a key that begins with what a guard kept of it, nil if that is nothing.
func (a attempt) keyOf(known []byte) []byte {
	if len(known) == 0 {
		return nil
	}
	key := append(make([]byte, 0, prefixed+len(a.Player)), known...)
	return append(key[:prefixed], a.Player...)
}

// life is the entry's life, 0 for one that is not on the board or has seen no guarded
// operation.
func (e *entryItem) life() ids.ID {
	if e.Key == nil {
		return 0
	}
	return e.Life
}

// operation is a guarded attempt and its answer.
type operation struct {
	attempt
	under *guardBatch // nil while it waits; guarded by guardQueues.mu
	done  chan struct{}

	answered bool
	got      answer
	err      error

	known  knowledge // of its guard
	reread bool      // the entry was read after the guard was seen
}

// knowledge is what a refused transaction showed of a guard.
type knowledge struct {
	absent bool
	life   ids.ID // if it is there and was not undone
}

func (o *operation) answer(got answer, err error) { o.answered, o.got, o.err = true, got, err }
