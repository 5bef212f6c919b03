package prefs

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/notifytable"
	"github.com/plaza-sdk/plaza/internal/store"
)

// N#user / P {on, off} has the settings of a user: sets of verb#channel.
// N#user / B#actor and O#object {since} are a block and a mute. An item without any of
// these stays for 30 days {ttl}, so that a late request finds its memory of calls.

const settingsSK = "P"

// kind is a kind of rows that a user has many of. Their sort keys begin with sk.
type kind struct{ sk, name string }

var (
	blocks = kind{"B", "blocks"}
	mutes  = kind{"O", "mutes"}
)

// span is the range of the kind's sort keys. No item has the key to.
func (k kind) span() (from, to string) { return k.sk + "#", k.sk + "$" }

// maxSK leaves room for the bound that follows a sort key: DynamoDB allows 1,024
// bytes.
const maxSK = 1023

// endedTTL is how long an empty item is kept.
const endedTTL = 30 * 24 * time.Hour

func settingsKey(user string) store.Key {
	return store.Key{PK: notifytable.UserPK(user), SK: settingsSK}
}

func blockKey(p Pair) store.Key {
	return store.Key{PK: notifytable.UserPK(p.User), SK: keys.Join(blocks.sk, p.Actor)}
}

func muteKey(t Topic) store.Key {
	return store.Key{PK: notifytable.UserPK(t.User), SK: keys.Join(mutes.sk, t.Object.String())}
}

// checkSK refuses the text of an actor or an object that cannot be part of a sort key.
func checkSK(field, text, sk string) error {
	switch {
	case text == "":
		return &plaza.InvalidError{Field: field, Reason: "is empty"}
	case !utf8.ValidString(text):
		return &plaza.InvalidError{Field: field, Reason: "is not UTF-8"}
	}
	return args.Count(field, len(sk), "bytes as a key", maxSK)
}

// row is an item of any kind.
type row struct {
	SK    string   `dynamo:"sk"`
	Since int64    `dynamo:"since"`  // when a block or a mute began, in ms; 0 if it has ended
	On    []string `dynamo:"on,set"` // settings
	Off   []string `dynamo:"off,set"`
	TTL   int64    `dynamo:"ttl"`

	Change       store.Mark `dynamo:"change"`
	ChangeBefore store.Mark `dynamo:"changeBefore"`
}

// CheckItem refuses what no write of this package leaves.
func (r *row) CheckItem() error {
	kind, _, _ := strings.Cut(r.SK, "#")
	switch {
	case r.Change.Op == 0:
		return errors.New("it has no change")
	case r.SK == settingsSK && r.Since == 0:
		_, err := r.choices()
		return err
	case len(r.On)+len(r.Off) > 0 || r.Since < 0 || r.name() == "":
	case kind == blocks.sk:
		return nil
	case kind == mutes.sk:
		_, err := feed.ParseRef(r.name())
		return err
	}
	return errors.New("is no item of prefs")
}

func (r *row) last() store.Last { return store.Last{Mark: r.Change, Before: r.ChangeBefore} }

// empty reports whether there are no settings, and no block or mute.
func (r *row) empty() bool { return r.Since == 0 && len(r.On) == 0 && len(r.Off) == 0 }

// name is the text of the actor or the object, "" if the key names none.
func (r *row) name() string {
	if parts := keys.Split(r.SK); len(parts) == 2 {
		return parts[1]
	}
	return ""
}

func (r *row) since() time.Time { return time.UnixMilli(r.Since).UTC() }
