package prefs

import (
	"context"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/notify"
)

// Decide reports whether a notification is listed, and on which further channels it is
// delivered. It implements notify.Policy. Another process's change of a setting applies
// within Options.CacheTTL.
//
// If the user's settings are damaged, the defaults apply to the list, and only critical
// notifications go to further channels. A damaged block counts, a damaged mute does not.
//
// Cost: 1 request, 1.5 RCU; where this process knows the user's settings 1 request, 1
// RCU; with Options.Consistent twice the RCU.
//
//plaza:cost a notification: 1 request, 1.5 RCU
//plaza:cost a notification, known settings: 1 request, 1 RCU
//plaza:cost of a verb that pierces: 1 request, 1 RCU
//plaza:cost of a verb that pierces, known settings: 1 request, 0.5 RCU
//plaza:cost of a critical one: 1 request, 0.5 RCU
//plaza:cost of a critical one, known settings: none
//plaza:cost of the user's own action: none
//plaza:cost with Options.Consistent: 1 request, 3 RCU
//plaza:cost with Options.Consistent, known settings: 1 request, 2 RCU
//plaza:cost each further 4 KB of settings: 0.5 RCU
func (r *Repository) Decide(ctx context.Context, n notify.Notification) (notify.Decision, error) {
	ctx = plaza.WithOperation(ctx, "notify/prefs.Repository.Decide")
	actor := r.opts.User(n.Activity.Actor)
	q, err := r.ask(n, actor)
	if err != nil {
		return notify.Decision{}, err
	}
	if q.own && !n.Critical {
		return notify.Decision{Drop: true}, nil
	}
	began := r.opts.Now()
	own, known := r.cache.get(n.User)
	if !known {
		q.keys = append(q.keys, settingsKey(n.User))
	}
	found := map[store.Key]dynamo.Item{}
	if len(q.keys) > 0 {
		if found, err = r.table.GetAll(ctx, q.keys, r.opts.Consistent, 1); err != nil {
			return notify.Decision{}, wrap("decide for", n.User, err)
		}
	}
	if !known {
		own = r.cache.put(n.User, r.read(found[settingsKey(n.User)]), began)
	}
	if r.active(found[q.block], true) || r.active(found[q.mute], false) || !own.on(q.verb, InApp) {
		return notify.Decision{Drop: true}, nil
	}
	var d notify.Decision
	for _, channel := range r.opts.Channels {
		if own.on(q.verb, channel) {
			d.Channels = append(d.Channels, channel)
		}
	}
	return d, nil
}

// question has the keys of what Decide must read.
type question struct {
	verb        Verb
	own         bool // the user's own action, which notify drops unless it is marked critical
	keys        []store.Key
	block, mute store.Key // zero where they do not matter
}

func (r *Repository) ask(n notify.Notification, actor string) (question, error) {
	if err := keys.CheckName("User", n.User); err != nil {
		return question{}, err
	}
	if err := n.Activity.Validate(); err != nil {
		return question{}, err
	}
	verb, known := r.verbs[n.Activity.Verb]
	if !known {
		verb = Verb{Name: n.Activity.Verb}
	}
	verb.Critical = verb.Critical || n.Critical
	q := question{verb: verb, own: actor == n.User}
	if verb.Critical || q.own {
		return q, nil
	}
	if actor != "" {
		q.block = blockKey(Pair{n.User, actor})
		if err := checkSK("Activity.Actor", actor, q.block.SK); err != nil {
			return question{}, err
		}
		q.keys = append(q.keys, q.block)
	}
	if about := aboutOf(n.Activity); !verb.Pierces && !about.IsZero() {
		q.mute = muteKey(Topic{n.User, about})
		if err := checkSK("Activity.Object", about.String(), q.mute.SK); err != nil {
			return question{}, err
		}
		q.keys = append(q.keys, q.mute)
	}
	return q, nil
}

// aboutOf returns what the activity's group is about.
func aboutOf(a feed.Activity) feed.Ref {
	if a.Target.IsZero() {
		return a.Object
	}
	return a.Target
}

// read decodes a user's settings. A nil item has none.
func (r *Repository) read(item dynamo.Item) settings {
	if item == nil {
		return settings{}
	}
	var found row
	if r.table.Skips(r.table.Decode(item, &found)) {
		return settings{damaged: true}
	}
	return found.settings()
}

// active reports whether an item is a block or a mute that has not ended. A nil item is
// none. For a damaged one it returns otherwise.
func (r *Repository) active(item dynamo.Item, otherwise bool) bool {
	if item == nil {
		return false
	}
	var found row
	if r.table.Skips(r.table.Decode(item, &found)) {
		return otherwise
	}
	return found.Since > 0
}
