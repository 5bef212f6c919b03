package feed

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Publish stores the activity with the job that delivers it, in one
// transaction, and delivers it to up to Options.InlineFollowers followers.
// After it returns nil, every follower gets the activity: Run or Deliver
// finishes the rest. If the owner is Pulled, nothing is delivered to its
// followers: their homes read the outbox.
//
// If the ID is repeated, Publish returns the activity as it is stored. If the
// ForeignID is in use, it returns the activity that has it, under another ID. Created
// reports whether this call stored the activity. The ID is set even if there is
// an error.
//
// If one of the outboxes has another activity under the ID, even a removed one of another
// owner, that is plaza.ErrConflict, and nothing is stored. A removed activity is
// plaza.ErrRemoved, an ID more than 10 s ahead of Options.Now plaza.ErrInvalid. If the
// graph's table is wrong, that is plaza.ErrTable, though the activity is stored.
//
// An activity whose ID is older than Options.Retention is history: it is stored
// in the outboxes but not delivered.
//
// Cost: 1 transaction, 4 WCU, then Deliver's and 1 request, 1 WCU to end the job; 2 WCU
// more with a ForeignID and for each To.
//
//plaza:cost the transaction: 1 transaction, 4 WCU
//plaza:cost the end of the job: 1 request, 1 WCU
//plaza:cost a ForeignID: 2 WCU
//plaza:cost each To: 2 WCU
//plaza:cost the delivery: as Repository.Deliver
//plaza:cost by a Pulled owner with no To: 3 requests, 5 WCU, 1 RCU
//plaza:cost a process's first: 1 request, 1 WCU
//plaza:cost history: 1 transaction, 2 WCU
func (o Outbox) Publish(ctx context.Context, a Activity) (_ Activity, created bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed.Outbox.Publish")
	if err := o.check(); err != nil {
		return a, false, err
	}
	if err := o.checkActivity(a); err != nil {
		return a, false, err
	}
	if a, err = o.identified(ctx, a); err != nil {
		return a, false, err
	}
	stored, created, err := o.publish(ctx, a, o.r.opts.InlineFollowers)
	if err != nil {
		return a, created, fmt.Errorf("feed: publish %v to %q: %w", a.ID, o.owner, err)
	}
	return stored, created, nil
}

// checkActivity refuses what the outbox cannot publish. The ID may be zero, as
// before minting.
func (o Outbox) checkActivity(a Activity) error {
	if err := a.Validate(); err != nil {
		return err
	}
	if err := o.checkOwner(a); err != nil {
		return err
	}
	if a.ID != 0 {
		if err := keys.CheckNewID("ID", a.ID, o.r.opts.Now()); err != nil {
			return err
		}
	}
	if slices.Contains(a.To, o.owner) {
		return &plaza.InvalidError{Field: "To", Reason: "includes the outbox itself"}
	}
	return nil
}

func (o Outbox) checkOwner(a Activity) error {
	if a.Owner != "" && a.Owner != o.owner {
		return &plaza.InvalidError{Field: "Owner", Reason: "differs from the outbox's"}
	}
	return nil
}

// identified fills in the ID, the owner and the time.
func (o Outbox) identified(ctx context.Context, a Activity) (Activity, error) {
	if a.ID == 0 {
		var err error
		if a.ID, err = o.r.gen.Next(ctx); err != nil {
			return a, err
		}
	}
	if err := keys.CheckID("ID", a.ID); err != nil {
		return a, err
	}
	a.Owner = o.owner
	return a.timed(), nil
}

// publish delivers to up to inline followers before it returns.
func (o Outbox) publish(ctx context.Context, a Activity, inline int) (stored Activity, created bool, err error) {
	job, err := o.r.newJob(a)
	if err != nil {
		return a, false, err
	}
	call, err := o.r.gen.Next(ctx) // not the ID, which an activity before an Erase may have had
	if err != nil {
		return a, false, err
	}
	history := o.r.expired(a.ID)
	if history {
		inline = 0
	} else if err := o.r.jobs.StoreShards(ctx); err != nil {
		return a, false, err
	}
	if inline > 0 {
		job.Lease = o.r.jobs.NewLease()
	}
	var guarded ids.ID // the id in the foreign id's guard, if that activity is gone
	for range maxTries {
		tx := o.publishTx(a, call, guarded, job.Work.About)
		if !history {
			tx.Put(o.r.table.Put(job))
		}
		err := o.r.table.Run(ctx, tx)
		if err == nil {
			return a, true, o.r.deliverInline(ctx, job, inline)
		}
		refused, ok := store.AsRefused(err)
		if !ok {
			return a, false, err
		}
		if item, failed := refused.At(0); failed {
			stored, err := o.r.repeated(a, item)
			if err == nil {
				err = o.r.deliverRepeated(ctx, job, inline)
			}
			return stored, false, err
		}
		item, failed := refused.At(1 + len(a.To))
		if !failed || a.ForeignID == "" {
			return a, false, plaza.ErrConflict // an outbox of To has another activity under the id
		}
		var guard foreignItem
		if err := o.r.table.Decode(item, &guard); err != nil {
			return a, false, err
		}
		first, err := o.get(ctx, guard.ID, true)
		if err != nil && !errors.Is(err, plaza.ErrNotFound) || first.Owner == o.owner {
			return first, false, err
		}
		guarded = guard.ID
	}
	return a, false, plaza.ErrBusy
}

