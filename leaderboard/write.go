package leaderboard

import (
	"context"
	"math"

	"github.com/plaza-sdk/plaza/internal/store"
)

// write writes an effect. e is nil if the entry was not read. A refusal has the stored
// entry.
func (r *Repository) write(ctx context.Context, a attempt, e *entryItem, next effect) (got answer, refused *store.Refused, err error) {
	update := r.update(a, e, next)
	var written writtenKeys
	if e == nil {
		err = r.table.Run(ctx, store.Returning{Update: a.unseen(update, next.key), Out: &written})
	} else {
		err = r.table.Run(ctx, e.unchanged(update, a))
	}
	refused, ok := store.AsRefused(err)
	switch {
	case ok:
		return answer{}, refused, nil
	case err != nil || e != nil:
		return next.answer, nil, err
	}
	got, err = a.answerFor(written.Prev, written.Key)
	return got, nil, err
}

// writtenKeys are the keys of an updated entry: the present one, and the one before.
type writtenKeys struct {
	Key  []byte `dynamo:"key"`
	Prev []byte `dynamo:"prev"`
}

// update returns the update for an effect on an entry, nil if it was not read.
func (r *Repository) update(a attempt, e *entryItem, next effect) *store.Update {
	update := r.table.Update(a.entry()).SetExpr(nextRev, int64(a.Op), 1, a.call)
	if next.writes >= writeName {
		update.SetExpr("prev = if_not_exists('key', ?), lastOp = ?, print = ?", []byte{}, a.Op, int64(a.print))
		if next.writes == writeName || a.Name != "" {
			update.Set("name", a.Name)
		}
	}
	if next.writes == writeScore {
		a.setScore(update, e, next.score, a.Sub, next.key).Set("meta", string(a.Meta))
	}
	switch {
	case a.Version > 0: // no operations are remembered
		update.Set("version", a.Version)
	case !a.board.bestOnly():
		update.Set("ops", next.ops)
	}
	return update
}

// setScore sets a score, and what every entry on a board has beside it. The entry is nil
// if it was not read.
func (a attempt) setScore(update *store.Update, e *entryItem, score Score, sub int64, key []byte) *store.Update {
	a.setPart(update, e, score)
	update.Set("score", score).Set("key", key)
	if sub != 0 {
		update.Set("sub", sub)
	} else {
		update.Remove("sub")
	}
	if a.period.ttl != 0 {
		return update.Set("ttl", a.period.ttl)
	}
	return update.Remove("ttl") // an erased entry has one
}

// setPart sets the part of an entry that enters the standings, and removes that of one
// that the board leaves out. Otherwise the part stays: it is the entry's shard, and says
// whether it is hidden.
func (a attempt) setPart(update *store.Update, e *entryItem, score Score) {
	away := hiddenPart(a.Board, a.period)
	switch {
	case !a.board.leavesOut(score):
		update.SetExpr("part = if_not_exists(part, ?)", a.part)
	case e != nil && e.Part == away:
		update.If("part = ?", away)
	default:
		update.Remove("part").If("attribute_not_exists(part) OR part <> ?", away)
	}
}

// nextRev starts the revisions of a new entry at the id of its first operation, and its
// memory of Hide, Unhide and Remove at that of its first call. So an entry that was erased
// and created again refuses what came before.
const nextRev = "rev = if_not_exists(rev, ?) + ?, managed = if_not_exists(managed, ?)"

// unseen makes the update conditional: the score must be better, or the version newer
// and the score different.
func (a attempt) unseen(update *store.Update, key []byte) *store.Update {
	if a.Version > 0 {
		update.If("attribute_not_exists('version') OR 'version' < ?", a.Version).
			If("attribute_not_exists('key') OR NOT begins_with('key', ?)", key[:decided])
	} else {
		update.If("attribute_not_exists('key') OR 'key' > ? AND size('key') = ?", worse(key), len(key)) // or the stored key is damaged
	}
	return update.
		If("attribute_not_exists(lastOp) OR lastOp <> ?", a.Op).
		If("attribute_not_exists(removed) OR removed < ?", a.Op)
}

// worse returns the bound between the keys that this key beats and all others. It is
// above every time of an equal score, and its last byte begins no player's name.
func worse(key []byte) []byte {
	bound := append(make([]byte, 0, prefixed+1), key[:decided]...)
	for len(bound) < cap(bound) {
		bound = append(bound, math.MaxUint8)
	}
	return bound
}

// unchanged makes the update conditional on the entry as it was read. The revision
// alone is not enough, because the same operation may create an erased entry again.
func (e entryItem) unchanged(update *store.Update, a attempt) *store.Update {
	if e.Rev == 0 {
		return update.If("attribute_not_exists(rev) AND (attribute_not_exists(removed) OR removed < ?)", a.Op)
	}
	update.If("rev = ?", e.Rev)
	if e.LastOp != 0 {
		update.If("lastOp = ?", e.LastOp)
	}
	if len(e.Ops) > 0 {
		update.If("ops = ?", e.Ops)
	}
	return update
}

// refusedEntry returns the entry that refused an update.
func refusedEntry(t *store.Table, refused *store.Refused) (*entryItem, error) {
	e := new(entryItem)
	item, _ := refused.At(0)
	if item == nil {
		return e, nil
	}
	return e, t.Decode(item, e)
}
