package feed

import (
	"cmp"
	"math"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/args"
)

// MaxJobShards is the largest Options.JobShards.
const MaxJobShards = 64

const (
	maxInline       = 1000
	maxRepostWindow = 100
)

// Options of a Repository. The zero value works.
type Options struct {
	// InlineFollowers is how many followers Publish itself delivers to, at most
	// 1,000; Run or Deliver reaches the others. Defaults to 500; negative is
	// none.
	InlineFollowers int

	// Retention is how long an activity stays in homes, from its id's time.
	// After a change, entries that were stored before keep theirs. Defaults to 90
	// days.
	Retention time.Duration

	// JobShards is how many partitions hold the delivery jobs, 1 to
	// MaxJobShards; a partition takes about 300 publishes a second. You may
	// raise it at any time; lowering it has no effect. Defaults to 4.
	JobShards int

	// OwnHome delivers activities to their owner's own home too. Defaults to
	// false.
	OwnHome bool

	// Filter hides activities from a reader's home. Defaults to none.
	Filter Filter

	// About returns what an activity is about: for a repost the original, for an
	// original the activity itself, and the zero Ref for an activity that this never
	// hides. A home hides an activity if one of the RepostWindow entries below it is
	// about the same. An activity has one entry for each follow that brought it, and
	// one if it is read from an outbox. Defaults to none.
	About func(Activity) Ref

	// RepostWindow is in entries of a home, 1 to 100. Defaults to 40.
	RepostWindow int

	// HomeCap is how many activities of a home a reader can page through.
	// Defaults to no limit but Retention.
	HomeCap int

	// PullCache is the number of Pulled sources, at most 100,000, whose newest 40 ids
	// this process caches for 5 s, so that pages need not read their outboxes. A source
	// takes about 4 KB, and up to 50 KB if owners and About have long names. New
	// activities may show 5 s late; edits and removals do not. A page that is read
	// upwards leaves out the last 6 s, which the next page shows. So polling by Prev
	// misses only activities that the first page lacked. Consistent bypasses the cache.
	// Defaults to none.
	PullCache int

	// GroupBy returns the key of an activity's group in Home.Grouped. An activity
	// with an empty key is a group of its own. Defaults to the verb, the target
	// (the object if there is no target), and the UTC day.
	GroupBy func(Activity) string

	// Parallel is how many of these run at once: batches of 25 entries in a
	// delivery, activities of PublishMany, sources that FollowMany copies.
	// Defaults to 8.
	Parallel int

	// Poll is how long Run waits after it found nothing to do, give or take a
	// quarter. Defaults to 2 s.
	Poll time.Duration

	// OnAttempt is called after every attempt at a delivery, even one that
	// failed and will be tried again. It must not block and is called by several
	// goroutines at once. Defaults to nothing.
	OnAttempt func(Attempt)

	// OnCorrupt is called with each damaged item that an answer or a delivery
	// leaves out, by several goroutines at once. Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)

	// Consistent makes lists and Get strongly consistent, at twice the units.
	Consistent bool

	// Cache keeps activities, so that homes need not read them again. Consistent
	// bypasses it. Defaults to none.
	Cache Cache

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// TrustClock lets workers run although this process's clock is more than 5 s from
	// DynamoDB's. Then they may deliver late, or twice. It is set if Now is given.
	TrustClock bool

	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

func (o *Options) setDefaults() error {
	if o.OnAttempt == nil {
		o.OnAttempt = func(Attempt) {}
	}
	o.Codec = cmp.Or(o.Codec, cursor.Plain())
	if o.Now == nil {
		o.Now = time.Now
	}
	return cmp.Or(
		args.Default("Options.InlineFollowers", &o.InlineFollowers, 500, math.MinInt32, maxInline),
		args.DefaultAtLeast("Options.Retention", &o.Retention, 90*24*time.Hour, 0),
		args.Default("Options.JobShards", &o.JobShards, 4, 1, MaxJobShards),
		args.Default("Options.Parallel", &o.Parallel, 8, 1, math.MaxInt32),
		args.DefaultAtLeast("Options.Poll", &o.Poll, 2*time.Second, 0),
		args.Default("Options.RepostWindow", &o.RepostWindow, 40, 1, maxRepostWindow),
		args.Between("Options.HomeCap", o.HomeCap, 0, math.MaxInt32),
		args.Between("Options.PullCache", o.PullCache, 0, maxPullCache),
	)
}
