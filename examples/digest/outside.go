package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	netmail "net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza/examples/digest/loopback"
	"github.com/plaza-sdk/plaza/examples/digest/mail"
	"github.com/plaza-sdk/plaza/examples/digest/mailbox"
	"github.com/plaza-sdk/plaza/examples/digest/sms"
	"github.com/plaza-sdk/plaza/examples/digest/webhook"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// outside is where digests arrive: the mail server, chris's service and zoe's phone.
type outside struct {
	mails  *mailbox.Server
	client *http.Client // trusts the servers on loopback
	hook   string       // the URL of chris's service
	secret webhook.Secret
	now    func() time.Time

	mu      sync.Mutex
	relay   []func(mailbox.Stage) error // what the mail server does with the next mails
	arrived []arrival                   // by webhook and by text message
	posts   []post                      // at chris's service
	closers []func() error
}

// arrival is a digest as a person's program shows it. A repeat has the same id.
type arrival struct {
	user, id, text string
	leave          string // the link that unsubscribes
}

// post is a recorded request.
type post struct {
	header http.Header
	body   []byte
}

func newOutside(ctx context.Context, s *site) (o *outside, senders byChannel, err error) {
	o = &outside{secret: make([]byte, 32), now: s.Now}
	_, _ = rand.Read(o.secret) // never fails
	defer func() {
		if err != nil {
			err = errors.Join(err, o.Close())
		}
	}()
	serves, trusts, err := loopback.Certificate(time.Now())
	if err != nil {
		return o, nil, err
	}
	transport := &http.Transport{TLSClientConfig: trusts}
	o.client = &http.Client{Transport: transport}
	o.closers = append(o.closers, func() error { transport.CloseIdleConnections(); return nil })
	if o.mails, err = mailbox.New(ctx, &mailbox.Options{TLS: serves, On: o.answer}); err != nil {
		return o, nil, err
	}
	o.closers = append(o.closers, o.mails.Close)
	base, stop, err := loopback.Serve(ctx, serves, o.routes(s.wants))
	if err != nil {
		return o, nil, err
	}
	o.closers = append(o.closers, stop)
	o.hook = base + "/chris"

	leave, err := url.Parse(base + "/unsubscribe")
	if err != nil {
		return o, nil, err
	}
	byMails, err := mail.New(o.mails.Addr, netmail.Address{Name: "Plaza", Address: "digest@plaza.test"}, leave, people, &mail.Options{TLS: trusts, Now: s.Now})
	if err != nil {
		return o, nil, err
	}
	hooks, err := webhook.New(o, &webhook.Options{TLS: trusts, Now: s.Now, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	if err != nil {
		return o, nil, err
	}
	o.closers = append(o.closers, func() error { hooks.Close(); return nil })
	texts, err := sms.New(o, people, nil)
	return o, byChannel{byMail: byMails, byHook: hooks, byText: texts}, err
}

// routes are those of the site's page and of chris's service.
func (o *outside) routes(wants *prefs.Repository) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /unsubscribe/{token}", func(w http.ResponseWriter, r *http.Request) { unsubscribe(wants, w, r) })
	mux.HandleFunc("POST /chris", o.receive)
	return mux
}

// Close ends its servers, the last one first.
func (o *outside) Close() error {
	var failed []error
	for _, closes := range slices.Backward(o.closers) {
		failed = append(failed, closes())
	}
	return errors.Join(failed...)
}

// byChannel is a digest.Sender of several channels.
type byChannel map[string]digest.Sender

func (b byChannel) Send(ctx context.Context, d digest.Digest) error {
	if sender, ok := b[d.Channel]; ok {
		return sender.Send(ctx, d)
	}
	return digest.Permanent(fmt.Errorf("no sender for channel %q", d.Channel))
}

// unsubscribe handles the one-click request of RFC 8058. Example httpapi also has the
// page for users who follow the link.
func unsubscribe(wants *prefs.Repository, w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	if r.PostFormValue("List-Unsubscribe") != "One-Click" {
		http.Error(w, "not one click", http.StatusBadRequest)
		return
	}
	_, _, err := wants.Unsubscribe(r.Context(), r.PathValue("token"))
	switch {
	case errors.Is(err, prefs.ErrToken):
		http.Error(w, "this link is not valid", http.StatusBadRequest)
	case err != nil:
		http.Error(w, "try again", http.StatusServiceUnavailable)
	}
}

// Endpoint makes it webhook.Endpoints.
func (o *outside) Endpoint(context.Context, string) (webhook.Endpoint, error) {
	return webhook.Endpoint{URL: o.hook, Secrets: []webhook.Secret{o.secret}}, nil
}

// receive is chris's service. It handles each message once.
func (o *outside) receive(w http.ResponseWriter, r *http.Request) {
	m, err := webhook.Verify(r, o.now(), o.secret)
	var event webhook.Event
	if err == nil {
		err = json.Unmarshal(m.Body, &event)
	}
	if err != nil {
		http.Error(w, "refused", http.StatusUnauthorized)
		return
	}
	o.mu.Lock()
	o.posts = append(o.posts, post{r.Header.Clone(), m.Body})
	o.mu.Unlock()
	o.arrive(arrival{user: event.Data.User, id: m.ID, text: subject(event.Data) + ": " + strings.Join(lines(event.Data), "; ")})
}

// Text makes it an sms.Texter. Its gateway sends messages with the same key only once.
func (o *outside) Text(_ context.Context, to, key, body string) error {
	for user, p := range people {
		if p.phone == to {
			o.arrive(arrival{user: user, id: key, text: body})
		}
	}
	return nil
}

func (o *outside) arrive(a arrival) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.arrived = append(o.arrived, a)
}

// answer returns the next planned fault.
func (o *outside) answer(at mailbox.Stage) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.relay) == 0 {
		return nil
	}
	err := o.relay[0](at)
	if err != nil {
		o.relay = o.relay[1:]
	}
	return err
}

// plan plans the faults of the next mails, one each.
func (o *outside) plan(faults ...func(mailbox.Stage) error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.relay = faults
}

// last is the last post at chris's service.
func (o *outside) last() post {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.posts[len(o.posts)-1]
}
