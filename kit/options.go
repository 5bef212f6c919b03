package kit

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/prefs"
	"github.com/plaza-sdk/plaza/tables"
)

// Feature is a feature with a table of its own, as tables.Table names it.
type Feature string

// The features. Notify includes announcements, preferences and digests.
const (
	Follow      Feature = "follow"
	Feed        Feature = "feed"
	Comment     Feature = "comment"
	Reaction    Feature = "reaction"
	Leaderboard Feature = "leaderboard"
	Danmu       Feature = "danmu"
	Notify      Feature = "notify"
	Message     Feature = "message"
)

// Features returns all features.
func Features() []Feature {
	return []Feature{Follow, Feed, Comment, Reaction, Leaderboard, Danmu, Notify, Message}
}

// Options of a Kit. The zero value works. What a feature's own options set wins over the
// fields for all features.
type Options struct {
	// Prefix begins the names of the tables. Defaults to "plaza-".
	Prefix string

	// Names are the names of tables. Those that are empty have the Prefix.
	Names tables.Names

	// Features are those that the methods of Kit act on. The repositories of all are made,
	// and need no table until they are used. Feed, and NotifyWatchers of Notify, use Follow's
	// table too. Defaults to all.
	Features []Feature

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// Now is the clock of all features. Leased machine numbers have that of their ids, the
	// system's. Defaults to time.Now.
	Now func() time.Time

	// OnCorrupt is called with each damaged item that an answer leaves out, by several
	// goroutines at once. Defaults to nothing.
	OnCorrupt func(*plaza.CorruptError)

	// OnAttempt is called after every attempt of a worker, and once by Run for each worker
	// that it leaves out. It must not block and is called by several goroutines at once.
	// Defaults to nothing.
	OnAttempt func(Attempt)

	// Send sends digests. Without it there is no worker of digests.
	Send digest.Sender

	// Ended is called for each period of a board that ended, as leaderboard.Repository.Run
	// says. Without it there is no worker of boards.
	Ended func(ctx context.Context, ended leaderboard.Ended) error

	// Lease is for machine numbers, if New is not given a source of ids. Lambda needs a
	// negative Renew.
	Lease lease.Options

	Follow       follow.Options
	Feed         feed.Options
	Comment      comment.Options
	Reaction     reaction.Options // Kinds default to "like"
	Leaderboard  leaderboard.Options
	Danmu        danmu.Options
	Notify       notify.Options
	Announce     announce.Options
	Prefs        prefs.Options // without Channels and Verbs there is nothing to send digests of
	Digest       digest.Options
	DigestWorker digest.WorkerOptions
	Message      message.Options
}

func (o *Options) setDefaults() error {
	if len(o.Features) == 0 {
		o.Features = Features()
	}
	if o.OnAttempt == nil {
		o.OnAttempt = func(Attempt) {}
	}
	if len(o.Reaction.Kinds) == 0 {
		o.Reaction.Kinds = []string{"like"}
	}
	if o.Lease.OnCorrupt == nil {
		o.Lease.OnCorrupt = o.OnCorrupt
	}
	o.share(&o.Follow.Codec, &o.Follow.Now, &o.Follow.OnCorrupt)
	o.share(&o.Feed.Codec, &o.Feed.Now, &o.Feed.OnCorrupt)
	o.share(&o.Comment.Codec, &o.Comment.Now, &o.Comment.OnCorrupt)
	o.share(&o.Reaction.Codec, &o.Reaction.Now, &o.Reaction.OnCorrupt)
	o.share(&o.Leaderboard.Codec, &o.Leaderboard.Now, &o.Leaderboard.OnCorrupt)
	o.share(&o.Danmu.Codec, &o.Danmu.Now, &o.Danmu.OnCorrupt)
	o.share(&o.Notify.Codec, &o.Notify.Now, &o.Notify.OnCorrupt)
	o.share(&o.Announce.Codec, &o.Announce.Now, &o.Announce.OnCorrupt)
	o.share(&o.Prefs.Codec, &o.Prefs.Now, &o.Prefs.OnCorrupt)
	o.share(new(cursor.Codec), &o.Digest.Now, &o.Digest.OnCorrupt)
	o.share(&o.Message.Codec, &o.Message.Now, &o.Message.OnCorrupt)
	o.reportAttempts()
	return cmp.Or(o.checkFeatures(), o.nameTables())
}

// share sets the options of a feature that are for all features.
func (o *Options) share(codec *cursor.Codec, now *func() time.Time, onCorrupt *func(*plaza.CorruptError)) {
	*codec = cmp.Or(*codec, o.Codec)
	if *now == nil {
		*now = o.Now
	}
	if *onCorrupt == nil {
		*onCorrupt = o.OnCorrupt
	}
}

func (o *Options) checkFeatures() error {
	for i, f := range o.Features {
		field := fmt.Sprintf("Options.Features[%d]", i)
		switch {
		case !slices.Contains(Features(), f):
			return &plaza.InvalidError{Field: field, Reason: "is no feature"}
		case slices.Contains(o.Features[:i], f):
			return &plaza.InvalidError{Field: field, Reason: "is there already"}
		}
	}
	return nil
}

func (o *Options) has(f Feature) bool { return slices.Contains(o.Features, f) }

var tableName = regexp.MustCompile(`^[A-Za-z0-9_.-]{3,255}$`)

// nameTables gives the tables without a name their default one.
func (o *Options) nameTables() error {
	given, otherwise := reflect.ValueOf(&o.Names).Elem(), reflect.ValueOf(tables.NamesOf(cmp.Or(o.Prefix, "plaza-")))
	used := map[string]bool{}
	for i := range given.NumField() {
		name, field := given.Field(i), "Options.Names."+given.Type().Field(i).Name
		f := Feature(strings.ToLower(given.Type().Field(i).Name))
		if name.String() == "" {
			field = "Options.Prefix"
			name.Set(otherwise.Field(i))
		}
		switch {
		case !tableName.MatchString(name.String()):
			return &plaza.InvalidError{Field: field, Reason: "makes a name that is not 3 to 255 of a-z, A-Z, 0-9, _ . -"}
		case slices.Contains(Features(), f) && !o.has(f):
		case used[name.String()]:
			return &plaza.InvalidError{Field: field, Reason: "is the name of another table too"}
		default:
			used[name.String()] = true
		}
	}
	return nil
}
