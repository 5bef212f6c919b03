package leaderboard

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Standing is a player's place on a board.
type Standing struct {
	Rank             // none in the list of Hidden
	Player string    `json:"player"`
	Name   string    `json:"name,omitzero"` // as last submitted with a score that stood or equalled it
	Score  Score     `json:"score"`
	Sub    int64     `json:"sub,omitzero"`
	At     time.Time `json:"at"` // when the score was achieved

	Meta json.RawMessage `json:"meta,omitzero"` // of the submission that brought the score
}

// Rank is a place counted from 1, the best.
type Rank struct {
	Ordinal     int64     `json:"ordinal,omitzero"` // differs for everybody: 1, 2, 3
	Competition int64     `json:"rank,omitzero"`    // is the same for equal scores and sub scores: 1, 1, 3
	AsOf        time.Time `json:"asOf,omitzero"`    // when it was so
}

// rowItem is an item of the index. A damaged one keeps its place among the others,
// so that ranks agree with counts.
type rowItem struct {
	item   store.Key
	key    []byte
	name   string
	meta   string
	at     place // by key
	damage error // why it is not shown
}

// UnmarshalDynamoItem accepts every item. What is wrong goes into damage.
func (i *rowItem) UnmarshalDynamoItem(item dynamo.Item) error {
	i.item = store.KeyOf(item)
	if key, ok := item["key"].(*types.AttributeValueMemberB); ok {
		i.key = key.Value
	}
	i.damage = store.Fields(item, func(name string) any {
		switch name {
		case "name":
			return &i.name
		case "meta":
			return &i.meta
		}
		return nil
	})
	return nil
}

// read decodes the key of an item whose sort key should be sk, or else sets its
// damage.
func (i *rowItem) read(b *board, sk string) {
	player, err := playerOf(i.item.PK)
	switch {
	case i.damage != nil:
	case err != nil:
		i.damage = err
	case i.item.SK != sk:
		i.damage = errPlace
	default:
		i.at, i.damage = b.placeOf(i.key, player)
	}
	if i.damage == nil {
		i.damage = checkShown(i.name, i.meta)
	}
}

// rankedRow is an item with its rank.
type rankedRow struct {
	rowItem
	rank Rank
}

// number ranks consecutive items, the first of which has the given rank.
func number(items []rowItem, rank Rank) []rankedRow {
	rows := make([]rankedRow, len(items))
	for i, item := range items {
		if i > 0 {
			rank.Ordinal++
			if !tied(items[i-1].key, item.key) {
				rank.Competition = rank.Ordinal
			}
		}
		rows[i] = rankedRow{item, rank}
	}
	return rows
}

func (p rankedRow) row() Standing {
	row := Standing{Rank: p.rank, Player: p.at.player, Name: p.name, Score: p.at.score, Sub: p.at.sub, At: p.at.at}
	if p.meta != "" {
		row.Meta = json.RawMessage(p.meta)
	}
	return row
}

// shown leaves out damaged items, and reports them.
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
	return i.damage != nil && s.table.Skips(s.table.Corrupt(i.item, i.damage.Error()))
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
