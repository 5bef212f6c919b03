package leaderboard

import (
	"context"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

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
// Every call that takes an In costs more where the process must read the board: 2
// requests, 2 RCU every Options.Refresh; 2 requests, 2 RCU each time while nobody
// has submitted to the current period; 1 request, 1 RCU for an old period. With
// RankByFold, a call that finds ranks or counts costs more where the process must read
// what was published of the period: 1 request every second, 0.5 RCU for each 4 KB,
// which are 33 KB for 10 million players; and once for each part of about 70,000
// players, 1 request, 1 RCU for each 4 KB.
type In struct {
	Board  string
	Period string // as in a Result or a Period; "" is the current one
}

func (in In) check() error {
	if err := keys.CheckName("Board", in.Board); err != nil || in.Period == "" {
		return err
	}
	if _, ok := parsePeriod(in.Period); !ok {
		return &plaza.InvalidError{Field: "Period", Reason: "is no name of a period"}
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

// parsePeriod returns the start of a period from its name.
func parsePeriod(name string) (start time.Time, ok bool) {
	start, err := time.Parse(periodLayout, name)
	return start, err == nil && period{start: start}.name() == name
}

func (in In) wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("leaderboard: %s %q %q: %w", what, in.Board, in.Period, err)
}

// standings are the entries of one period of a board, in their order.
type standings struct {
	table  *store.Table
	ranker ranker
	board  *board
	period period
	now    time.Time
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

func (p period) expired(now time.Time) bool { return p.ttl != 0 && p.ttl <= now.Unix() }

func (r *Repository) storedPeriod(ctx context.Context, b *board, start time.Time) (period, error) {
	var item periodItem
	err := r.table.Get(ctx, periodKey(b.Name, start), true, &item)
	return item.period(), err
}

// scope binds cursors to a list of these standings.
func (s standings) scope(list, filter string) cursor.Scope {
	return cursor.Scope{List: "leaderboard/" + list, Partition: keys.Join(s.board.Name, s.period.name()), Filter: filter}
}

// entry reads the entry of a player who is neither removed nor hidden, strongly
// consistent.
func (s standings) entry(ctx context.Context, player string) (entryItem, error) {
	e, err := s.stored(ctx, player)
	if err == nil && !s.shows(e) {
		err = plaza.ErrNotFound
	}
	return e, err
}

// stored reads the entry of a player, strongly consistent.
func (s standings) stored(ctx context.Context, player string) (entryItem, error) {
	var item dynamo.Item
	if err := s.table.Get(ctx, entryKey(player, s.board.Name, s.period), true, &item); err != nil {
		return entryItem{}, err
	}
	return s.read(player, item)
}

// read decodes the entry of a player.
func (s standings) read(player string, item dynamo.Item) (entryItem, error) {
	var e entryItem
	if err := s.table.Decode(item, &e); err != nil || e.Key == nil {
		return e, err
	}
	if _, err := s.board.placeOf(e.Key, player); err != nil {
		return e, s.table.Corrupt(store.KeyOf(item), err.Error())
	}
	return e, nil
}

// item returns an entry as its row in the index should be.
func (s standings) item(player string, e entryItem) rowItem {
	key := entryKey(player, s.board.Name, s.period)
	i := rowItem{PK: key.PK, SK: key.SK, Key: e.Key, Name: e.Name, Meta: e.Meta}
	i.read(s.board, key.SK)
	return i
}

// shows reports whether the entry is neither removed nor hidden.
func (s standings) shows(e entryItem) bool {
	return e.Key != nil && e.Part != hiddenPart(s.board.Name, s.period)
}
