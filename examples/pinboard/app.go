package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/guregu/dynamo/v2"
	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza/examples/danmu/videos"
	"github.com/plaza-sdk/plaza/feed"
	likes "github.com/plaza-sdk/plaza/feed/like"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/notify/message"
	msglive "github.com/plaza-sdk/plaza/notify/message/live"
	"github.com/plaza-sdk/plaza/notify/prefs"
	"github.com/plaza-sdk/plaza/plazalog"
)

// app holds the parts of Plaza that Pinboard uses: a source of ids, and a repository of
// each feature.
type app struct {
	*kit.Kit
	ids *lease.Source

	secret []byte // of the links in mails, and of new pictures

	likes *likes.Likes

	rings *live.Hub[ring] // of bells, to open pages
	talks *msglive.Hub    // of conversations

	clips         *videos.Service
	watchedRoutes []string // of the pages of clips

	seeded ids.ID // what the seed made up has smaller ids

	db       database
	onLambda bool
	costs    *costs
	log      *slog.Logger
	failures *plazalog.Logger
}

// newApp opens everything. The clips answer to hosts.
func newApp(ctx context.Context, db database, log *slog.Logger, hosts ...string) (*app, error) {
	a := &app{db: db, costs: db.costs, log: log, failures: plazalog.New(log)}
	if err := a.open(free(ctx), hosts); err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

func (a *app) open(ctx context.Context, hosts []string) error {
	db := dynamo.New(a.db.config)
	if err := a.connect(ctx, db); err != nil {
		return err
	}
	if err := a.prepare(ctx); err != nil {
		return err
	}
	return a.openClips(ctx, db, hosts)
}

// connect opens a repository for each feature.
func (a *app) connect(ctx context.Context, db *dynamo.DB) (err error) {
	machine := lease.Options{OnCorrupt: a.failures.Corrupt}
	if a.onLambda {
		machine.Renew = -1 // between two events Lambda freezes the process, and with it what would renew the number
	}
	if a.ids, err = lease.NewSource(db, a.db.tables.Machines, &machine); err != nil {
		return err
	}
	if a.Kit, err = kit.New(db, a.ids, a.options()); err != nil { // to read the secret, which preferences need
		return err
	}
	if a.secret, err = a.theSecret(ctx); err != nil {
		return err
	}
	if a.Kit, err = kit.New(db, a.ids, a.options()); err != nil {
		return err
	}
	if a.likes, err = likes.New(a.Reactions, a.Boards, a.Bell, &likes.Options{Notification: a.noticeOf, Point: pointOf}); err != nil {
		return err
	}
	if a.rings, err = newRings(); err != nil {
		return err
	}
	// Several processes would need a live/redisstream backplane.
	a.talks, err = msglive.New(a.Messages, &msglive.Options{Encode: encodeEvents, PresentEvery: time.Second})
	return err
}

func (a *app) options() *kit.Options {
	o := &kit.Options{
		Names: a.db.tables, OnAttempt: a.failures.Attempt, OnCorrupt: a.failures.Corrupt,
		Feed: feed.Options{
			About:     func(pin feed.Activity) feed.Ref { return pin.Object }, // a picture that several people pinned shows once
			OwnHome:   true,
			Retention: 21 * 24 * time.Hour, // so that half of the seed need not be delivered
		},
		Reaction: reaction.Options{Kinds: []string{like, report}},
		Notify:   notify.Options{Consistent: true}, // a page reads right after the bell rang
		Prefs:    prefs.Options{Channels: []string{email}, Verbs: verbs(), Consistent: true},
		Digest:   digest.Options{ScheduleOf: a.scheduleOf},
		Message:  message.Options{Consistent: true},
		Send:     post{a},
	}
	if a.secret != nil {
		o.Prefs.Tokens = prefs.Keyring{Keys: map[byte][]byte{0: a.secret}}
	}
	return o
}

// theSecret is stored, so that all processes have it, and after a restart.
func (a *app) theSecret(ctx context.Context) (secret []byte, err error) {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	made, err := json.Marshal(random)
	if err != nil {
		return nil, err
	}
	stands, _, err := a.Feeds.Outbox("secrets").Publish(ctx, feed.Activity{Actor: feed.Ref{ID: "pinboard"}, Verb: "set", ForeignID: "secret", Data: made})
	if err != nil {
		return nil, err
	}
	return secret, json.Unmarshal(stands.Data, &secret)
}

// prepare marks the tables as those of their features, and defines the week's board.
func (a *app) prepare(ctx context.Context) error {
	// The tables were created just now. If another tool creates them, call Verify.
	if err := errors.Join(a.ids.Init(ctx), a.Init(ctx)); err != nil {
		return err
	}
	return a.defineWeekly(ctx)
}

// run does the work in the background until ctx ends.
func (a *app) run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return a.keep(ctx, "deliveries and digests", a.Run) })
	for _, s := range a.handlers() {
		group.Go(func() error { return a.keep(ctx, "stream of "+s.table+" for "+s.group, s.read(a)) })
	}
	return group.Wait()
}

const rest = 2 * time.Second // of a worker that failed

// keep runs a worker until ctx ends. One that fails begins again.
func (a *app) keep(ctx context.Context, name string, work func(context.Context) error) error {
	for {
		err := work(ctx)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // that is how it ends
		}
		a.log.Error("a worker failed and begins again", "worker", name, "err", err)
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return nil
		}
	}
}

// close gives the machine number back to the next process, also after an interrupt.
func (a *app) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if a.rings != nil {
		a.rings.Close()
	}
	if a.talks != nil {
		a.talks.Close()
	}
	var err error
	if a.clips != nil {
		err = a.clips.Close()
	}
	if a.ids != nil {
		err = errors.Join(err, a.ids.Close(ctx))
	}
	return err
}
