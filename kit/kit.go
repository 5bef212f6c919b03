package kit

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/announce"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/prefs"
	"github.com/plaza-sdk/plaza/tables"
)

// Kit has a repository of every feature. It is safe for concurrent use.
type Kit struct {
	IDs   ids.Source
	Names tables.Names // of all tables, pollers and letters too

	Follows       *follow.Repository
	Feeds         *feed.Repository
	Comments      *comment.Repository
	Reactions     *reaction.Repository
	Boards        *leaderboard.Repository
	Danmu         *danmu.Repository
	Bell          *notify.Repository
	Announcements *announce.Repository
	Prefs         *prefs.Repository
	Digests       *digest.Repository
	Messages      *message.Repository

	db     *dynamo.DB
	opts   Options
	leased *lease.Source  // nil if New was given a source of ids
	sender *digest.Worker // nil without Options.Send
}

// New does no I/O and starts nothing. With a nil gen, ids have a machine number that is
// leased from the table of machines when the first id is made: Close gives it back. A
// *plaza.InvalidError names the wrong option, such as Options.Feed.Retention.
func New(db *dynamo.DB, gen ids.Source, opts *Options) (*Kit, error) {
	o := args.Given(opts)
	if err := o.setDefaults(); err != nil {
		return nil, err
	}
	k := &Kit{IDs: gen, Names: o.Names, db: db}
	var err error
	if gen == nil {
		if k.leased, err = lease.NewSource(db, o.Names.Machines, &o.Lease); err != nil {
			return nil, in("Lease", err)
		}
		k.IDs = k.leased
	}
	if k.Follows, err = follow.New(db, o.Names.Follow, k.IDs, &o.Follow); err != nil {
		return nil, in("Follow", err)
	}
	if k.Feeds, err = feed.New(db, o.Names.Feed, k.IDs, k.Follows, &o.Feed); err != nil {
		return nil, in("Feed", err)
	}
	if k.Comments, err = comment.New(db, o.Names.Comment, k.IDs, &o.Comment); err != nil {
		return nil, in("Comment", err)
	}
	if k.Reactions, err = reaction.New(db, o.Names.Reaction, k.IDs, &o.Reaction); err != nil {
		return nil, in("Reaction", err)
	}
	if k.Boards, err = leaderboard.New(db, o.Names.Leaderboard, k.IDs, &o.Leaderboard); err != nil {
		return nil, in("Leaderboard", err)
	}
	if k.Danmu, err = danmu.New(db, o.Names.Danmu, k.IDs, &o.Danmu); err != nil {
		return nil, in("Danmu", err)
	}
	if err := k.openBell(db, &o); err != nil {
		return nil, err
	}
	if o.has(Notify) { // otherwise Prefs may have no table
		o.Message.Blocks = cmp.Or[message.Blocks](o.Message.Blocks, k.Prefs)
	}
	if k.Messages, err = message.New(db, o.Names.Message, k.IDs, &o.Message); err != nil {
		return nil, in("Message", err)
	}
	k.opts = o
	return k, nil
}

// openBell makes the features that share the table of notifications.
func (k *Kit) openBell(db *dynamo.DB, o *Options) (err error) {
	if o.Prefs.User == nil {
		o.Prefs.User = o.Notify.User
	}
	if k.Prefs, err = prefs.New(db, o.Names.Notify, k.IDs, &o.Prefs); err != nil {
		return in("Prefs", err)
	}
	if k.Announcements, err = announce.New(db, o.Names.Notify, k.IDs, &o.Announce); err != nil {
		return in("Announce", err)
	}
	if k.Digests, err = digest.New(db, o.Names.Notify, &o.Digest); err != nil {
		return in("Digest", err)
	}
	bell := &o.Notify
	bell.Policy = cmp.Or[notify.Policy](bell.Policy, k.Prefs)
	bell.Announcements = cmp.Or[notify.Source](bell.Announcements, k.Announcements)
	bell.Scheduler = cmp.Or[notify.Scheduler](bell.Scheduler, k.Digests)
	bell.Watchers = cmp.Or[notify.Watchers](bell.Watchers, k.Follows)
	if k.Bell, err = notify.New(db, o.Names.Notify, k.IDs, bell); err != nil {
		return in("Notify", err)
	}
	if o.Send == nil {
		return nil
	}
	worker := &o.DigestWorker
	worker.Policy = cmp.Or(worker.Policy, bell.Policy)
	if worker.User == nil {
		worker.User = bell.User
	}
	if worker.Unsubscribe == nil && len(o.Prefs.Tokens.Keys) > 0 {
		worker.Unsubscribe = k.unsubscribe
	}
	k.sender, err = digest.NewWorker(k.Digests, k.Bell, o.Send, worker)
	return in("DigestWorker", err)
}

// unsubscribe returns the token by which a user unsubscribes from a channel.
func (k *Kit) unsubscribe(user, channel string) (string, error) {
	return k.Prefs.Token(prefs.Subscription{User: user, Verb: prefs.AnyVerb, Channel: channel})
}

// in makes an error name the option of the kit: Retention of Feed is Options.Feed.Retention.
func in(field string, err error) error {
	var invalid *plaza.InvalidError
	if !errors.As(err, &invalid) || invalid.Field == "db" {
		return err
	}
	_, option, ok := strings.Cut(invalid.Field, "Options.")
	if !ok {
		option = invalid.Field
	}
	return &plaza.InvalidError{Field: "Options." + field + "." + option, Reason: invalid.Reason}
}

func (k *Kit) has(f Feature) bool { return k.opts.has(f) }

// Close gives a leased machine number back, and then no more ids are made. Call it last. It may
// be repeated.
//
// Cost: with a leased number 1 request, 1 WCU.
func (k *Kit) Close(ctx context.Context) error {
	if k.leased == nil {
		return nil
	}
	return k.leased.Close(ctx)
}
