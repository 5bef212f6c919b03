package notify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// RetractWatchers takes back what NotifyWatchers brought to all users who follow the object:
// the answer was removed. Pass what Retract needs, without a User. What is not delivered yet
// will not be, also if NotifyWatchers comes later: a delivery stops after its page of 100. Deliver
// or Run then retracts it for each user who follows the object. A user who stopped before
// that may keep it.
//
// changed is true if this call took it back. A repeat stores the work again, which changes
// nothing. An activity older than Options.Retention is left to expire.
//
// Cost: 2 requests, 2 WCU, 1 WCU more for each further KB; a process's first 1 request, 1 WCU
// more.
//
//plaza:cost a notification: 2 requests, 2 WCU
//plaza:cost each further KB: 1 WCU
//plaza:cost a process's first: 1 request, 1 WCU
func (r *Repository) RetractWatchers(ctx context.Context, object feed.Ref, n Notification) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.RetractWatchers")
	if err := r.checkWatchers(object, n); err != nil {
		return false, err
	}
	if changed, err = r.unwatch(ctx, object, n); err != nil {
		return false, fmt.Errorf("notify: retract for the watchers of %q: %w", object, err)
	}
	return changed, nil
}

// unwatch stores the mark first: without it, a delivery could go on after the walk.
func (r *Repository) unwatch(ctx context.Context, object feed.Ref, n Notification) (changed bool, err error) {
	if r.expired(n.Activity.ID) {
		return false, nil
	}
	op, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	job, err := r.newWatch(watchKey{n.Activity.ID, object, takesBack}, n, op)
	if err != nil {
		return false, err
	}
	if err := r.jobs.StoreShards(ctx); err != nil {
		return false, err
	}
	if changed, err = r.takeBack(ctx, job.Work.Key, op); err != nil {
		return false, err
	}
	_, err = r.storeJob(ctx, job)
	return changed && err == nil, err
}

// retraction is R#object / id: what was taken back for all watchers of an object. No
// notification of that id is stored for them.
type retraction struct {
	PK  string `dynamo:"pk"`
	SK  string `dynamo:"sk"`
	Op  ids.ID `dynamo:"op"` // of the call that took it back
	TTL int64  `dynamo:"ttl"`
}

// CheckItem refuses what no write of this package leaves.
func (t *retraction) CheckItem() error {
	if t.Op == 0 {
		return errors.New("op is zero")
	}
	return nil
}

func retractionKey(k watchKey) store.Key {
	return store.Key{PK: keys.Join("R", k.Object.String()), SK: k.ID.String()}
}

func (r *Repository) takeBack(ctx context.Context, k watchKey, op ids.ID) (changed bool, err error) {
	key := retractionKey(k)
	t := retraction{PK: key.PK, SK: key.SK, Op: op, TTL: k.ID.Time().Add(r.opts.Retention + time.Hour).Unix()} // longer than clocks differ
	err = r.table.Run(ctx, r.table.Put(t).If("attribute_not_exists(pk)"))
	refused, ok := store.AsRefused(err)
	if !ok {
		return err == nil, err
	}
	item, _ := refused.At(0)
	var stored retraction
	if err := r.table.Decode(item, &stored); err != nil && !r.table.Skips(err) {
		return false, err
	}
	return stored.Op == op, nil // the SDK may have sent it twice
}

// takenBack reports whether the notification was taken back. A damaged mark is one.
func (r *Repository) takenBack(ctx context.Context, k watchKey) (bool, error) {
	var t retraction
	err := r.table.Get(ctx, retractionKey(k), true, &t)
	switch {
	case errors.Is(err, plaza.ErrNotFound):
		return false, nil
	case r.table.Skips(err):
		return true, nil
	}
	return err == nil, err
}
