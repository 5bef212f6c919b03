package leaderboard

import (
	"bytes"
	"context"
	"math"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// standings are the entries of one period of a board, in their order.
type standings struct {
	table  *store.Table
	ranker ranker
	board  *board
	period period
	now    time.Time
}

// scope binds cursors to a list of these standings.
func (s standings) scope(list, filter string) cursor.Scope {
	return cursor.Scope{List: "leaderboard/" + list, Partition: keys.Join(s.board.Name, s.period.name()), Filter: filter}
}

// entry reads the entry of a player who is neither removed nor left out nor hidden, strongly
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

// shows reports whether the entry is neither removed nor left out nor hidden.
func (s standings) shows(e entryItem) bool {
	return e.onBoard() && e.Part != hiddenPart(s.board.Name, s.period)
}

// ranker finds places in the standings.
type ranker interface {
	// count returns how many keys lie between each two neighbouring bounds. The bounds
	// ascend. The Position has nothing but AsOf and Folded. A nil bound is an open end. No
	// other bound is an entry's key.
	count(ctx context.Context, s standings, bounds ...[]byte) ([]int64, Position, error)

	// seek returns a bound from which rows are read to reach a place: at most above
	// keys lie before it. A nil bound is the top.
	seek(ctx context.Context, s standings, above int64) (start, error)
}

// start is a place to read rows from.
type start struct {
	from   []byte
	before int64    // how many keys lie before it
	asOf   Position // with nothing but AsOf and Folded
}

// shown leaves out damaged items and reports them.
func (s standings) shown(items []rankedRow) []Standing {
	rows := make([]Standing, 0, len(items))
	for _, item := range items {
		if !s.skips(item.rowItem) {
			rows = append(rows, item.row())
		}
	}
	return rows
}

func (s standings) skips(i rowItem) bool {
	return i.damage != nil && s.table.Skips(s.table.Corrupt(i.item(), i.damage.Error()))
}

// If many rows are wanted, one request reads a shard's share of them, spare rows more
// since shards differ in size, and at most atOnce.
const (
	spare  = 128
	atOnce = 10_000
)

// rows reads the first Limit rows of a span over all shards. The span has no far end.
// Up to 128 rows take one request per shard.
func (s standings) rows(ctx context.Context, span store.IndexSpan) ([]rowItem, error) {
	items, _, err := s.round(ctx, span, math.MaxInt)
	return items, err
}

// round reads rows with a bounded number of rounds, each one request per shard. It may
// return fewer rows than rows does, and then reports more.
func (s standings) round(ctx context.Context, span store.IndexSpan, rounds int) (items []rowItem, more bool, err error) {
	want := span.Limit
	share := min(want, want/s.period.shards+spare, atOnce)
	read := make([]int, s.period.shards) // rows read of each shard
	items, rest, err := store.Union[rowItem]{
		Sources:   s.period.shards,
		Ascending: span.Ascending,
		Read: func(ctx context.Context, shard int, gap string) ([]rowItem, string, error) {
			part := span
			part.Partition = shardPart(s.board.Name, s.period, shard)
			part.Limit = share - read[shard]%share // a request may return less, at 1 MB
			switch {
			case gap == "":
			case span.Ascending:
				part.From = store.After([]byte(gap[:len(gap)-1]))
			default:
				part.To = []byte(gap)
			}
			items, rest, err := store.ReadIndex[rowItem](ctx, s.table, ranking, part)
			sk := entrySK(s.board.Name, s.period)
			for i := range items {
				items[i].read(s.board, sk)
			}
			read[shard] += len(items)
			return items, rest, err
		},
		Place:   func(i *rowItem) string { return string(i.Key) },
		Compare: func(a, b *rowItem) int { return bytes.Compare(a.Key, b.Key) },
	}.Rows(ctx, want, rounds)
	return items, rest != "", err
}

// count returns how many keys lie between two bounds, as ranker.count.
func (s standings) count(ctx context.Context, from, to []byte) (int64, error) {
	n, _, err := s.ranker.count(ctx, s, from, to)
	if err != nil {
		return 0, err
	}
	return n[0], nil
}

// rank returns the position of an entry with the key.
func (s standings) rank(ctx context.Context, key []byte) (Position, error) {
	bounds := [][]byte{nil, key[:min(len(key), decided)]}
	if len(key) > decided { // otherwise it is damaged, so nobody shares it
		bounds = append(bounds, before(key))
	}
	n, position, err := s.ranker.count(ctx, s, bounds...)
	if err != nil {
		return Position{}, err
	}
	position.Rank = n[0] + 1
	position.Ordinal = position.Rank
	for _, tied := range n[1:] {
		position.Ordinal += tied
	}
	return position, nil
}

// tiedAbove returns how many entries above have an equal score and sub score.
func (s standings) tiedAbove(ctx context.Context, key []byte) (int64, error) {
	if len(key) <= decided { // damaged, so nobody shares it
		return 0, nil
	}
	return s.count(ctx, key[:decided], before(key))
}
