package notify

import (
	"errors"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// MaxData is the largest Data of a Notification's activity, in bytes.
const MaxData = 4 << 10

// Notification is for a user, about something that somebody did: ann liked your
// picture. Notifications about one target, by one verb, on one UTC day form a
// group, unless Options.Group groups by something else.
type Notification struct {
	User string `json:"user"`

	// Activity is what happened. Its ID is required: it is the event's identity,
	// and its UTC day is the group's. Its Target, or its Object if it has none, is
	// what the group is about. Its To is not used.
	Activity feed.Activity `json:"activity"`

	// CountBy says what the group counts. Defaults to ByActivity.
	CountBy CountBy `json:"countBy,omitzero"`

	// Critical notifications reach the user whatever the Policy says, even about
	// the user's own actions.
	Critical bool `json:"critical,omitzero"`
}

// CountBy says which events of a group count as one. Use the same value for all
// notifications of a verb, and for Retract.
type CountBy string

const (
	// ByActivity counts each activity: three comments of ann are three.
	ByActivity CountBy = ""
	// ByActor counts each actor once, by the latest activity: if ann likes, unlikes
	// and likes again, she counts once.
	ByActor CountBy = "actor"
)

// Result says where a notification is. Unless it is Dropped or Full, its event is in the
// group, since this call or an earlier one.
type Result struct {
	// Dropped: the event is not stored. It is the user's own, the Policy or Options.Allow
	// refuses it, it was retracted, or it is older than Options.Retention.
	Dropped bool `json:"dropped,omitzero"`

	// Retracted: it is Dropped because Retract took it back, or RetractTarget did.
	Retracted bool `json:"retracted,omitzero"`

	// Refused: it is Dropped because Options.Allow refused it.
	Refused bool `json:"refused,omitzero"`

	// Full: the event is not counted, since its group has 100. The group still moves to
	// the top, at most once every Options.Coalesce. Until then a repeat of an event that
	// is stored may be Full too.
	Full bool `json:"full,omitzero"`

	Group string `json:"group,omitzero"` // the group's name, as in Entry
	Last  ids.ID `json:"last,omitzero"`  // the id of the write that last moved the group

	// Channels are the channels besides the list on which the Policy wants the
	// event delivered. A repeat has them too.
	Channels []string `json:"channels,omitempty"`
}

// Validate returns a plaza.InvalidError if Notify would refuse one of the notification's
// own fields. It does not check the activity's ID.
func (n Notification) Validate() error {
	if err := keys.CheckName("User", n.User); err != nil {
		return err
	}
	return n.checkEvent()
}

// checkEvent is Validate for a notification of many users.
func (n Notification) checkEvent() error {
	if err := n.Activity.Validate(); err != nil {
		var invalid *plaza.InvalidError
		if errors.As(err, &invalid) {
			return &plaza.InvalidError{Field: "Activity." + invalid.Field, Reason: invalid.Reason}
		}
		return err
	}
	switch {
	case n.Activity.Object.IsZero() && n.Activity.Target.IsZero():
		return &plaza.InvalidError{Field: "Activity.Object", Reason: "is empty, and so is Target: a group is about one of them"}
	case n.CountBy != ByActivity && n.CountBy != ByActor:
		return &plaza.InvalidError{Field: "CountBy", Reason: fmt.Sprintf("is %q", n.CountBy)}
	}
	return args.Count("Activity.Data", len(n.Activity.Data), "bytes", MaxData)
}

// about returns what the notification's group is about.
func (n Notification) about() feed.Ref {
	if n.Activity.Target.IsZero() {
		return n.Activity.Object
	}
	return n.Activity.Target
}
