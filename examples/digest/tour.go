package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/plazatest"
)

// story makes events happen, lets days pass and checks what arrives.
type story struct {
	*site
	out     io.Writer
	outside *outside
	send    sending // by all channels
	worker  *digest.Worker
	leave   string // the link in bob's mail
}

func newStory(ctx context.Context, env *plazatest.Env, out io.Writer) (*story, error) {
	site, err := newSite(env, &clock{now: on(9, 19, 0)})
	if err != nil {
		return nil, err
	}
	s := &story{site: site, out: out}
	var senders byChannel
	if s.outside, senders, err = newOutside(ctx, site); err != nil {
		return nil, err
	}
	s.send = senders.Send
	s.worker, err = site.worker(sending(func(ctx context.Context, d digest.Digest) error { return s.send(ctx, d) }))
	for user, p := range people {
		if err == nil {
			err = site.subscribe(ctx, user, p.channel)
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.outside.Close())
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
)

func (s *story) tell(ctx context.Context) error {
	for _, step := range []struct {
		title   string
		at      time.Time
		does    func(context.Context) error
		arrives map[string][]string
	}{
		{"In the evening people do things", on(9, 19, 30), s.evening, nil},
		{"Chris's webhook is due each hour", on(9, 20, 1), nil, map[string][]string{
			"chris": {"1 thing happened: zoe commented on your question 42"},
		}},
		{"Eight in the morning in Berlin", on(10, 7, 1), nil, map[string][]string{"ann": {"2 things happened"}}},
		{"Eight in London, where bob lives", on(10, 8, 1), nil, map[string][]string{"bob": {"1 thing happened"}}},
		{"Bob unsubscribes with one click, and more happens", on(10, 9, 30), s.click, nil},
		{"The next morning only ann gets a mail", on(11, 8, 1), nil, map[string][]string{"ann": {"1 thing happened"}}},
	} {
		s.set(step.at)
		fmt.Fprintf(s.out, "\n%s  %s\n", step.at.Format("Mon 15:04"), step.title)
		var err error
		if step.does != nil {
			err = step.does(ctx)
		}
		if err == nil {
			_, err = s.worker.Deliver(ctx)
		}
		if err == nil {
			err = s.check(step.arrives)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *story) evening(ctx context.Context) error {
	return errors.Join(
		s.happens(ctx, "bob", "like", "ann", picture),
		s.happens(ctx, "chris", "like", "ann", picture),
		s.happens(ctx, "dora", "like", "ann", picture),
		s.happens(ctx, "zoe", "comment", "bob", poem),
		s.happens(ctx, "zoe", "comment", "chris", question),
		s.happens(ctx, "eve", "follow", "ann", feed.Ref{ID: "ann"}),
	)
}

// click does what bob's mail program does when he clicks unsubscribe.
func (s *story) click(ctx context.Context) error {
	form := url.Values{"List-Unsubscribe": {"One-Click"}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.leave, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := s.outside.web.Client().Do(r)
	if err != nil {
		return err
	}
	if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusOK {
		return errors.Join(err, fmt.Errorf("the link that unsubscribes answered %s", res.Status))
	}
	return errors.Join(s.happens(ctx, "ann", "like", "bob", poem), s.happens(ctx, "bob", "like", "ann", picture))
}

// check compares what arrived since the last step with what must arrive.
func (s *story) check(want map[string][]string) error {
	all, err := s.outside.news()
	if err != nil {
		return err
	}
	got := map[string][]string{}
	for _, a := range all {
		got[a.user] = append(got[a.user], a.text)
		fmt.Fprintf(s.out, "  %-6s %-7s  %s\n", a.user, people[a.user].channel, a.text)
		if a.user == "bob" {
			s.leave = a.leave
		}
	}
	if !maps.EqualFunc(got, want, slices.Equal) {
		return fmt.Errorf("%q arrived, not %q", got, want)
	}
	return nil
}

// sending is a digest.Sender.
type sending func(context.Context, digest.Digest) error

func (f sending) Send(ctx context.Context, d digest.Digest) error { return f(ctx, d) }