// publishTx stores the activity, its references in the outboxes of To, and the
// guard of its foreign id.
func (o Outbox) publishTx(a Activity, call, guarded ids.ID, about string) *store.Tx {
	t := o.r.table
	item := newActivityItem(a)
	item.About, item.Edit = about, store.Mark{Op: call, Call: call}
	tx := t.Tx().Put(t.Put(item).If("attribute_not_exists(pk)"))
	for _, to := range a.To {
		// A reference of this owner may be left over from an Erase.
		tx.Put(t.Put(activityItem{PK: outboxPK(to), ID: a.ID, Owner: o.owner, About: about}).If("attribute_not_exists(pk) OR 'owner' = ?", o.owner))
	}
	if a.ForeignID != "" {
		key := foreignKey(o.owner, a.ForeignID)
		tx.Put(t.Put(foreignItem{PK: key.PK, SK: key.SK, ID: a.ID}).If("attribute_not_exists(pk) OR id = ?", guarded.String()))
	}
	return tx
}

// repeated is the result of a publish whose id is in use.
func (r *Repository) repeated(a Activity, item dynamo.Item) (Activity, error) {
	var stored activityItem
	if err := r.table.Decode(item, &stored); err != nil {
		return a, err
	}
	switch {
	case stored.Owner != "": // a reference to another owner's activity
		return a, plaza.ErrConflict
	case stored.Hash == nil: // removed before it was published
		return a, plaza.ErrRemoved
	case !bytes.Equal(stored.Hash, a.hash()):
		return a, plaza.ErrConflict
	case stored.Removed != 0:
		return a, plaza.ErrRemoved
	}
	return stored.activity(), nil
}

// maxPublishes is the most activities of one PublishMany.
const maxPublishes = 1000

// PublishMany publishes up to 1,000 activities, for an import. It handles each as
// Publish does, but leaves delivery to Run or Deliver. They deliver to everybody
// who follows by then, whatever the CopyLimit. It mints IDs in the order of as.
//
// The results have that order. Each has its activity's ID, even with an Err. If some
// failed, the error is a *plaza.PartialError; after any other error none is stored and
// there are no results. An ID or ForeignID that appears twice is plaza.ErrInvalid.
//
// Repeating it with the activities of the results is harmless if none was edited
// since. An import that may be killed should set ForeignIDs, or its own IDs
// (ids.Backdate), so that a repeat finds its activities.
//
// Cost: 1 transaction, 4 WCU for each activity, up to Options.Parallel at once; 2 WCU
// more with a ForeignID and for each To; then Deliver's.
//
//plaza:cost each activity: 1 transaction, 4 WCU
//plaza:cost each ForeignID: 2 WCU
//plaza:cost each To: 2 WCU
//plaza:cost a process's first: 1 request, 1 WCU
//plaza:cost each activity of history: 1 transaction, 2 WCU
func (o Outbox) PublishMany(ctx context.Context, as []Activity) ([]plaza.Result[Activity], error) {
	ctx = plaza.WithOperation(ctx, "feed.Outbox.PublishMany")
	if err := o.checkMany(as); err != nil {
		return nil, err
	}
	results := make([]plaza.Result[Activity], len(as))
	for i, a := range as {
		var err error
		if results[i].Value, err = o.identified(ctx, a); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(results, func(result plaza.Result[Activity]) bool { return !o.r.expired(result.Value.ID) }) {
		if err := o.r.jobs.StoreShards(ctx); err != nil {
			return nil, fmt.Errorf("feed: publish %d to %q: %w", len(as), o.owner, err)
		}
	}
	// Each activity has its own transaction and job. One transaction for a
	// batch would save half the units, but one refused activity would fail the
	// others, and none could be repeated alone.
	var halted halt
	group := parallel.New()
	group.SetLimit(o.r.opts.Parallel)
	for i := range results {
		group.Go(func() error {
			o.publishResult(ctx, &results[i], &halted)
			return nil
		})
	}
	_ = group.Wait()
	return results, parallel.Failed(results)
}

// publishResult publishes the result's activity, unless an earlier error halts it.
func (o Outbox) publishResult(ctx context.Context, result *plaza.Result[Activity], halted *halt) {
	a, err := result.Value, halted.reason(ctx)
	if err == nil {
		err = parallel.Catch(func() (err error) { a, result.Changed, err = o.publish(ctx, a, 0); return err })
	}
	if err != nil {
		halted.note(err)
		result.Err = fmt.Errorf("feed: publish %v to %q: %w", result.Value.ID, o.owner, err)
		return
	}
	result.Value = a
}

func (o Outbox) checkMany(as []Activity) error {
	if err := cmp.Or(o.check(), args.Count("Activities", len(as), "activities", maxPublishes)); err != nil {
		return err
	}
	given, foreign := map[ids.ID]bool{}, map[string]bool{}
	for i, a := range as {
		err := o.checkActivity(a)
		switch {
		case err != nil:
		case a.ID != 0 && given[a.ID]:
			err = &plaza.InvalidError{Field: "ID", Reason: "is there twice"}
		case a.ForeignID != "" && foreign[a.ForeignID]:
			err = &plaza.InvalidError{Field: "ForeignID", Reason: "is there twice"}
		}
		var invalid *plaza.InvalidError
		if errors.As(err, &invalid) {
			return &plaza.InvalidError{Field: fmt.Sprintf("Activities[%d].%s", i, invalid.Field), Reason: invalid.Reason}
		}
		given[a.ID], foreign[a.ForeignID] = true, true
	}
	return nil
}
