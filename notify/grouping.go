package notify

import (
	"fmt"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Grouping returns what the name of an event's group has besides what the event is about: 1 to 4
// texts of 1 to 256 bytes. Events about one thing with the same texts are a group. It must be a pure
// function. It is given what Retract is passed too: the User, CountBy, and the activity's ID, Actor,
// Verb, Object and Target. The time of the ID says when it was; a zone must be a constant.
type Grouping func(Notification) []string

// ByVerbAndDay is the default Grouping: the verb and the UTC day.
func ByVerbAndDay(n Notification) []string {
	return []string{n.Activity.Verb, n.Activity.ID.Time().UTC().Format("2006-01-02")}
}

// event returns what the notification's group stores of it, and the group's key.
func (r *Repository) event(n Notification) (group.Event, store.Key, error) {
	return r.eventBy(r.opts.Group, n)
}

func (r *Repository) eventBy(g Grouping, n Notification) (group.Event, store.Key, error) {
	if err := n.Validate(); err != nil {
		return group.Event{}, store.Key{}, err
	}
	a := n.Activity
	if err := keys.CheckNewID("Activity.ID", a.ID, r.opts.Now()); err != nil {
		return group.Event{}, store.Key{}, err
	}
	passed := Notification{User: n.User, CountBy: n.CountBy, Activity: feed.Activity{
		ID: a.ID, Actor: a.Actor, Verb: a.Verb, Object: a.Object, Target: a.Target,
	}}
	parts := g(passed)
	if len(parts) < 1 || len(parts) > maxParts {
		return group.Event{}, store.Key{}, &plaza.InvalidError{Field: "Options.Group", Reason: fmt.Sprintf("returns %d texts, 1 to %d are allowed", len(parts), maxParts)}
	}
	if err := keys.CheckNames("Options.Group", parts); err != nil {
		return group.Event{}, store.Key{}, err
	}
	key := groupKey(In{n.User, groupName(n.about(), parts)})
	if err := args.Count("Activity", len(groupOf(key.SK)), "bytes in its group's name", maxName); err != nil {
		return group.Event{}, store.Key{}, err
	}
	data, err := encodeActivity(a)
	return group.Event{
		ID:      a.ID,
		Actor:   a.Actor.String(),
		ByActor: n.CountBy == ByActor,
		Detail:  detail(a, slices.Equal(parts, ByVerbAndDay(passed))),
		Data:    data,
	}, key, err
}
