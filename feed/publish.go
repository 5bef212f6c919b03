package feed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Publish stores the activity with the job that delivers it, in one
// transaction, and delivers it to up to Options.InlineFollowers followers.
// Once it returns nil, every follower gets it: Run or Deliver finishes what
// is left.
//
// A repeat with the same ID returns the activity that stands; another
// activity under that ID is plaza.ErrConflict, a removed one
// plaza.ErrRemoved. Where the ForeignID is in use, the activity that has it
// is returned and nothing is stored. The ID is set beside an error too.
//
// 4 WCU, 2 more with a ForeignID, then Deliver's units and 1 to end the job.
// A process's first publish makes sure of the job shards with 1 WCU more.
func (o Outbox) Publish(ctx context.Context, a Activity) (Activity, error) {
	if err := o.check(); err != nil {
		return a, err
	}
	if err := a.check(); err != nil {
		return a, err
	}
	if a.ID == 0 {
		var err error
		if a.ID, err = o.r.gen.Next(ctx); err != nil {
			return a, err
		}
	}
	if a.Time.IsZero() {
		a.Time = a.ID.Time()
	}
	stored, err := o.publish(ctx, a)
	if err != nil {
		return a, fmt.Errorf("feed: publish %v to %q: %w", a.ID, o.owner, err)
	}
	return stored, nil
}

// The places of the writes in a publish.
const (
	activityWrite = iota
	jobWrite
	foreignWrite
)

func (o Outbox) publish(ctx context.Context, a Activity) (Activity, error) {
	if err := o.r.storeJobShards(ctx); err != nil {
		return a, err
	}
	job := o.r.newJob(o.owner, a.ID)
	var guarded ids.ID // what the foreign id's guard holds, if that is gone
	for range turns {
		err := o.r.table.Run(ctx, o.publishTx(a, job, guarded))
		if err == nil {
			o.r.deliverInline(ctx, job)
			return a, nil
		}
		refused, ok := store.AsRefused(err)
		if !ok {
			return a, err
		}
		if item, failed := refused.At(activityWrite); failed {
			stored, err := repeated(a, item)
			if err == nil {
				o.r.deliverRepeated(ctx, job)
			}
			return stored, err
		}
		item, failed := refused.At(foreignWrite)
		if !failed {
			return a, plaza.ErrConflict // another outbox has a job under this id
		}
		var guard foreignItem
		if err := dynamo.UnmarshalItem(item, &guard); err != nil {
			return a, err
		}
		first, err := o.get(ctx, guard.ID, true)
		if !errors.Is(err, plaza.ErrNotFound) {
			return first, err
		}
		guarded = guard.ID
	}
	return a, plaza.ErrBusy
}

func (o Outbox) publishTx(a Activity, job jobItem, guarded ids.ID) store.Write {
	const absent = "attribute_not_exists(pk)"
	t := o.r.table
	tx := t.Tx().
		Put(t.Put(newActivityItem(o.owner, a)).If(absent)).
		Put(t.Put(job).If(absent))
	if a.ForeignID != "" {
		key := foreignKey(o.owner, a.ForeignID)
		tx.Put(t.Put(foreignItem{PK: key.PK, SK: key.SK, ID: a.ID}).If("attribute_not_exists(pk) OR id = ?", guarded.String()))
	}
	return tx
}

// repeated is the answer to a publish whose id is in use.
func repeated(a Activity, item dynamo.Item) (Activity, error) {
	var stored activityItem
	if err := dynamo.UnmarshalItem(item, &stored); err != nil {
		return a, err
	}
	switch {
	case !bytes.Equal(stored.Hash, a.hash()):
		return a, plaza.ErrConflict
	case stored.Removed != 0:
		return a, plaza.ErrRemoved
	}
	return stored.activity(), nil
}

// Update replaces what the activity a.ID says: its actor, verb, object,
// target, time and data. Its ForeignID stays; another one given is
// plaza.ErrConflict. Every home shows the new text at its next consistent
// read. An unknown activity is plaza.ErrNotFound, a removed one
// plaza.ErrRemoved.
//
// 1 WCU per KB, whatever the number of followers.
func (o Outbox) Update(ctx context.Context, a Activity) (Activity, error) {
	if err := o.check(); err != nil {
		return a, err
	}
	if err := checkID(a.ID); err != nil {
		return a, err
	}
	if err := a.check(); err != nil {
		return a, err
	}
	shown := a.Time
	if shown.Equal(a.ID.Time()) {
		shown = time.Time{}
	}
	update := o.r.table.Update(activityKey(o.owner, a.ID)).
		Set("actor", a.Actor).
		Set("verb", a.Verb).
		Set("object", a.Object).
		Set("target", a.Target).
		Set("data", string(a.Data)).
		If("attribute_exists(pk) AND attribute_not_exists(removed)")
	if shown.IsZero() {
		update.Remove("time")
	} else {
		update.Set("time", shown)
	}
	if a.ForeignID != "" {
		update.If("foreignId = ?", a.ForeignID)
	}
	var stored activityItem
	err := o.r.table.Run(ctx, store.Returning{Update: update, Out: &stored})
	if refused, ok := store.AsRefused(err); ok {
		item, _ := refused.At(0)
		switch {
		case item == nil:
			err = plaza.ErrNotFound
		case item["removed"] != nil:
			err = plaza.ErrRemoved
		default:
			err = plaza.ErrConflict
		}
	}
	if err != nil {
		return a, fmt.Errorf("feed: update %v of %q: %w", a.ID, o.owner, err)
	}
	return stored.activity(), nil
}

// Remove takes the activity out of the outbox and, at their next consistent
// read, out of all homes. It reports whether this call did: false for one
// that is unknown or removed before. A tombstone refuses late repeats of the
// publish for 30 days.
//
// 1 WCU per KB, whatever the number of followers.
func (o Outbox) Remove(ctx context.Context, id ids.ID) (removed bool, err error) {
	if err := o.check(); err != nil {
		return false, err
	}
	if err := checkID(id); err != nil {
		return false, err
	}
	removal, err := o.r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	update := o.r.table.Update(activityKey(o.owner, id)).
		Remove("actor", "verb", "object", "target", "time", "data").
		Set("removed", removal).
		Set("ttl", o.r.opts.Now().Add(tombstoneLife).Unix()).
		If("attribute_exists(pk) AND attribute_not_exists(removed)")
	err = o.r.table.Run(ctx, update)
	if refused, ok := store.AsRefused(err); ok {
		item, _ := refused.At(0)
		var stands activityItem
		if item == nil {
			return false, nil
		}
		err = dynamo.UnmarshalItem(item, &stands)
		return stands.Removed == removal, err // the SDK may have sent it twice
	}
	if err != nil {
		return false, fmt.Errorf("feed: remove %v of %q: %w", id, o.owner, err)
	}
	return true, nil
}

// RemoveForeign removes the activity that has the foreign id, which is then
// free again.
//
// One read more than Remove: 1 RCU.
func (o Outbox) RemoveForeign(ctx context.Context, foreignID string) (removed bool, err error) {
	if err := o.check(); err != nil {
		return false, err
	}
	if err := checkForeignID(foreignID); err != nil {
		return false, err
	}
	var guard foreignItem
	err = o.r.table.Get(ctx, foreignKey(o.owner, foreignID), true, &guard)
	if errors.Is(err, plaza.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("feed: remove foreign id of %q: %w", o.owner, err)
	}
	return o.Remove(ctx, guard.ID)
}
