package leaderboard

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Projection is what a board shows of something that is stored elsewhere, such as an
// item of another table. Its entry belongs to that thing alone: no other Projection
// and no Submit may write it.
type Projection struct {
	Board, Player string

	Score Score
	Sub   int64 // as in a Submission

	// Version rises with each write of the source: a counter that it holds, or the
	// time of the write. It is not 0. A source that is deleted and written again
	// continues with a higher one.
	Version uint64

	// Gone takes the entry off the board. It wins over an equal Version. If it is set,
	// only Board, Player, Version and At matter.
	Gone bool

	// At is when the score was achieved, which decides the period. On a board that
	// resets it is required, and the source must hold it. Defaults to now.
	At time.Time

	Name string          // up to MaxName bytes; "" is no name
	Meta json.RawMessage // up to MaxMeta bytes
}

// Apply makes the player's entry what the projection says, name and Meta included,
// unless the entry has seen its Version or a newer one. So projections may come in
// any order and any number of times. changed is true only if this call wrote the
// entry. Options.Refuse is not called.
//
// The board must allow Set. A period that is over is ErrClosed. An entry that is
// Gone leaves its Version for 30 days, so that an older Projection does not bring it
// back.
//
// Cost: 1 request, 3 WCU for each KB of the entry; 1 WCU if the Version is outdated.
//
//plaza:cost apply: 1 request, 3 WCU
//plaza:cost the first score, or Gone: 1 request, 2 WCU
//plaza:cost outdated: 1 request, 1 WCU
//plaza:cost a board to read, a period to open: as Submit
func (r *Repository) Apply(ctx context.Context, p Projection) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Apply")
	return r.project(ctx, p, time.Time{})
}

// project is Apply, with a default for At.
func (r *Repository) project(ctx context.Context, p Projection, at time.Time) (changed bool, err error) {
	if err := p.check(); err != nil {
		return false, err
	}
	if changed, err = r.applyProjection(ctx, p, at); err != nil {
		return false, fmt.Errorf("leaderboard: project version %d of %q to %q: %w", p.Version, p.Player, p.Board, err)
	}
	return changed, nil
}

func (p Projection) check() error {
	if p.Version == 0 {
		return &plaza.InvalidError{Field: "Version", Reason: "is zero"}
	}
	return p.submission().Validate()
}

func (p Projection) submission() Submission {
	s := Submission{Board: p.Board, Player: p.Player, Operator: Set, Version: p.Version, At: p.At}
	if !p.Gone {
		s.Score, s.Sub, s.Name, s.Meta = p.Score, p.Sub, p.Name, p.Meta
	}
	return s
}

func (r *Repository) applyProjection(ctx context.Context, p Projection, at time.Time) (changed bool, err error) {
	b, err := r.board(ctx, p.Board)
	if err != nil {
		return false, err
	}
	if p.At.IsZero() {
		if b.Cron != "" {
			return false, errNoAt
		}
		p.At = at
	}
	a, err := r.accept(ctx, p.submission())
	if err != nil {
		return false, err
	}
	fits := attempt.fits
	if p.Gone {
		fits = func(a attempt) error { return a.board.checkAllows(a.Operator) }
	}
	if a, _, err = r.prepare(ctx, a, fits); err != nil { // a new Op has no first answer
		return false, err
	}
	var e *entryItem // nil means not read
	for range maxContests {
		if p.Gone {
			err = r.table.Run(ctx, r.gone(a))
		} else {
			err = r.table.Run(ctx, r.projected(a, e))
		}
		refused, ok := store.AsRefused(err)
		if !ok {
			return err == nil, err
		}
		if e, err = refusedEntry(r.table, refused); err != nil {
			return false, err
		}
		sent := e.LastOp == a.Op || e.Removed == a.Op // the SDK sent it twice
		if sent || p.Gone || e.Version >= a.Version {
			return sent, nil
		}
	}
	return false, plaza.ErrBusy
}

var errNoAt error = &plaza.InvalidError{Field: "At", Reason: "is not given, and the board resets"}

// projected replaces all that an entry shows. It is not what a Set does: the time of
// an equal score and an absent name are the source's too, so that the entry does not
// depend on which versions came before. The entry is nil if it was not read.
func (r *Repository) projected(a attempt, e *entryItem) *store.Update {
	at := place{a.Score, a.Sub, a.At, a.Player}
	at.score, _ = a.board.clamped(a.Score) // which fits has checked
	update := r.table.Update(a.entry()).
		SetExpr(nextRev, int64(a.Op), 1, a.call).
		Set("lastOp", a.Op).
		Set("print", a.print).
		Set("version", a.Version).
		Remove("prev")
	a.setScore(update, e, at.score, at.sub, a.board.appendKey(nil, at))
	for name, value := range map[string]string{"name": a.Name, "meta": string(a.Meta)} {
		if value != "" {
			update.Set(name, value)
		} else {
			update.Remove(name)
		}
	}
	return update.If("attribute_not_exists('version') OR 'version' < ?", a.Version)
}

// forgetGone is how long the mark of an entry that is gone stays: longer than a record
// can be old, by more than clocks differ.
const forgetGone = forgetErased + settle

// gone reduces an entry to what Erase would leave of it, marked as removed.
func (r *Repository) gone(a attempt) *store.Put {
	key := a.entry()
	return r.table.Put(erasedItem{
		PK: key.PK, SK: key.SK,
		Removed: a.Op, Gone: true, Version: a.Version, TTL: a.now.Add(forgetGone).Unix(),
	}).If("attribute_not_exists('version') OR 'version' < ? OR 'version' = ? AND attribute_exists('key')", a.Version, a.Version)
}
