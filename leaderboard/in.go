package leaderboard

import (
	"context"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// In names the standings that a call is about. An unknown board is
// plaza.ErrNotFound, and so is a period that never began or is no longer kept. If
// nobody has submitted to the current period and this machine lacks the board's
// zone, a call returns plaza.ErrUnavailable.
//
// A call that takes an In costs more where the process must read the board: 2 requests,
// 2 RCU every Options.Refresh, and each time while nobody has submitted to the current
// period; 1 request, 1 RCU for an old period. With RankByFold, ranks and counts cost
// more where the process must read the published numbers: 1 request a second, 0.5 RCU
// for each 4 KB of 33 KB for 10 million players; and 1 request, 1 RCU once for each part
// of about 70,000 players.
type In struct {
	Board  string
	Period string // as in a Result or a Period; "" is the current one
}

func (in In) check() error {
	if err := keys.CheckName("Board", in.Board); err != nil || in.Period == "" {
		return err
	}
	if _, ok := parsePeriod(in.Period); !ok {
		return &plaza.InvalidError{Field: "Period", Reason: "is not the name of a period"}
	}
	return nil
}

// checkPage checks a request before anything is read.
func (in In) checkPage(req cursor.PageRequest) error {
	if err := in.check(); err != nil {
		return err
	}
	_, err := store.Limit(req.Limit, cursor.DefaultLimit, cursor.MaxLimit)
	return err
}

func (in In) wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("leaderboard: %s %q %q: %w", what, in.Board, in.Period, err)
}

// standings finds the standings of a checked In. They are empty if nobody has
// submitted to the current period.
func (r *Repository) standings(ctx context.Context, in In) (standings, error) {
	b, err := r.board(ctx, in.Board)
	if err != nil {
		return standings{}, err
	}
	now := r.opts.Now()
	p, err := r.periodIn(ctx, b, in.Period, now)
	if err != nil {
		return standings{}, fmt.Errorf("period: %w", err)
	}
	s := standings{table: r.table, ranker: counting{}, board: b, period: p, now: now}
	if b.Ranking == RankByFold {
		s.ranker = folded{cache: r.folds, fold: b.fold}
	}
	return s, nil
}

func (r *Repository) periodIn(ctx context.Context, b *board, name string, now time.Time) (period, error) {
	if name == "" {
		p, _, err := r.period(ctx, b, now)
		return p, err
	}
	start, _ := parsePeriod(name)
	p, known := r.knownPeriod(b, start)
	if !known {
		var err error
		if p, err = r.storedPeriod(ctx, b, start); err != nil {
			return period{}, err
		}
		r.keepPeriod(b, p)
	}
	if !p.start.Equal(start) || p.expired(now) {
		return period{}, plaza.ErrNotFound
	}
	return p, nil
}

func (r *Repository) storedPeriod(ctx context.Context, b *board, start time.Time) (period, error) {
	var item periodItem
	err := r.table.Get(ctx, periodKey(b.Name, start), true, &item)
	return item.period(), err
}

func checkPlayer(in In, player string) error {
	if err := in.check(); err != nil {
		return err
	}
	return keys.CheckName("Player", player)
}
