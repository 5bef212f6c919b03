package feed

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/share"
	"github.com/plaza-sdk/plaza/internal/store"
)

// jobLease is how long other workers leave a job alone while a worker has it,
// and after a failure.
const jobLease = 30 * time.Second

// unpulledLife is how long a process remembers that a source is not Pulled;
// unpulledSize is how many such sources it remembers.
const (
	unpulledLife = 30 * time.Second
	unpulledSize = 10_000
)

// Attempt is a worker's attempt to deliver an activity to followers, or to finish a
// switch. If Owner is empty, the worker failed to look for such work.
type Attempt struct {
	Owner   string
	ID      ids.ID
	Switch  bool  // ID is that of a switch that SetPulled began, not of an activity
	Entries int   // home entries that it wrote; for a switch, homes that it changed
	Done    bool  // every follower has it; false if a later switch overtook this one
	Err     error // why it failed; it will be tried again
}

// Deliver finishes the deliveries that are waiting: those that a crash interrupted and
// those too large to be made inline. It also finishes the switches that SetPulled began.
// It returns how many activities and switches it finished. One that fails does not hold
// up the others and is left alone for 30 s. A damaged job stays where it is and is passed
// to Options.OnCorrupt.
//
// Cost: for each follower 1 WCU, 0.03 RCU, and 1 request for each 25; for a switch 1
// request, 1 WCU for each follower.
//
//plaza:cost each follower: 1 WCU, 0.03 RCU
//plaza:cost each 25 followers: 1 request
//plaza:cost each 1,000 followers of a shard: 1 request, 1 RCU
//plaza:cost each checkpoint, after 1,000 followers: 1 request, 1 WCU
//plaza:cost each source of an activity: 1 request, 1 RCU
//plaza:cost the modes of its sources: 1 request
//plaza:cost each source not found Pushed within 30 s: 1 RCU
//plaza:cost the followers of a Pulled source: none
//plaza:cost the claim and the end of a job: 2 requests, 2 WCU
//plaza:cost nothing to do: 5 requests, 2.5 RCU
//plaza:cost a switch: 3 requests, 4 RCU
//plaza:cost each follower, of a switch: 1 request, 1 WCU, 0.03 RCU
//plaza:cost each 1,000 followers, of a switch: 3 requests, 1 WCU, 1 RCU
//plaza:cost each home that already reads the outbox: 1 request, 1 WCU
//plaza:cost each home that forgets what has expired: 1 request, 1 WCU
//plaza:cost each home that forgets unfollows: 1 request, 0.5 RCU
//plaza:cost each unfollow that it forgets: 1 request, 1 RCU
//plaza:cost each further KB of a home's header: 1 WCU
func (r *Repository) Deliver(ctx context.Context) (delivered int, err error) {
	ctx = plaza.WithOperation(ctx, "feed.Repository.Deliver")
	return r.jobs.Pass(ctx, "", func(ctx context.Context, job deliveryJob) (bool, error) {
		return r.deliver(ctx, job, 0)
	})
}

// Run calls Deliver until ctx ends, and returns the context's error. A wrong table ends
// it too; it reports other errors to Options.OnAttempt and goes on. Any number of workers
// may run; each but the first on a busy shard costs up to 1 WCU an activity more. One that
// is stopped gives its job back within a second; the job of one that died is taken over
// after 30 s.
//
// Cost: every Options.Poll as Deliver, with nothing to do 5 requests, 2.5 RCU.
//
//plaza:cost nothing to do: 5 requests, 2.5 RCU
func (r *Repository) Run(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "feed.Repository.Run")
	return r.jobs.Run(ctx, r.opts.Poll, r.Deliver)
}

func (r *Repository) newJob(a Activity) (deliveryJob, error) {
	about, err := r.about(a)
	key := jobKey{CacheKey: CacheKey{a.Owner, a.ID}}
	return deliveryJob{
		Key:  store.Key{PK: r.jobs.Place(a.ID.String()), SK: key.String()},
		Work: jobItem{Key: key, To: a.To, About: about},
	}, err
}

// failed reports that the search for jobs failed.
func (r *Repository) failed(err error) error {
	err = fmt.Errorf("feed: deliver: %w", err)
	r.opts.OnAttempt(Attempt{Err: err})
	return err
}

// deliverInline delivers to the first followers on behalf of the publisher. The
// rest stays in the job, even after a failure, which is passed to OnAttempt. It
// returns only an error that retries cannot fix.
func (r *Repository) deliverInline(ctx context.Context, job deliveryJob, limit int) error {
	if limit <= 0 {
		return nil
	}
	if _, err := r.deliver(ctx, job, limit); errors.Is(err, plaza.ErrTable) {
		return err
	}
	return nil
}

// deliverRepeated delivers inline for an earlier publish whose answer was lost.
func (r *Repository) deliverRepeated(ctx context.Context, job deliveryJob, limit int) error {
	if limit <= 0 {
		return nil
	}
	if err := r.table.Get(ctx, job.Key, true, &job); err != nil {
		return nil //nolint:nilerr // already delivered, or Run will do it
	}
	return r.deliverInline(ctx, job, limit)
}

