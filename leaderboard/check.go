package leaderboard

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/folder"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Drift is what is wrong with the entries of a period and with the index. The
// zero Drift means that nothing is wrong.
type Drift struct {
	// Broken entries are damaged, contradict themselves, or are stored where
	// nobody reads them. Lists leave the damaged ones out; counts and ranks
	// include them. Repair fixes them.
	Broken int `json:"broken"`
	// Lagging players differ between the index and their entries. The index catches up
	// without a repair.
	Lagging int `json:"lagging"`
	// Misfolded counts the entries by which a Folder's published numbers differ from the
	// index, in parts of the board that did not change during the check. It is at least
	// 1 if the numbers cannot be read. Repair makes the Folder read the period again.
	Misfolded int `json:"misfolded"`
}

// Check compares the entries of a period with the index, and the index with the numbers
// that a Folder published. It changes nothing, and holds the period in memory. It is
// exact once nobody writes and the Folder has published all changes. A damaged period
// or definition is plaza.ErrCorrupt: Repair fixes the period, Define the definition.
//
// Cost: 1 request, 1 RCU; 1 request for each MB of the whole table, 1 RCU for each 4
// KB; as Count for the index.
//
//plaza:cost the period: 1 request, 1 RCU
//plaza:cost the index, hidden players included: as Count
//plaza:cost by the fold, what is published of up to 4 KB, more: 2 requests, 2 RCU
//plaza:cost by the fold, each block of about 70,000 entries, more: 1 request, 1 RCU
func (r *Repository) Check(ctx context.Context, in In) (Drift, error) {
	ctx = plaza.WithOperation(ctx, "leaderboard.Repository.Check")
	if err := in.check(); err != nil {
		return Drift{}, err
	}
	a, err := r.audit(ctx, in)
	return a.drift(), in.wrap("check", err)
}

// audit is a comparison of a period's entries with the index and themselves.
type audit struct {
	standings
	op        ids.ID // later than every operation on the entries
	broken    []dynamo.Item
	lagging   int
	misfolded int
}

func (a audit) drift() Drift {
	return Drift{Broken: len(a.broken), Lagging: a.lagging, Misfolded: a.misfolded}
}

func (r *Repository) audit(ctx context.Context, in In) (audit, error) {
	s, err := r.standings(ctx, in)
	if err != nil {
		return audit{}, err
	}
	entries, err := store.Scan[dynamo.Item](ctx, r.table, entryKey("", in.Board, s.period).SK)
	if err != nil {
		return audit{}, err
	}
	a := audit{standings: s}
	if a.op, err = r.gen.Next(ctx); err != nil {
		return audit{}, err
	}
	if err := a.reopen(ctx, r); err != nil {
		return audit{}, err
	}
	before, err := a.leaves(ctx)
	if err != nil {
		return audit{}, err
	}
	index, err := a.index(ctx)
	if err != nil {
		return audit{}, err
	}
	after, err := a.leaves(ctx)
	if err != nil {
		return audit{}, err
	}
	a.misfolded = folder.Differ(before, after, a.shownKeys(index))
	for _, entry := range entries {
		key := store.KeyOf(entry)
		row, indexed := index[key]
		delete(index, key)
		switch e := readableEntry(entry); {
		case !a.whole(entry):
			a.broken = append(a.broken, entry)
		case indexed != e.onBoard(), indexed && !row.shows(e):
			a.lagging++
		}
	}
	a.lagging += len(index) // rows of entries that no longer exist
	return a, nil
}

// reopen reads the period again, to learn the shards of all entries seen so far.
func (a *audit) reopen(ctx context.Context, r *Repository) (err error) {
	p, err := r.storedPeriod(ctx, a.board, a.period.start)
	if errors.Is(err, plaza.ErrNotFound) {
		return nil // nobody submitted yet
	}
	a.period = p
	return err
}

// leaves reads what a Folder published of the period.
func (a audit) leaves(ctx context.Context) (folder.Leaves, error) {
	f, ok := a.ranker.(folded)
	if !ok {
		return folder.Leaves{}, nil
	}
	return f.cache.Leaves(ctx, a.name(), f.fold)
}

// parts are the partitions of the index that readers use.
func (a audit) parts() []string {
	parts := []string{hiddenPart(a.board.Name, a.period)}
	for shard := range a.period.shards {
		parts = append(parts, shardPart(a.board.Name, a.period, shard))
	}
	return parts
}

