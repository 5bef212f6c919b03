package feed

import (
	"fmt"
	"reflect"
	"time"

	"github.com/plaza-sdk/plaza/internal/images"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/stream"
)

// ChangeKind says what happened to an activity.
type ChangeKind string

// The kinds of changes.
const (
	Published ChangeKind = "published"
	Updated   ChangeKind = "updated"
	Removed   ChangeKind = "removed"
	Erased    ChangeKind = "erased" // with its owner
)

// Change is one change of an activity.
type Change struct {
	Kind     ChangeKind `json:"kind"`
	Owner    string     `json:"owner"`    // of the outbox, as Activity.Owner
	Activity Activity   `json:"activity"` // as it was, where it was removed or erased
	At       time.Time  `json:"at"`       // of the write, in whole seconds
}

// Changes returns the change of an activity that a stream's record reports; most records
// are bookkeeping and have none. An activity is reported once, however many outboxes it
// was addressed to, and an update only if it changed something. The table's stream
// needs new and old images: without them the error is stream.ErrView or
// stream.ErrTruncated. A damaged activity is plaza.ErrCorrupt.
//
// A stream may deliver a record twice: recognize the activity by its Owner and ID.
func Changes(r stream.Record) ([]Change, error) {
	i, err := images.Of(r)
	if err != nil {
		return nil, fmt.Errorf("feed: changes: %w", err)
	}
	parts := keys.Split(i.Key.PK)
	if parts[0] != outbox || i.Key.SK == headerSK {
		return nil, nil
	}
	if len(parts) != 2 || keys.CheckName("Owner", parts[1]) != nil {
		return nil, fmt.Errorf("feed: changes: %w", i.Corrupt("no outbox has its key"))
	}
	before, after, err := images.Read[activityItem](i)
	if err != nil {
		return nil, fmt.Errorf("feed: changes: %w", err)
	}
	c := Change{Owner: parts[1], At: i.At}
	switch was, is := before.lives(), after.lives(); {
	case is && !was:
		c.Kind, c.Activity = Published, after.activity()
	case is:
		c.Kind, c.Activity = Updated, after.activity()
		if reflect.DeepEqual(before.activity(), c.Activity) {
			return nil, nil
		}
	case !was:
		return nil, nil
	case after != nil:
		c.Kind, c.Activity = Removed, before.activity()
	default:
		c.Kind, c.Activity = Erased, before.activity()
	}
	return []Change{c}, nil
}

// lives reports whether there is an activity: neither a tombstone nor a reference.
func (i *activityItem) lives() bool { return i != nil && i.Removed == 0 && i.Owner == "" }
