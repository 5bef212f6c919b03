package feed

import (
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

// MaxJobShards is the largest Options.JobShards.
const MaxJobShards = 64

// Options of a Repository. The zero value works.
type Options struct {
	// InlineFollowers is how many followers Publish itself delivers to, at
	// most 1,000; Run or Deliver reaches the rest. Defaults to 500; negative
	// is none.
	InlineFollowers int

	// Retention is how long an activity stays in homes, from its id's time.
	// Defaults to 90 days.
	Retention time.Duration

	// JobShards is over how many partitions delivery jobs are spread, 1 to
	// MaxJobShards; a partition takes about 300 publishes a second. It may
	// grow at any time, and what is stored counts. Defaults to 4.
	JobShards int

	// OwnHome puts one's own activities into one's home. Defaults to false.
	OwnHome bool

	// Filter hides activities from a reader's home. Defaults to nothing.
	Filter Filter

	// About says what showing an activity a second time would repeat: of a
	// repost what is reposted, of an original itself, none of what may always
	// show. Where another activity about the same lies among the RepostWindow
	// entries below it, a home does not show it. Defaults to none.
	About func(Activity) Ref

	// RepostWindow is in entries of a home, 1 to 100. Defaults to 40.
	RepostWindow int

	// HomeCap is how deep a home can be paged, in activities. Defaults to no
	// end but Retention's.
	HomeCap int

	// Parallel is how many batches of 25 entries a delivery writes at once,
	// how many activities PublishMany stores and how many sources FollowMany
	// copies. Defaults to 8.
	Parallel int

	// Poll is how long Run waits after it found nothing to do, give or take a
	// quarter. Defaults to 2 s.
	Poll time.Duration

	// OnDelivery hears of every delivery that ended, also of those that
	// failed and will be tried again. It must not block. Defaults to nothing.
	OnDelivery func(Delivery)

	// Consistent makes lists and Get strongly consistent, at twice the units.
	Consistent bool

	// Cache spares homes the reading of activities that it knows; Consistent
	// passes it by. Defaults to none.
	Cache Cache

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

func (o *Options) setDefaults() error {
	if o.InlineFollowers == 0 {
		o.InlineFollowers = 500
	}
	if o.Retention == 0 {
		o.Retention = 90 * 24 * time.Hour
	}
	if o.JobShards == 0 {
		o.JobShards = 4
	}
	if o.Parallel == 0 {
		o.Parallel = 8
	}
	if o.Poll == 0 {
		o.Poll = 2 * time.Second
	}
	if o.RepostWindow == 0 {
		o.RepostWindow = 40
	}
	if o.OnDelivery == nil {
		o.OnDelivery = func(Delivery) {}
	}
	if o.Codec == nil {
		o.Codec = cursor.Plain()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	for field, bad := range map[string]bool{
		"InlineFollowers": o.InlineFollowers > 1000,
		"Retention":       o.Retention < 0,
		"JobShards":       o.JobShards < 1 || o.JobShards > MaxJobShards,
		"Parallel":        o.Parallel < 1,
		"Poll":            o.Poll < 0,
		"RepostWindow":    o.RepostWindow < 1 || o.RepostWindow > 100,
		"HomeCap":         o.HomeCap < 0,
	} {
		if bad {
			return &plaza.InvalidError{Field: "Options." + field, Reason: "is out of bounds"}
		}
	}
	return nil
}
