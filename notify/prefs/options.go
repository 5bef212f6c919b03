package prefs

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// InApp is the channel of the list itself.
const InApp = "in-app"

// AnyVerb stands for every verb for which the user has no setting.
const AnyVerb = ""

const (
	maxChannels = 8
	maxSettings = 16 << 10 // bytes that all settings of a user may take
)

// Verb says how notifications of a verb are treated.
type Verb struct {
	Name string

	// Channels are those besides InApp that are on by default.
	Channels []string

	// OptIn verbs are off in the list, and so on every channel, until the user
	// turns InApp on.
	OptIn bool

	// Pierces lets the verb reach the user even about a muted object, as for a
	// mention.
	Pierces bool

	// Critical verbs get past every block, mute and setting. For the user's own
	// actions, such as a login, set Critical in the notify.Notification too.
	Critical bool
}

// Options of a Repository. The zero value works.
type Options struct {
	// Channels are those besides InApp, such as "email", at most 8. Defaults to
	// none.
	Channels []string

	// Verbs are those that users can turn on and off. Other verbs are in the list
	// and on no further channel, unless a setting for AnyVerb says otherwise. All
	// settings of a user may take 16 KB, such as 150 verbs on 4 channels, with names of
	// 18 and 7 bytes. Defaults to none.
	Verbs []Verb

	// Tokens are the keys that sign tokens. Defaults to none.
	Tokens Keyring

	// User returns the user that an actor is: use the same function as in
	// notify.Options. Defaults to the actor's text.
	User func(actor feed.Ref) string

	// CacheTTL is how long a process may use settings that another one has changed.
	// Blocks and mutes are not cached. Defaults to 30 s.
	CacheTTL time.Duration

	// CacheSize is how many users' settings a process keeps in memory. Defaults to
	// 10,000.
	CacheSize int

	// Consistent makes Decide strongly consistent, at twice the units. The
	// cache may still be CacheTTL old.
	Consistent bool

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// OnCorrupt is called with each damaged item that an answer leaves out, by
	// several goroutines at once. Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)

	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

func (o *Options) setDefaults() error {
	if o.User == nil {
		o.User = feed.Ref.String
	}
	o.Codec = cmp.Or(o.Codec, cursor.Plain())
	if o.Now == nil {
		o.Now = time.Now
	}
	err := cmp.Or(
		args.DefaultAtLeast("Options.CacheTTL", &o.CacheTTL, 30*time.Second, 0),
		args.DefaultAtLeast("Options.CacheSize", &o.CacheSize, 10_000, 0),
		args.Count("Options.Channels", len(o.Channels), "channels", maxChannels),
		o.Tokens.check(),
	)
	if err != nil {
		return err
	}
	o.Channels, o.Verbs = slices.Clone(o.Channels), slices.Clone(o.Verbs)
	for i, channel := range o.Channels {
		field := fmt.Sprintf("Options.Channels[%d]", i)
		if err := keys.CheckName(field, channel); err != nil {
			return err
		}
		if channel == InApp || slices.Contains(o.Channels[:i], channel) {
			return &plaza.InvalidError{Field: field, Reason: "is there already"}
		}
	}
	return o.checkVerbs()
}

func (o *Options) checkVerbs() error {
	size := 0
	names := map[string]bool{}
	for i, verb := range o.Verbs {
		field := fmt.Sprintf("Options.Verbs[%d].", i)
		if err := keys.CheckName(field+"Name", verb.Name); err != nil {
			return err
		}
		if names[verb.Name] {
			return &plaza.InvalidError{Field: field + "Name", Reason: "is there already"}
		}
		names[verb.Name] = true
		for _, channel := range verb.Channels {
			if !slices.Contains(o.Channels, channel) {
				return &plaza.InvalidError{Field: field + "Channels", Reason: "has one that is not in Options.Channels"}
			}
		}
		o.Verbs[i].Channels = slices.Clone(verb.Channels)
		for _, channel := range o.everyChannel() {
			size += len(choice{verb.Name, channel}.String())
		}
	}
	return args.Count("Options.Verbs", size, "bytes where a user sets all", maxSettings)
}

// everyChannel is InApp and the further channels.
func (o *Options) everyChannel() []string { return append([]string{InApp}, o.Channels...) }
