package notify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/work"
)

// NotifyWatchers stores a notification, whose User is empty, for all users who follow the object's
// text in Options.Watchers. Deliver or Run notifies each as Notify does: the Policy decides for
// each, and the actor is left out. Channels besides the list go to Options.Scheduler alone. Users
// who follow the object from this call until the delivery are notified. Users who begin or stop
// following in between may be notified.
//
// The object and the activity's ID are the identity. Until the notification is delivered, a
// repeat changes nothing, and another notification under that identity is
// plaza.ErrConflict. Later a repeat is delivered again, as a repeat of Notify for each
// user. An activity older than Options.Retention is dropped. created is true if this call
// stored the notification. RetractWatchers takes it back.
//
// Cost: 1 request, 1 WCU for each KB; a process's first 1 request, 1 WCU more.
func (r *Repository) NotifyWatchers(ctx context.Context, object feed.Ref, n Notification) (created bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify.Repository.NotifyWatchers")
	if err := r.checkWatchers(object, n); err != nil {
		return false, err
	}
	if created, err = r.storeWatch(ctx, object, n); err != nil {
		return created, fmt.Errorf("notify: watchers of %q: %w", object, err)
	}
	return created, nil
}

func (r *Repository) checkWatchers(object feed.Ref, n Notification) error {
	if r.opts.Watchers == nil {
		return errNoWatchers()
	}
	name := object.String()
	if parsed, err := feed.ParseRef(name); err != nil || parsed != object || keys.CheckName("Object", name) != nil {
		return &plaza.InvalidError{Field: "Object", Reason: "is not a Ref whose text has 1 to 256 bytes"}
	}
	if n.User != "" {
		return &plaza.InvalidError{Field: "User", Reason: "is not empty: the watchers are notified"}
	}
	n.User = name // in place of any watcher
	_, _, err := r.event(n)
	return err
}

func errNoWatchers() error {
	return &plaza.InvalidError{Field: "Options.Watchers", Reason: "is nil"}
}

func (r *Repository) storeWatch(ctx context.Context, object feed.Ref, n Notification) (created bool, err error) {
	if r.expired(n.Activity.ID) {
		return false, nil
	}
	op, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	job, err := r.newWatch(watchKey{ID: n.Activity.ID, Object: object}, n, op)
	if err != nil {
		return false, err
	}
	if err := r.jobs.StoreShards(ctx); err != nil {
		return false, err
	}
	return r.storeJob(ctx, job)
}

func (r *Repository) storeJob(ctx context.Context, job watchJob) (created bool, err error) {
	err = r.table.Run(ctx, r.table.Put(job).If("attribute_not_exists(pk)"))
	refused, ok := store.AsRefused(err)
	if !ok {
		return err == nil, err
	}
	var stored watchJob
	item, _ := refused.At(0)
	if err := r.table.Decode(item, &stored); err != nil {
		return false, err
	}
	if stored.Work.watched != job.Work.watched {
		return false, plaza.ErrConflict
	}
	return stored.Work.Op == job.Work.Op, nil // the SDK may have sent it twice
}

func (r *Repository) newWatch(key watchKey, n Notification, op ids.ID) (watchJob, error) {
	activity, err := encodeActivity(n.Activity)
	return watchJob{
		Key: store.Key{PK: r.jobs.Place(key.ID.String()), SK: key.String()},
		Work: watchItem{
			Key: key, watched: watched{activity, n.CountBy, n.Critical}, Op: op,
			TTL: key.ID.Time().Add(r.opts.Retention).Unix(),
		},
	}, err
}

type watchJob = work.Job[watchItem]

// watchItem is J#shard / id#object: a notification that not all watchers have yet.
// J#shard / id#object#hash is the same for one watcher, who could not be notified with
// the others. J#shard / id#object#- and J#shard / id#object#-hash take it back.
type watchItem struct {
	Key watchKey `dynamo:"sk"`
	watched
	Op     ids.ID `dynamo:"op"`               // of the call that stored it
	Cursor string `dynamo:"cursor,omitempty"` // into the walk of the watchers
	User   string `dynamo:"user,omitempty"`   // the one watcher
	TTL    int64  `dynamo:"ttl"`              // when every Notify would drop it
}

// watched is a notification without its user.
type watched struct {
	Activity string  `dynamo:"activity"` // JSON
	CountBy  CountBy `dynamo:"countBy,omitempty"`
	Critical bool    `dynamo:"critical,omitempty"`
}

func (w watched) notification() (Notification, error) {
	a, err := decodeActivity(w.Activity)
	return Notification{Activity: a, CountBy: w.CountBy, Critical: w.Critical}, err
}

// CheckItem refuses what cannot be delivered.
func (w *watchItem) CheckItem() error {
	n, err := w.notification()
	switch {
	case err != nil:
		return err
	case n.Activity.ID != w.Key.ID:
		return errors.New("has another activity")
	case strings.TrimPrefix(w.Key.One, takesBack) != hashOf(w.User):
		return errors.New("has another watcher")
	}
	return n.checkEvent()
}

func jobPK(shard int) string { return keys.Join("J", strconv.Itoa(shard)) }

// jobShardsKey is the key of the item that holds the number of job shards.
var jobShardsKey = store.Key{PK: keys.Join("J"), SK: "shards"}

// watchKey sorts jobs by activity.
type watchKey struct {
	ID     ids.ID
	Object feed.Ref
	One    string // takesBack or not, and hashOf the one watcher
}

// takesBack begins One of a job that retracts.
const takesBack = "-"

func (k watchKey) retracts() bool { return strings.HasPrefix(k.One, takesBack) }

// hashOf keeps a key within DynamoDB's bound, however long the user's name is.
func hashOf(user string) string {
	if user == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(user))
	return hex.EncodeToString(sum[:16])
}

func (k watchKey) String() string {
	parts := []string{k.ID.String(), k.Object.String()}
	if k.One != "" {
		parts = append(parts, k.One)
	}
	return keys.Join(parts...)
}

func (k watchKey) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

func (k *watchKey) UnmarshalText(text []byte) (err error) {
	parts := keys.Split(string(text))
	if len(parts) != 2 && len(parts) != 3 {
		return fmt.Errorf("has %d parts", len(parts))
	}
	if k.ID, err = ids.Parse(parts[0]); err != nil {
		return err
	}
	if k.Object, err = feed.ParseRef(parts[1]); err != nil {
		return err
	}
	if len(parts) == 3 {
		k.One = parts[2]
	}
	if k.String() != string(text) {
		return errors.New("is escaped in another way")
	}
	return keys.CheckID("id", k.ID)
}

// jobLease is how long other workers leave a job alone while a worker has it, and
// after a failure.
const jobLease = 30 * time.Second

func (r *Repository) expired(id ids.ID) bool {
	return !r.opts.Now().Before(id.Time().Add(r.opts.Retention))
}
