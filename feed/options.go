package feed

import (
	"fmt"
	"math"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
)

// MaxJobShards is the largest Options.JobShards.
const MaxJobShards = 64

const (
	maxInline       = 1000
	maxRepostWindow = 100
)

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
	// entries below it, a home does not show it. An activity has an entry for
	// each follow that brought it. Defaults to none.
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
	// failed and will be tried again. It must not block, and is called by
	// several goroutines at once. Defaults to nothing.
	OnDelivery func(Delivery)

	// OnCorrupt is called with each damaged item that an answer or a delivery
	// leaves out, by several goroutines at once. Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)

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
	for _, bound := range []struct {
		field            string
		given, low, high int64
	}{
		{"InlineFollowers", int64(o.InlineFollowers), math.MinInt32, maxInline},
		{"Retention", int64(o.Retention), 1, math.MaxInt64},
		{"JobShards", int64(o.JobShards), 1, MaxJobShards},
		{"Parallel", int64(o.Parallel), 1, math.MaxInt32},
		{"Poll", int64(o.Poll), 1, math.MaxInt64},
		{"RepostWindow", int64(o.RepostWindow), 1, maxRepostWindow},
		{"HomeCap", int64(o.HomeCap), 0, math.MaxInt32},
	} {
		if bound.given < bound.low || bound.given > bound.high {
			return &plaza.InvalidError{
				Field:  "Options." + bound.field,
				Reason: fmt.Sprintf("is %d, %d to %d are allowed", bound.given, bound.low, bound.high),
			}
		}
	}
	return nil
}
