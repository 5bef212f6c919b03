package digest

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/notify"
)

// maxJobShards is the greatest Options.JobShards.
const maxJobShards = 64

// Options of a Repository. The zero value works.
type Options struct {
	// ScheduleOf returns the schedule of a user's channel, for example from your users'
	// settings. A process may use the result for 30 s. Its error fails the notification.
	// Defaults to daily at 08:00 UTC.
	ScheduleOf func(ctx context.Context, user, channel string) (Schedule, error)

	// JobShards is how many partitions hold the planned digests, 1 to 64. More shards let
	// more workers share the work. You may raise it at any time. Defaults to 1.
	JobShards int

	// CacheSize is how many stored digests a process remembers, by user and
	// channel, so that it need not store them again. Defaults to 10,000.
	CacheSize int

	// OnCorrupt is called with each damaged item that is left out, by several
	// goroutines at once. Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)

	// TrustClock lets workers run although this process's clock is more than 5 s from
	// DynamoDB's. Then a wrong clock sends digests late, or leaves events out. It is
	// set if Now is given.
	TrustClock bool

	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

func (o *Options) setDefaults() error {
	if o.ScheduleOf == nil {
		o.ScheduleOf = func(context.Context, string, string) (Schedule, error) { return Schedule{Daily: "08:00"}, nil }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return cmp.Or(
		args.Default("Options.JobShards", &o.JobShards, 1, 1, maxJobShards),
		args.Default("Options.CacheSize", &o.CacheSize, 10_000, 1, math.MaxInt32),
	)
}

// WorkerOptions are the options of a Worker. The zero value works.
type WorkerOptions struct {
	// Policy decides again whether an entry is wanted on the channel, so that users who
	// have unsubscribed get no digest. Use the Policy of notify.Options. It is asked
	// about the newest event of each entry; that is marked Critical only if the user is
	// its actor. Without a Policy, all entries are sent.
	Policy notify.Policy

	// User returns the user that an actor is. Use the same function as in notify.Options.
	// Defaults to the actor's text.
	User func(actor feed.Ref) string

	// Unsubscribe returns a text for links by which the user unsubscribes from the
	// channel, such as prefs.Repository.Token for prefs.AnyVerb and the channel. It is
	// called before every Send. Defaults to no text.
	Unsubscribe func(user, channel string) (string, error)

	// Parallel is how many digests are sent at once, 1 to 1,000. Defaults to 16.
	Parallel int

	// Poll is how long Run waits after it found nothing to do, give or take a
	// quarter. Defaults to 2 s.
	Poll time.Duration

	// OnAttempt is called after every attempt, even one that failed and will be
	// repeated. It must not block and is called by several goroutines at once. Defaults
	// to nothing.
	OnAttempt func(Attempt)
}

func (o *WorkerOptions) setDefaults() error {
	if o.User == nil {
		o.User = feed.Ref.String
	}
	if o.OnAttempt == nil {
		o.OnAttempt = func(Attempt) {}
	}
	return cmp.Or(
		args.Default("WorkerOptions.Parallel", &o.Parallel, 16, 1, 1000),
		args.DefaultAtLeast("WorkerOptions.Poll", &o.Poll, 2*time.Second, 0),
	)
}