// index reads the period's index, by entry.
func (a audit) index(ctx context.Context) (map[store.Key]indexed, error) {
	index := map[store.Key]indexed{}
	for _, part := range a.parts() {
		rows, err := store.QueryIndex[rowItem](ctx, a.table, ranking, store.IndexSpan{Partition: part})
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			index[row.item()] = indexed{row, part}
		}
	}
	return index, nil
}

// shownKeys are the keys of the rows that are not hidden.
func (a audit) shownKeys(index map[store.Key]indexed) (keys []string) {
	away := hiddenPart(a.board.Name, a.period)
	for _, row := range index {
		if row.part != away {
			keys = append(keys, string(row.Key))
		}
	}
	return keys
}

// indexed is a row of the index, and its partition.
type indexed struct {
	rowItem
	part string
}

// shows reports whether the row agrees with the entry.
func (i indexed) shows(e entryItem) bool {
	return bytes.Equal(i.Key, e.Key) && i.part == e.Part && i.Name == e.Name && i.Meta == e.Meta
}

func (a audit) whole(entry dynamo.Item) bool { return reflect.DeepEqual(a.fixed(entry), entry) }

// fixed returns the entry as it should be, or nil if there should be none.
//
// The score comes from the key or, if the key is damaged, from the text. Without
// either, the player is removed from the board. Other damaged attributes are removed,
// or replaced so that nothing is applied twice or comes back: if the remembered
// operations are lost, every operation up to now is ErrOpTooOld, and a removal whose
// time is lost counts as having happened now.
func (a audit) fixed(entry dynamo.Item) dynamo.Item {
	player, err := playerOf(store.KeyOf(entry).PK)
	if err != nil {
		return nil
	}
	want := maps.Clone(entry)
	damaged := unreadable(entry)
	for _, name := range damaged {
		delete(want, name)
	}
	e := readableEntry(want)
	text, _ := want["score"].(*types.AttributeValueMemberS)
	at, err := a.board.placeOf(e.Key, player)
	if err != nil && entry["key"] != nil && text != nil {
		at = place{sub: subOf(want), at: e.LastOp.Time(), player: player}
		if at.score, err = ParseScore(text.Value); at.score.kind != a.board.Kind {
			err = errScore
		}
	}
	placed := err == nil
	if !placed {
		for _, name := range []string{"key", "part", "score", "sub", "prev", "meta", "life"} {
			delete(want, name)
		}
	} else {
		want["key"] = &types.AttributeValueMemberB{Value: a.board.appendKey(nil, at)}
		want["score"] = &types.AttributeValueMemberS{Value: at.score.String()}
		if delete(want, "sub"); at.sub != 0 {
			want["sub"] = &types.AttributeValueMemberN{Value: strconv.FormatInt(at.sub, 10)}
		}
		switch {
		case a.board.leavesOut(at.score) && e.Part != hiddenPart(a.board.Name, a.period):
			delete(want, "part")
		case !slices.Contains(a.parts(), e.Part):
			want["part"] = &types.AttributeValueMemberS{Value: partOf(player, a.board.Name, a.period, a.now)}
		}
		if len(e.Prev) > 0 {
			if _, err := a.board.placeOf(e.Prev, player); err != nil {
				delete(want, "prev")
			}
		}
	}
	now := &types.AttributeValueMemberS{Value: a.op.String()}
	if slices.Contains(damaged, "ops") {
		want["ops"] = &types.AttributeValueMemberB{Value: ops{floor: a.op}.bytes()}
	}
	if slices.Contains(damaged, "removed") && !placed {
		want["removed"] = now
	}
	if slices.Contains(damaged, "print") || placed && e.LastOp == 0 {
		delete(want, "print")
		want["lastOp"] = now
	}
	if slices.Contains(damaged, "rev") {
		want["rev"] = &types.AttributeValueMemberN{Value: strconv.FormatInt(int64(a.op), 10)}
	}
	a.fixTTL(want)
	return want
}

// subOf is the sub score beside the text of an entry's score.
func subOf(entry dynamo.Item) (sub int64) {
	if n, ok := entry["sub"].(*types.AttributeValueMemberN); ok {
		sub, _ = strconv.ParseInt(n.Value, 10, 64)
	}
	return sub
}

// fixTTL makes an entry expire with its period. An erased entry has its own ttl.
func (a audit) fixTTL(want dynamo.Item) {
	ttl := a.period.ttl
	switch {
	case isErased(want) && want["ttl"] != nil:
		return
	case isErased(want):
		ttl = a.now.Add(forgetErased).Unix()
	case ttl == 0:
		delete(want, "ttl")
		return
	}
	want["ttl"] = &types.AttributeValueMemberN{Value: strconv.FormatInt(ttl, 10)}
}
