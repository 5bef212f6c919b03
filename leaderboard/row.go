package leaderboard

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Standing is a player's place on a board.
type Standing struct {
	Position           // zero in the list of Hidden
	Player   string    `json:"player"`
	Name     string    `json:"name,omitzero"` // as last submitted with a score that was stored, or that equalled the stored one
	Score    Score     `json:"score"`
	Sub      int64     `json:"sub,omitzero"`
	At       time.Time `json:"at"` // when the score was achieved

	Meta json.RawMessage `json:"meta,omitzero"` // of the submission that brought the score
}

// Position is where an entry is on its board, counted from 1, the best.
type Position struct {
	Rank    int64     `json:"rank,omitzero"`    // the same for equal scores and sub scores: 1, 1, 3
	Ordinal int64     `json:"ordinal,omitzero"` // differs for everybody: 1, 2, 3
	AsOf    time.Time `json:"asOf,omitzero"`    // the time at which the position was true
	Folded  bool      `json:"folded,omitzero"`  // found in the numbers of a Folder, not by counting
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
