package follow

import (
	"context"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// mend makes the edge whole or ends what is left of it. An edge that needs
// two steps counts once.
func (r *Repository) mend(ctx context.Context, s suspect) (mended Drift, err error) {
	for range turns {
		p, err := r.partsOf(ctx, s)
		if err != nil {
			return mended, err
		}
		cure := p.cure()
		if cure == whole {
			return mended, nil
		}
		tx, err := r.cureTx(ctx, p, cure)
		if err != nil {
			return mended, err
		}
		err = r.table.Run(ctx, tx)
		if _, changed := store.AsRefused(err); changed {
			continue
		}
		if err != nil {
			return mended, err
		}
		if mended == (Drift{}) {
			mended = cure.drift()
		}
	}
	return mended, plaza.ErrBusy
}

// cureTx writes one item of the edge under the condition that all three are
// as they were seen. It raises a version of both users, of the followee that
// of the shard whose list changes, so that a Check or Repair of either
// notices.
func (r *Repository) cureTx(ctx context.Context, p parts, c cure) (*dynamo.WriteTx, error) {
	tx := r.table.Tx()
	shard := p.curedShard(c)
	for i, piece := range p.pieces(shard) {
		seen, args := "attribute_not_exists(pk)", []any(nil)
		if piece.seen != "" {
			seen, args = "$ = ?", []any{piece.attribute, piece.seen}
		}
		switch {
		case cure(i) != c.piece():
			tx.Check(r.table.Check(piece.key).If(seen, args...))
		case c.drops():
			tx.Delete(r.table.Delete(piece.key).If(seen, args...))
		default:
			tx.Put(r.table.Put(piece.item).If(seen, args...))
		}
	}
	counted := r.table.Update(counterKey(p.Followee, 0)).Add("ver", 1)
	var err error
	switch c {
	case putFollower:
		counted, err = r.countRestored(ctx, p, shard)
	case dropFollower:
		counted = r.table.Update(counterKey(p.Followee, shard)).Add("ver", 1)
	}
	return tx.Update(counted).Update(r.table.Update(counterKey(p.Follower, 0)).Add("ver", 1)), err
}

// countRestored counts a shard of the followee's list together with the
// follower that is put back into it.
func (r *Repository) countRestored(ctx context.Context, p parts, shard int) (*dynamo.Update, error) {
	counters, err := r.counters(ctx, p.Followee, true)
	if err != nil {
		return nil, err
	}
	want := counterItem{Shard: shardNo(shard)}
	at := slices.IndexFunc(counters, func(c counterItem) bool { return c.Shard == want.Shard })
	if at >= 0 {
		want = counters[at]
	} else if shard > 0 {
		if err := r.openShard(ctx, p.Followee, shard); err != nil {
			return nil, err
		}
	}
	want.Followers, err = countEdges(r.followers(ctx, p.Followee, shard))
	if p.followers[shard] == "" {
		want.Followers++
	}
	return r.correctionOf(p.Followee, want), err
}
