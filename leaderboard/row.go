package leaderboard

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Standing is a player's place on a board.
type Standing struct {
	Position           // zero in the list of Hidden
	Player   string    `json:"player"`
	Name     string    `json:"name,omitzero"` // as last submitted with a score that stood or equalled it
	Score    Score     `json:"score"`
	Sub      int64     `json:"sub,omitzero"`
	At       time.Time `json:"at"` // when the score was achieved

	Meta json.RawMessage `json:"meta,omitzero"` // of the submission that brought the score
}

// Position is where an entry is on its board, counted from 1, the best.
type Position struct {
	Rank    int64     `json:"rank,omitzero"`    // the same for equal scores and sub scores: 1, 1, 3
	Ordinal int64     `json:"ordinal,omitzero"` // differs for everybody: 1, 2, 3
	AsOf    time.Time `json:"asOf,omitzero"`    // when it was so
	Folded  bool      `json:"folded,omitzero"`  // by what a Folder published, otherwise by counting
}

// rowItem is an item of the index. A damaged one keeps its place among the others,
// so that ranks agree with counts.
type rowItem struct {
	PK   string `dynamo:"pk"`
	SK   string `dynamo:"sk"`
	Key  []byte `dynamo:"key"`
	Name string `dynamo:"name"`
	Meta string `dynamo:"meta"`

	at     place // by Key
	damage error // if not nil, the row is not shown
}

// UnmarshalDynamoItem accepts every item, and stores an error in damage.
func (i *rowItem) UnmarshalDynamoItem(item dynamo.Item) error {
	i.damage = store.UnmarshalItem(item, i)
	return nil
}

func (i *rowItem) item() store.Key { return store.Key{PK: i.PK, SK: i.SK} }

// read decodes the key of an item whose sort key should be sk, or else sets its
// damage.
func (i *rowItem) read(b *board, sk string) {
	player, err := playerOf(i.PK)
	switch {
	case i.damage != nil:
	case err != nil:
		i.damage = err
	case i.SK != sk:
		i.damage = errPlace
	default:
		i.at, i.damage = b.placeOf(i.Key, player)
	}
	if i.damage == nil {
		i.damage = checkShown(i.Name, i.Meta)
	}
}

// rankedRow is an item with its position.
type rankedRow struct {
	rowItem
	position Position
}

// number ranks consecutive items. The first one has the given position.
func number(items []rowItem, position Position) []rankedRow {
	rows := make([]rankedRow, len(items))
	for i, item := range items {
		if i > 0 {
			position.Ordinal++
			if !tied(items[i-1].Key, item.Key) {
				position.Rank = position.Ordinal
			}
		}
		rows[i] = rankedRow{item, position}
	}
	return rows
}

func (p rankedRow) row() Standing {
	row := Standing{Position: p.position, Player: p.at.player, Name: p.Name, Score: p.at.score, Sub: p.at.sub, At: p.at.at}
	if p.Meta != "" {
		row.Meta = json.RawMessage(p.Meta)
	}
	return row
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

// tied reports whether two keys have equal scores and sub scores.
func tied(a, b []byte) bool {
	return len(a) >= decided && len(b) >= decided && bytes.Equal(a[:decided], b[:decided])
}

// playerOf reads the partition key of an entry.
func playerOf(pk string) (string, error) {
	parts := keys.Split(pk)
	if len(parts) != 2 || keys.CheckName("Player", parts[1]) != nil || playerPK(parts[1]) != pk {
		return "", errPlace
	}
	return parts[1], nil
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
