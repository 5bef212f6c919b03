package prefs

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Subscription names what a setting is about: notifications of a verb, on a
// channel.
type Subscription struct {
	User    string `json:"user"`
	Verb    string `json:"verb,omitzero"` // one of Options.Verbs, or AnyVerb
	Channel string `json:"channel"`       // InApp or one of Options.Channels
}

// Setting is whether notifications of a verb go to a channel.
type Setting struct {
	Verb    string `json:"verb,omitzero"`
	Channel string `json:"channel"`
	On      bool   `json:"on"`  // what applies; other channels apply only while InApp is on
	Own     bool   `json:"own"` // whether the user has set it
}

// Set turns a verb on or off on a channel. A verb's own setting is stronger than that
// of AnyVerb. changed is true only if this call changed the setting. It applies in
// other processes within Options.CacheTTL.
//
// Cost: 2 requests, 1 RCU, 1 WCU; 1 WCU more for each further KB, some 40 settings;
// where another call came between, 1 request more.
//
//plaza:cost up to 40 settings: 2 requests, 1 RCU, 1 WCU
//plaza:cost each further KB of settings: 1 WCU
//plaza:cost each further 4 KB of settings: 1 RCU
//plaza:cost where another call came between: 1 request, 1 WCU
func (r *Repository) Set(ctx context.Context, s Subscription, on bool) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/prefs.Repository.Set")
	if err := r.checkSubscription(s); err != nil {
		return false, err
	}
	changed, err = r.choose(ctx, s.User, func(choices map[choice]bool) {
		choices[choice{s.Verb, s.Channel}] = on
	})
	return changed, wrap("set of", s.User, err)
}

// Unset removes a setting, so that the one of AnyVerb or the default applies again.
// changed is true only if this call removed it.
//
// Cost: as Set.
func (r *Repository) Unset(ctx context.Context, s Subscription) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/prefs.Repository.Unset")
	if err := r.checkSubscription(s); err != nil {
		return false, err
	}
	changed, err = r.choose(ctx, s.User, func(choices map[choice]bool) {
		delete(choices, choice{s.Verb, s.Channel})
	})
	return changed, wrap("unset of", s.User, err)
}

// Settings returns what applies to a user: a Setting for AnyVerb and for each of
// Options.Verbs, on InApp and on each of Options.Channels, in their order. It is
// strongly consistent. Damaged settings are plaza.ErrCorrupt.
//
// Cost: 1 request, 1 RCU for each 4 KB of the user's settings.
func (r *Repository) Settings(ctx context.Context, user string) ([]Setting, error) {
	ctx = plaza.WithOperation(ctx, "notify/prefs.Repository.Settings")
	if err := keys.CheckName("User", user); err != nil {
		return nil, err
	}
	var found row
	err := r.table.Get(ctx, settingsKey(user), true, &found)
	if err != nil && !errors.Is(err, plaza.ErrNotFound) {
		return nil, wrap("settings of", user, err)
	}
	own := found.settings()
	all := []Setting{}
	for _, verb := range append([]Verb{{Name: AnyVerb}}, r.opts.Verbs...) {
		for _, channel := range r.opts.everyChannel() {
			_, set := own.choices[choice{verb.Name, channel}]
			all = append(all, Setting{verb.Name, channel, own.on(verb, channel), set})
		}
	}
	return all, nil
}

func (r *Repository) checkSubscription(s Subscription) error {
	if err := keys.CheckName("User", s.User); err != nil {
		return err
	}
	if _, known := r.verbs[s.Verb]; !known && s.Verb != AnyVerb {
		return &plaza.InvalidError{Field: "Verb", Reason: "is not one of Options.Verbs"}
	}
	if !slices.Contains(r.opts.everyChannel(), s.Channel) {
		return &plaza.InvalidError{Field: "Channel", Reason: "is not one of Options.Channels"}
	}
	return nil
}

// choose changes the settings of a user.
func (r *Repository) choose(ctx context.Context, user string, edit func(map[choice]bool)) (changed bool, err error) {
	began := r.opts.Now()
	next, changed, err := r.change(ctx, settingsKey(user), func(w *row) bool {
		before := w.settings().choices
		after := maps.Clone(before)
		edit(after)
		w.setChoices(after)
		return !maps.Equal(before, after)
	})
	if err != nil {
		r.cache.drop(user) // it may have been written
		return false, err
	}
	r.cache.put(user, next.settings(), began)
	return changed, nil
}

// settings are what a user has set.
type settings struct {
	op      ids.ID // of the last change
	choices map[choice]bool
	damaged bool
}

type choice struct{ verb, channel string }

func (c choice) String() string { return keys.Join(c.verb, c.channel) }

// on reports whether a verb goes to a channel.
func (s settings) on(verb Verb, channel string) bool {
	own, set := s.choices[choice{verb.Name, channel}]
	if !set {
		own, set = s.choices[choice{AnyVerb, channel}]
	}
	byDefault := channel == InApp && !verb.OptIn || slices.Contains(verb.Channels, channel)
	switch {
	case verb.Critical:
		return channel == InApp || byDefault || own
	case set:
		return own
	case s.damaged: // perhaps the user had turned it off
		return byDefault && channel == InApp
	}
	return byDefault
}

func (r *row) settings() settings {
	choices, _ := r.choices() // the row was checked
	return settings{op: r.Change.Op, choices: choices}
}

func (r *row) choices() (map[choice]bool, error) {
	all := make(map[choice]bool, len(r.On)+len(r.Off))
	for _, set := range []struct {
		texts []string
		on    bool
	}{{r.On, true}, {r.Off, false}} {
		for _, text := range set.texts {
			parts := keys.Split(text)
			if len(parts) != 2 || parts[1] == "" {
				return nil, errors.New("a setting is not of a verb and a channel")
			}
			all[choice{parts[0], parts[1]}] = set.on
		}
	}
	if len(all) < len(r.On)+len(r.Off) {
		return nil, errors.New("a setting is on and off")
	}
	return all, nil
}

func (r *row) setChoices(all map[choice]bool) {
	r.On, r.Off = nil, nil
	for c, on := range all {
		if on {
			r.On = append(r.On, c.String())
		} else {
			r.Off = append(r.Off, c.String())
		}
	}
	slices.Sort(r.On)
	slices.Sort(r.Off)
}
