package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/notify/prefs"
	"github.com/plaza-sdk/plaza/plazatest"
)

const (
	byMail = "email"
	byHook = "webhook"
)

// site notifies people and plans their digests. Other examples show where notifications
// come from.
type site struct {
	*clock

	table   string
	bell    *notify.Repository
	wants   *prefs.Repository
	digests *digest.Repository
}

func newSite(env *plazatest.Env, c *clock) (*site, error) {
	s := &site{clock: c, table: env.Tables.Notify}
	d := env.DB
	secret := make([]byte, sha256.Size)
	_, _ = rand.Read(secret) // never fails
	var err error
	if s.wants, err = prefs.New(d, s.table, c, &prefs.Options{
		Channels: []string{byMail, byHook},
		Verbs:    []prefs.Verb{{Name: "like"}, {Name: "comment"}, {Name: "follow"}},
		Tokens:   prefs.Keyring{Current: 1, Keys: map[byte][]byte{1: secret}},
		Now:      c.Now, Consistent: true,
	}); err != nil {
		return nil, err
	}
	if s.digests, err = digest.New(d, s.table, &digest.Options{ScheduleOf: schedule, Now: s.Now}); err != nil {
		return nil, err
	}
	s.bell, err = notify.New(d, s.table, s.clock, &notify.Options{
		Policy: s.wants, Scheduler: s.digests, Now: s.Now, Consistent: true,
	})
	return s, err
}

// schedule is the users' settings: a service keeps them in its own tables.
func schedule(_ context.Context, user, channel string) (digest.Schedule, error) {
	switch channel {
	case byMail:
		return digest.Schedule{Daily: "08:00", Zone: people[user].zone}, nil
	default:
		return digest.Schedule{Every: time.Hour, Quiet: digest.Quiet{From: "22:00", To: "09:00"}}, nil
	}
}

// worker returns a worker that sends with sender.
func (s *site) worker(sender digest.Sender) (*digest.Worker, error) {
	return digest.NewWorker(s.digests, s.bell, sender, &digest.WorkerOptions{
		Policy: s.wants,
		Unsubscribe: func(user, channel string) (string, error) {
			return s.wants.Token(prefs.Subscription{User: user, Verb: prefs.AnyVerb, Channel: channel})
		},
	})
}

// subscribe turns a channel on for everything.
func (s *site) subscribe(ctx context.Context, user, channel string) error {
	_, err := s.wants.Set(ctx, prefs.Subscription{User: user, Verb: prefs.AnyVerb, Channel: channel}, true)
	return err
}

// happens notifies the user that the actor did something.
func (s *site) happens(ctx context.Context, actor, verb, user string, object feed.Ref) error {
	id, err := s.Next(ctx)
	if err != nil {
		return err
	}
	res, _, err := s.bell.Notify(ctx, notify.Notification{User: user, Activity: feed.Activity{
		ID: id, Actor: feed.Ref{ID: actor}, Verb: verb, Object: object,
	}})
	if err == nil && (res.Dropped || res.Full) {
		err = fmt.Errorf("%s's %s is not stored", actor, verb)
	}
	return err
}

// clock is the story's time. It also makes ids of that time; a service has ids.New.
type clock struct {
	mu   sync.Mutex
	now  time.Time
	made ids.ID // at now
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.made = now, 0
}

func (c *clock) Next(context.Context) (ids.ID, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	return ids.At(c.now) + c.made, nil
}
