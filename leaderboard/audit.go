package leaderboard

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// audit compares the entries of a period with what should be.
type audit struct {
	ladder
	broken  []auditItem
	lagging int
}

func (a audit) drift() Drift { return Drift{Broken: len(a.broken), Lagging: a.lagging} }

func (r *Repository) audit(ctx context.Context, in In) (audit, error) {
	s, err := r.ladder(ctx, in)
	if err != nil {
		return audit{}, err
	}
	entries, err := store.Scan[auditItem](ctx, r.table, entryKey("", in.Board, s.period).SK)
	if err != nil {
		return audit{}, err
	}
	a := audit{ladder: s}
	if err := a.reopen(ctx, r); err != nil {
		return audit{}, err
	}
	index, err := a.index(ctx)
	if err != nil {
		return audit{}, err
	}
	for _, e := range entries {
		player := e.player()
		row, indexed := index[player]
		delete(index, player)
		switch stands := e.Key != nil; {
		case a.mended(e).differs(e):
			a.broken = append(a.broken, e)
		case stands != indexed, stands && !row.shows(e):
			a.lagging++
		}
	}
	a.lagging += len(index) // of entries that are gone
	return a, nil
}

// reopen reads the period anew, so that it has the shards of all entries seen
// so far.
func (a *audit) reopen(ctx context.Context, r *Repository) (err error) {
	p, err := r.storedPeriod(ctx, a.board, a.period.start)
	if errors.Is(err, plaza.ErrNotFound) {
		return nil // nobody submitted yet
	}
	a.period = p
	return err
}

// parts of the index are all that are read.
func (a audit) parts() []string {
	parts := []string{hiddenPart(a.board.Name, a.period)}
	for shard := range a.period.shards {
		parts = append(parts, shardPart(a.board.Name, a.period, shard))
	}
	return parts
}

// index reads who is shown, by player.
func (a audit) index(ctx context.Context) (map[string]auditItem, error) {
	index := map[string]auditItem{}
	for _, part := range a.parts() {
		rows, err := store.QueryIndex[auditItem](ctx, a.table, ranking, store.IndexSpan{Partition: part})
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			index[row.player()] = row
		}
	}
	return index, nil
}

// auditItem is an entry, or what the index has of it.
type auditItem struct {
	PK    string `dynamo:"pk"`
	Score string `dynamo:"score"`
	entryItem
}

func (i auditItem) player() string { return keys.Split(i.PK)[1] }

// shows tells whether a row of the index is that of the entry.
func (i auditItem) shows(e auditItem) bool {
	return bytes.Equal(i.Key, e.Key) && i.Part == e.Part && i.Name == e.Name
}

func (i auditItem) differs(e auditItem) bool {
	return !bytes.Equal(i.Key, e.Key) || i.Part != e.Part || i.Score != e.Score
}

// mended is the entry as it should be. The key has the last word; where it
// cannot be read, the text of the score. An entry that has neither does not
// stand.
func (a audit) mended(e auditItem) auditItem {
	at, err := a.board.parseKey(e.Key)
	if err != nil || at.player != e.player() {
		at = standing{at: e.LastOp.Time(), player: e.player()}
		at.score, err = ParseScore(e.Score)
	}
	if e.Key == nil || err != nil || at.score.kind != a.board.Kind {
		e.Key, e.Part, e.Score = nil, "", ""
		return e
	}
	e.Key, e.Score = a.board.appendKey(nil, at), at.score.String()
	if !slices.Contains(a.parts(), e.Part) {
		e.Part = partOf(at.player, a.board.Name, a.period, a.now)
	}
	return e
}
