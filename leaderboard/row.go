package leaderboard

import (
	"bytes"
	"time"
)

// Row is a player's place in the standings.
type Row struct {
	Rank   Rank
	Player string
	Name   string // as last submitted with a score that stood
	Score  Score
	Sub    int64
	At     time.Time // when it was achieved
}

// Rank is a place counted from 1, the best.
type Rank struct {
	Ordinal     int64     // everybody has another: 1, 2, 3
	Competition int64     // equal scores and sub scores share one: 1, 1, 3
	AsOf        time.Time // when it was so
}

// rowItem is an item of the index.
type rowItem struct {
	Key  []byte `dynamo:"key"`
	Name string `dynamo:"name"`
}

func (i rowItem) player() string { return string(i.Key[prefixed:]) }

// row is the item without its rank.
func (o order) row(item rowItem) (Row, error) {
	at, err := o.parseKey(item.Key)
	return Row{Player: at.player, Name: item.Name, Score: at.score, Sub: at.sub, At: at.at}, err
}

// number ranks items that follow one another, the first of which has that
// rank.
func (o order) number(items []rowItem, rank Rank) ([]Row, error) {
	rows := make([]Row, len(items))
	for i, item := range items {
		var err error
		if rows[i], err = o.row(item); err != nil {
			return nil, err
		}
		if i > 0 {
			rank.Ordinal++
			if !tied(items[i-1].Key, item.Key) {
				rank.Competition = rank.Ordinal
			}
		}
		rows[i].Rank = rank
	}
	return rows, nil
}

// key is the row's in the index.
func (o order) key(row Row) []byte {
	return o.appendKey(make([]byte, 0, prefixed+len(row.Player)+1), standing{row.Score, row.Sub, row.At, row.Player})
}

// tied tells whether two keys have one score and sub score.
func tied(a, b []byte) bool {
	return len(a) >= decided && len(b) >= decided && bytes.Equal(a[:decided], b[:decided])
}
