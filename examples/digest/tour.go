package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/plaza-sdk/plaza/examples/ledger"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

// tour starts the site and the receivers of its digests, lets days pass, and checks
// what arrives.
func tour(ctx context.Context, out io.Writer) (err error) {
	env, err := open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	s, err := newStory(ctx, env, out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.outside.Close()) }()
	return s.tell(ctx)
}

func open(ctx context.Context) (*plazatest.Env, error) {
	return plazatest.Open(ctx, &plazatest.Options{Tables: tables.Names{Notify: "digest"}})
}

// story makes events happen and checks what arrives.
type story struct {
	ledger.Painter
	*site

	out     io.Writer
	env     *plazatest.Env
	outside *outside
	send    sending // by all channels
	worker  *digest.Worker
	shown   map[string]bool // the ids of what arrived before this step
	failed  atomic.Int32    // attempts
}

func newStory(ctx context.Context, env *plazatest.Env, out io.Writer) (*story, error) {
	site, err := newSite(env, &clock{now: on(9, 19, 0)})
	if err != nil {
		return nil, err
	}
	s := &story{Painter: ledger.NewPainter(out), site: site, out: out, env: env, shown: map[string]bool{}}
	var senders byChannel
	if s.outside, senders, err = newOutside(ctx, site); err != nil {
		return nil, err
	}
	s.send = senders.Send
	deliver := sending(func(ctx context.Context, d digest.Digest) error { return s.send(ctx, d) })
	s.worker, err = site.worker(env.DB, deliver, func(a digest.Attempt) {
		if a.Err != nil {
			s.failed.Add(1)
		}
	})
	if err != nil {
		return nil, errors.Join(err, s.outside.Close())
	}
	for _, user := range slices.Sorted(maps.Keys(people)) {
		if err := site.subscribe(ctx, user, people[user].channel); err != nil {
			return nil, errors.Join(err, s.outside.Close())
		}
	}
	return s, nil
}

// on is a time of the story. It lies ahead, since DynamoDB deletes what has expired by
// the machine's clock.
func on(day, hour, minute int) time.Time {
	return time.Date(2037, 3, day, hour, minute, 0, 0, time.UTC)
}

var (
	picture  = feed.Ref{Kind: "picture", ID: "10"}  // ann's
	poem     = feed.Ref{Kind: "poem", ID: "7"}      // bob's
	question = feed.Ref{Kind: "question", ID: "42"} // chris's
	song     = feed.Ref{Kind: "song", ID: "3"}      // zoe's
)

func (s *story) tell(ctx context.Context) error {
	for _, step := range []struct {
		title   string
		at      time.Time
		does    func(context.Context) error
		arrives map[string][]string
	}{
		{"In the evening people do things", on(9, 19, 30), s.evening, nil},
		{"Chris's webhook is due each hour", on(9, 20, 1), nothing, map[string][]string{
			"chris": {"1 thing happened: zoe commented on your question 42"},
		}},
		{"Eight in the morning in Berlin", on(10, 7, 1), nothing, map[string][]string{
			"ann": {"2 things happened: eve followed you; dora and 2 more liked your picture 10"},
		}},
		{"Eight in London, where bob lives", on(10, 8, 1), nothing, map[string][]string{
			"bob": {"1 thing happened: zoe commented on your poem 7"},
		}},
		{"Nine, when zoe's quiet hours end", on(10, 9, 1), nothing, map[string][]string{
			"zoe": {"1 thing happened: ann liked your song 3"},
		}},
		{"Bob unsubscribes with one click, and more happens", on(10, 9, 30), s.leave, nil},
		{"The next morning the mail server wants ann's mail later, keeps it, and does not say so", on(11, 8, 1), s.trouble, map[string][]string{
			"ann": {"1 thing happened: bob liked your picture 10"},
		}},
		{"A worker dies after it has sent, and another sends again", on(11, 19, 30), s.crash, map[string][]string{
			"ann": {"1 thing happened: chris followed you"},
		}},
		{"Somebody recorded chris's webhook and sends it again", on(12, 9, 30), s.replay, nil},
	} {
		s.set(step.at)
		fmt.Fprintf(s.out, "\n%s  %s\n", step.at.Format("Mon 15:04"), s.Paint(ledger.Bold, step.title))
		err := step.does(ctx)
		if err == nil {
			_, err = s.worker.Deliver(ctx)
		}
		if err == nil {
			err = s.check(step.arrives)
		}
		if err != nil {
			fmt.Fprintf(s.out, "  %s\n", s.Paint(ledger.Bad, "FAIL"))
			return err
		}
	}
	return s.sum()
}

func nothing(context.Context) error { return nil }

func (s *story) evening(ctx context.Context) error {
	return errors.Join(
		s.happens(ctx, "bob", "like", "ann", picture),
		s.happens(ctx, "chris", "like", "ann", picture),
		s.happens(ctx, "dora", "like", "ann", picture),
		s.happens(ctx, "zoe", "comment", "bob", poem),
		s.happens(ctx, "zoe", "comment", "chris", question),
		s.happens(ctx, "ann", "like", "zoe", song),
		s.happens(ctx, "eve", "follow", "ann", feed.Ref{ID: "ann"}),
	)
}

// check compares what arrived since the last step with what must arrive.
func (s *story) check(want map[string][]string) error {
	all, _, err := s.outside.all()
	if err != nil {
		return err
	}
	got := map[string][]string{}
	for _, a := range all {
		if !s.shown[a.id] {
			s.shown[a.id] = true
			got[a.user] = append(got[a.user], a.text)
			fmt.Fprintf(s.out, "  %-6s %s  %s\n", a.user, s.Paint(ledger.Faint, fmt.Sprintf("%-7s", people[a.user].channel)), a.text)
		}
	}
	if !maps.EqualFunc(got, want, slices.Equal) {
		return fmt.Errorf("%q arrived, not %q", got, want)
	}
	return nil
}

// sum checks and prints how much arrived.
func (s *story) sum() error {
	all, repeats, err := s.outside.all()
	if err != nil {
		return err
	}
	if len(all) != 7 || repeats != 3 {
		return fmt.Errorf("%d digests arrived and %d repeats, not 7 and 3", len(all), repeats)
	}
	fmt.Fprintf(s.out, "\n%s  %d digests arrived, each thing in one of them. %d came twice, and were known by their ids.\n", s.Paint(ledger.Good, "ok"), len(all), repeats)
	return nil
}

// sending is a digest.Sender.
type sending func(context.Context, digest.Digest) error

func (f sending) Send(ctx context.Context, d digest.Digest) error { return f(ctx, d) }
