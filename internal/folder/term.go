package folder

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/lease"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Term is what a folder that leads has in memory. One goroutine uses it.
type Term struct {
	*Folder
	gen, seq, blocks uint64 // the lease, and the last numbers given under it

	begun   bool              // since the last rebuild
	folded  map[string]*board // by name
	periods map[Name]*period
	unread  map[string]bool // boards that may have changed
	through time.Time       // a time up to which all changes were read

	loads   parallel.Group
	retired map[store.Key]time.Time // blocks to delete, and when
	swept   time.Time
}

// board is a board that is folded.
type board struct {
	name   string
	fold   int64         // as Boards.Fold
	absent map[Name]bool // periods that entries name but that do not exist
}

// rebuild forgets everything that was read.
func (t *Term) rebuild() {
	for _, p := range t.periods {
		p.drop()
	}
	t.begun = false
	t.folded, t.periods, t.unread = map[string]*board{}, map[Name]*period{}, map[string]bool{}
}

// forget drops a board, which may be nil, and its periods.
func (t *Term) forget(b *board) {
	if b == nil {
		return
	}
	delete(t.folded, b.name)
	for _, p := range t.periods {
		if p.board == b {
			t.remove(p)
		}
	}
}

func (t *Term) remove(p *period) {
	p.drop()
	delete(t.periods, p.Name)
}

// errLost ends leading: a folder with a later lease publishes.
var errLost = errors.New("leaderboard: another folder leads")

// lost is errLost with the gen of that folder's lease. A later lease must have a higher
// one.
func lost(gen uint64) error { return fmt.Errorf("%w: %w", errLost, &lease.StaleError{Gen: gen}) }

// survive reports an attempt, or returns its error if no other attempt can help.
func (t *Term) survive(ctx context.Context, a Attempt) error {
	switch {
	case a.Err != nil && ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(a.Err, plaza.ErrTable), errors.Is(a.Err, errLost):
		return a.Err
	}
	t.OnAttempt(a)
	return nil
}

// Above is how many keys the term has in memory before one; -1 if it does not have the
// period.
func (t *Term) Above(n Name, key []byte) int {
	p := t.periods[n]
	if p == nil || p.set == nil {
		return -1
	}
	return p.set.Above(key)
}
