package folder

import (
	"context"
	"errors"
	"fmt"

	"github.com/plaza-sdk/plaza"
)

// readBoards reads the boards that may have changed.
func (t *Term) readBoards(ctx context.Context) error {
	for name := range t.unread {
		if err := t.readBoard(ctx, name); err != nil {
			if err = t.survive(ctx, Attempt{Board: name, Err: fmt.Errorf("leaderboard: fold %q: %w", name, err)}); err != nil {
				return err
			}
			continue
		}
		delete(t.unread, name)
	}
	return nil
}

func (t *Term) readBoard(ctx context.Context, name string) error {
	fold, err := t.Boards.Fold(ctx, name)
	switch {
	case errors.Is(err, plaza.ErrCorrupt): // until Define
		return t.survive(ctx, Attempt{Board: name, Err: err})
	case err != nil:
		return err
	case fold == 0:
		return t.dropBoard(ctx, name)
	}
	b := t.folded[name]
	if b == nil || b.fold != fold {
		t.forget(b)
		b = &board{name: name, fold: fold, absent: map[Name]bool{}}
		t.folded[name] = b
	}
	return t.readPeriods(ctx, b)
}

// readPeriods learns of new periods, of those that changed, and of those that are gone.
func (t *Term) readPeriods(ctx context.Context, b *board) error {
	all, err := t.Boards.Periods(ctx, b.name)
	if err != nil {
		return err
	}
	kept := map[Name]bool{}
	for _, p := range all {
		if p.expired(t.Boards.Now()) {
			continue
		}
		if kept[p.Name] = true; t.periods[p.Name] == nil {
			t.periods[p.Name] = &period{board: b}
			t.periods[p.Name].wait()
		}
		t.periods[p.Name].Period = p
	}
	for name, p := range t.periods {
		if p.board == b && !kept[name] {
			t.remove(p)
		}
	}
	return nil
}

// dropBoard stops following a board that is counted or gone, and deletes what was
// published of it.
func (t *Term) dropBoard(ctx context.Context, name string) error {
	b := t.folded[name]
	if b == nil {
		return nil
	}
	for _, p := range t.periods {
		if p.board != b {
			continue
		}
		if err := t.unpublish(ctx, p); err != nil {
			return err
		}
	}
	t.forget(b)
	return nil
}
