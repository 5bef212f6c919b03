package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/examples/digest/mailbox"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/notify/digest"
)

// leave does what bob's mail program does when he clicks unsubscribe.
func (s *story) leave(ctx context.Context) error {
	all, _, err := s.outside.all()
	if err != nil {
		return err
	}
	for _, a := range all {
		if a.user != "bob" {
			continue
		}
		form := url.Values{"List-Unsubscribe": {"One-Click"}}
		status, err := s.post(ctx, a.leave, http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, form.Encode())
		if err != nil || status != http.StatusOK {
			return errors.Join(err, fmt.Errorf("the link that unsubscribes answered %d", status))
		}
	}
	return errors.Join(
		s.happens(ctx, "ann", "like", "bob", poem),
		s.happens(ctx, "bob", "like", "ann", picture),
	)
}

// trouble makes the mail server refuse a mail temporarily, and then accept it without
// an answer.
func (s *story) trouble(ctx context.Context) error {
	s.outside.plan(func(at mailbox.Stage) error {
		if at == mailbox.To {
			return mailbox.Answer(451, "come back later")
		}
		return nil
	}, func(at mailbox.Stage) error {
		if at == mailbox.Kept {
			return mailbox.ErrHangUp
		}
		return nil
	})
	for want := range int32(2) {
		_, err := s.worker.Deliver(ctx)
		if s.failed.Load() != want+1 {
			return errors.Join(errors.New("the attempt did not fail"), err)
		}
		s.pass(time.Hour) // longer than the wait between two attempts
	}
	return nil
}

// crash lets a worker send, and cuts it off from the table at that moment.
func (s *story) crash(ctx context.Context) error {
	if err := s.happens(ctx, "chris", "follow", "ann", feed.Ref{ID: "ann"}); err != nil {
		return err
	}
	s.set(on(12, 7, 1))
	_, before, err := s.outside.all()
	if err != nil {
		return err
	}
	cfg := s.env.Config
	line := &cable{to: cfg.HTTPClient}
	cfg.HTTPClient = line
	living, die := context.WithCancel(ctx)
	defer die()
	dying, err := s.site.worker(dynamo.New(cfg), sending(func(ctx context.Context, d digest.Digest) error {
		err := s.send(ctx, d)
		line.cut.Store(true)
		die()
		return err
	}), nil)
	if err != nil {
		return err
	}
	if _, err := dying.Deliver(living); err == nil {
		return errors.New("the worker did not die")
	}
	if _, err := s.worker.Deliver(ctx); err != nil {
		return err
	}
	s.pass(time.Minute) // now its claim has ended
	if _, err := s.worker.Deliver(ctx); err != nil {
		return err
	}
	_, after, err := s.outside.all()
	if err == nil && after != before+1 {
		err = fmt.Errorf("%d mails came again, not 1", after-before)
	}
	return err
}

// cable is the connection to the table, until it is cut.
type cable struct {
	to  aws.HTTPClient
	cut atomic.Bool
}

func (c *cable) Do(r *http.Request) (*http.Response, error) {
	if c.cut.Load() {
		return nil, cutError{}
	}
	return c.to.Do(r)
}

// cutError keeps the SDK from retrying.
type cutError struct{}

func (cutError) Error() string       { return "the cable is cut" }
func (cutError) CanceledError() bool { return true }

// replay is an attacker who repeats and alters what chris's service got.
func (s *story) replay(ctx context.Context) error {
	if err := s.happens(ctx, "zoe", "like", "chris", question); err != nil {
		return err
	}
	s.set(on(12, 10, 1))
	if _, err := s.worker.Deliver(ctx); err != nil {
		return err
	}
	if err := s.check(map[string][]string{"chris": {"1 thing happened: zoe liked your question 42"}}); err != nil {
		return err
	}
	recorded := s.outside.last()
	for _, attack := range []struct {
		what string
		wait time.Duration
		body string
		want int
	}{
		{"as it was: it is known", 0, string(recorded.body), http.StatusOK},
		{"with another text: refused", 0, strings.Replace(string(recorded.body), "zoe", "eve", 1), http.StatusUnauthorized},
		{"ten minutes later: refused", 10 * time.Minute, string(recorded.body), http.StatusUnauthorized},
	} {
		s.pass(attack.wait)
		status, err := s.post(ctx, s.outside.hook, recorded.header, attack.body)
		if err != nil || status != attack.want {
			return errors.Join(err, fmt.Errorf("%s: answer %d", attack.what, status))
		}
		fmt.Fprintf(s.out, "  %-6s %s\n", "", attack.what)
	}
	return nil
}

func (s *story) post(ctx context.Context, to string, header http.Header, body string) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header = header.Clone()
	r.Header.Del("Content-Length")
	res, err := s.outside.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}
