package leaderboard

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Repair mends what Check finds broken, and returns what Check would have. A
// second Repair finds nothing broken. Submit may go on meanwhile.
//
// Check's reads, and one request for each broken entry, up to 4 WCU.
func (r *Repository) Repair(ctx context.Context, in In) (Drift, error) {
	if err := in.check(); err != nil {
		return Drift{}, err
	}
	a, err := r.audit(ctx, in)
	if err != nil {
		return Drift{}, in.wrap("repair", err)
	}
	for _, e := range a.broken {
		if err := r.mend(ctx, a, e); err != nil {
			return Drift{}, in.wrap("repair", err)
		}
	}
	return a.drift(), nil
}

// mend writes an entry as it should be while it is as it was seen.
func (r *Repository) mend(ctx context.Context, a audit, e auditItem) error {
	for range turns {
		want := a.mended(e)
		if !want.differs(e) {
			return nil
		}
		err := r.table.Run(ctx, r.mending(want, a))
		refused, ok := store.AsRefused(err)
		if !ok {
			return err
		}
		item, _ := refused.At(0)
		if item == nil {
			return nil // erased
		}
		e = auditItem{}
		if err := dynamo.UnmarshalItem(item, &e); err != nil {
			return err
		}
		if err := a.reopen(ctx, r); err != nil {
			return err
		}
	}
	return plaza.ErrBusy
}

func (r *Repository) mending(want auditItem, a audit) *dynamo.Update {
	update := r.table.Update(entryKey(want.player(), a.board.Name, a.period)).Set("rev", want.Rev+1)
	if want.Key == nil {
		update.Remove("key", "part", "score")
	} else {
		update.Set("key", want.Key).Set("part", want.Part).Set("score", want.Score)
	}
	if want.Rev == 0 {
		return update.If("attribute_exists(pk) AND attribute_not_exists(rev)")
	}
	return want.stands(update)
}
