package leaderboard

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/folder"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// foldedBoards are the boards that a Folder follows.
type foldedBoards struct{ r *Repository }

func (b foldedBoards) Now() time.Time { return b.r.opts.Now() }

func (b foldedBoards) Folded(ctx context.Context) (names []string, err error) {
	all, err := store.Query[definitionItem](ctx, b.r.table, store.Span{PK: definitionsPK, Ascending: true, Consistent: true})
	for _, item := range all {
		if item.Ranking == RankByFold {
			names = append(names, item.Name)
		}
	}
	return names, err
}

func (b foldedBoards) Fold(ctx context.Context, board string) (int64, error) {
	item, err := b.r.definition(ctx, board)
	if errors.Is(err, plaza.ErrNotFound) {
		return 0, nil
	}
	return item.Fold, err
}

func (b foldedBoards) Periods(ctx context.Context, board string) ([]folder.Period, error) {
	stored, err := store.Query[periodItem](ctx, b.r.table, store.Span{PK: periodsPK(board), Ascending: true, Consistent: true})
	all := make([]folder.Period, len(stored))
	for i, item := range stored {
		all[i] = foldedPeriod(board, item.period())
	}
	return all, err
}

func (b foldedBoards) Period(ctx context.Context, n folder.Name) (folder.Period, error) {
	start, _ := parsePeriod(n.Period)
	var item periodItem
	err := b.r.table.Get(ctx, periodKey(n.Board, start), true, &item)
	return foldedPeriod(n.Board, item.period()), err
}

func foldedPeriod(board string, p period) folder.Period {
	f := folder.Period{Name: folder.Name{Board: board, Period: p.name()}, Final: p.due(), Expires: p.ttl}
	if !p.end.IsZero() {
		f.Closes = p.end.Add(p.grace)
	}
	for shard := range p.shards {
		f.Parts = append(f.Parts, shardPart(board, p, shard))
	}
	return f
}

func (b foldedBoards) Board(key store.Key) (string, bool) {
	if key.PK == definitionsPK {
		return key.SK, true
	}
	parts := keys.Split(key.PK)
	if len(parts) != 2 || key.PK != periodsPK(parts[1]) {
		return "", false
	}
	return parts[1], true
}

func (b foldedBoards) Shard(part string) (folder.Name, bool) {
	parts := keys.Split(part)
	if len(parts) != 3 {
		return folder.Name{}, false
	}
	_, ok := parsePeriod(parts[1])
	n, err := strconv.Atoi(parts[2])
	ok = ok && err == nil && n >= 0 && n < MaxShards && strconv.Itoa(n) == parts[2]
	return folder.Name{Board: parts[0], Period: parts[1]}, ok
}