// deliver continues where the job stopped. It delivers to limit followers, or
// to all that are left if limit is 0.
func (r *Repository) deliver(ctx context.Context, job deliveryJob, limit int) (done bool, err error) {
	attempt := Attempt{Owner: job.Work.Key.Owner, ID: job.Work.Key.ID, Switch: job.Work.Switch}
	if attempt.Switch {
		attempt.Done, err = r.switchMode(ctx, &job, &attempt.Entries)
	} else {
		attempt.Done, err = r.deliverJob(ctx, &job, limit, &attempt.Entries)
	}
	if err != nil && ctx.Err() != nil {
		r.jobs.GiveBack(ctx, job)
	}
	if err != nil {
		attempt.Err = fmt.Errorf("feed: deliver %v of %q: %w", job.Work.Key.ID, job.Work.Key.Owner, err)
	}
	r.opts.OnAttempt(attempt)
	return attempt.Done, attempt.Err
}

func (r *Repository) deliverJob(ctx context.Context, job *deliveryJob, limit int, entries *int) (done bool, err error) {
	sources := append([]string{job.Work.Key.Owner}, job.Work.To...)
	// If a source becomes Pulled after this read, its followers still get a
	// delivery. If it is Pulled, homes find the activity in its outbox.
	pulled, err := r.pulled(ctx, sources[min(job.Work.At, len(sources)):])
	if err != nil {
		return false, err
	}
	for job.Work.At < len(sources) {
		size := deliveryPage
		if limit > 0 {
			size = limit - *entries
		}
		source := sources[job.Work.At]
		more, err := r.deliverPage(ctx, job, source, pulled[source], size, entries)
		if err != nil {
			return false, err
		}
		full := limit > 0 && *entries >= limit && job.Work.At < len(sources)
		if !more && !full {
			continue
		}
		progress := map[string]any{"at": job.Work.At, "cursor": job.Work.Cursor}
		if waits, err := r.jobs.Checkpoint(ctx, job, progress, full); err != nil || !waits || full {
			return false, err
		}
	}
	return true, r.jobs.End(ctx, *job)
}

// pulled returns which of the sources are Pulled. Those that it returns were read
// after the call began. It may miss some, because it remembers for a while that a
// source was not Pulled: delivering too much is harmless.
func (r *Repository) pulled(ctx context.Context, sources []string) (map[string]bool, error) {
	now := r.opts.Now()
	var unknown []string
	for _, source := range sources {
		read, ok := r.unpulled.Get(source)
		if !ok || !share.Fresh(read, now, unpulledLife) {
			unknown = append(unknown, source)
		}
	}
	pulled := map[string]bool{}
	if len(unknown) == 0 {
		return pulled, nil
	}
	headers, err := r.sources(ctx, unknown)
	if err != nil {
		return nil, err
	}
	for source, header := range headers {
		if header.Mode == Pulled {
			pulled[source] = true
		} else {
			r.unpulled.Add(source, now)
		}
	}
	return pulled, nil
}

// deliverPage delivers to one page of source's followers, or to none if source
// is Pulled, and advances the job. It reports whether source has more
// followers.
func (r *Repository) deliverPage(ctx context.Context, job *deliveryJob, source string, pulled bool, size int, entries *int) (more bool, err error) {
	var page cursor.Page[follow.Edge]
	if !pulled {
		if page, err = r.walk(ctx, source, job.Work.Cursor, size); err != nil {
			return false, err
		}
	}
	batch := make([]dynamo.Item, 0, len(page.Items)+1)
	for _, edge := range page.Items {
		batch = append(batch, r.newEntry(edge, job.Work.Key.CacheKey, job.Work.About))
	}
	if r.opts.OwnHome && job.Work.At == 0 && job.Work.Cursor == "" {
		self := follow.Edge{Follower: job.Work.Key.Owner, Followee: job.Work.Key.Owner}
		batch = append(batch, r.newEntry(self, job.Work.Key.CacheKey, job.Work.About))
	}
	if err := r.table.PutAll(ctx, batch, r.opts.Parallel); err != nil {
		return false, err
	}
	*entries += len(batch)
	job.Work.Cursor = string(page.Next)
	if page.Next == "" {
		job.Work.At++
	}
	return page.Next != "", nil
}

// newEntry is the home entry that edge brings. Writing it again changes
// nothing. The reader's own activities have the zero edge.
func (r *Repository) newEntry(edge follow.Edge, activity CacheKey, about string) dynamo.Item {
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	entry := dynamo.Item{
		"pk":  text(homePK(edge.Follower)),
		"sk":  text(entryKey{activity, edge.ID}.String()),
		"ttl": &types.AttributeValueMemberN{Value: strconv.FormatInt(r.expiry(activity.ID).Unix(), 10)},
	}
	if edge.Followee != activity.Owner {
		entry["source"] = text(edge.Followee)
	}
	if about != "" {
		entry["about"] = text(about)
	}
	return entry
}

func (r *Repository) expiry(id ids.ID) time.Time { return id.Time().Add(r.opts.Retention) }

func (r *Repository) expired(id ids.ID) bool { return !r.opts.Now().Before(r.expiry(id)) }
