package notify

import (
	"cmp"
	"context"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/args"
)

// Source returns the announcements that a reader may see now, newest first.
// *announce.Repository is one.
type Source interface {
	Live(context.Context, Reader) ([]Announcement, error)
}

// Watchers lists the followers of an object. *follow.Repository is one.
type Watchers interface {
	Walk(ctx context.Context, followee string, req cursor.PageRequest) (cursor.Page[follow.Edge], error)
}

const (
	maxJobShards = 64
	maxRetention = 100 * 365 * 24 * time.Hour // times beyond it would wrap around
)

// Options of a Repository. The zero value works.
type Options struct {
	// Policy decides about each notification. By default users are notified of
	// everything.
	Policy Policy

	// Allow is your limit, such as three pokes from one actor to one user an hour. It is asked
	// about each event that is not stored yet, after the Policy and not about Critical ones, and
	// its false drops the event. It may be asked about an event again, if a call gets no answer:
	// so count each Activity.ID once, as a ratelimit.Limiter does. Its error fails the call.
	// Each event costs 1 request, and 1 RCU for 4 KB of its group, more. Defaults to no limit.
	Allow func(context.Context, Notification) (bool, error)

	// Group says which events about one thing are a group. After a change of it, set GroupBefore.
	// Defaults to ByVerbAndDay.
	Group Grouping

	// GroupBefore is the Group before it was changed, for one Retention: Retract tries both, at the
	// cost of both. Meanwhile a repeat of an event that the former stored may be stored once more.
	// Defaults to none.
	GroupBefore Grouping

	// Announcements are merged into lists and counts. Defaults to none.
	Announcements Source

	// Scheduler is called for events that the Policy wants on further channels.
	// Defaults to none.
	Scheduler Scheduler

	// Watchers has the followers of objects. The methods NotifyWatchers, Deliver and Run
	// need it. Defaults to none.
	Watchers Watchers

	// User returns the user that an actor is, in the form of
	// Notification.User. Defaults to the actor's text, such as "ann" or "user:ann".
	User func(actor feed.Ref) string

	// Retention is how long a group stays after its last event, at least a day.
	// Defaults to 90 days.
	Retention time.Duration

	// Coalesce is the least time between two moves of a full group to the top. In
	// between a process stores no events of the group, even if there is room again.
	// If clocks differ, it is longer by the difference. Defaults to 10 s.
	Coalesce time.Duration

	// JobShards is how many partitions hold the jobs of NotifyWatchers, 1 to 64. You
	// may raise it at any time. Defaults to 1.
	JobShards int

	// Poll is how long Run waits after it found nothing to do, give or take a
	// quarter. Defaults to 2 s.
	Poll time.Duration

	// OnAttempt is called after every attempt to notify watchers, even one that
	// failed and will be tried again. It must not block and is called by several
	// goroutines at once. Defaults to nothing.
	OnAttempt func(Attempt)

	// Consistent makes lists and counts strongly consistent, at twice the units.
	Consistent bool

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// OnCorrupt is called with each damaged item that an answer leaves out, by
	// several goroutines at once. Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)

	// TrustClock lets workers run although this process's clock is more than 5 s from
	// DynamoDB's. Then a wrong clock delivers late, or twice. It is set if Now is
	// given.
	TrustClock bool

	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

func (o *Options) setDefaults() error {
	if o.User == nil {
		o.User = feed.Ref.String
	}
	if o.Group == nil {
		o.Group = ByVerbAndDay
	}
	if o.OnAttempt == nil {
		o.OnAttempt = func(Attempt) {}
	}
	o.Codec = cmp.Or(o.Codec, cursor.Plain())
	if o.Now == nil {
		o.Now = time.Now
	}
	return cmp.Or(
		args.Default("Options.Retention", &o.Retention, 90*24*time.Hour, 24*time.Hour, maxRetention),
		args.DefaultAtLeast("Options.Coalesce", &o.Coalesce, 10*time.Second, 0),
		args.Default("Options.JobShards", &o.JobShards, 1, 1, maxJobShards),
		args.DefaultAtLeast("Options.Poll", &o.Poll, 2*time.Second, 0),
	)
}
