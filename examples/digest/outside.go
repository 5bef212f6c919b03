package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest" //nolint:depguard // a server with TLS on loopback
	netmail "net/mail"
	"net/netip"
	"net/url"
	"strings"
	"sync"

	"github.com/plaza-sdk/plaza/examples/digest/mail"
	"github.com/plaza-sdk/plaza/examples/digest/mailbox"
	"github.com/plaza-sdk/plaza/examples/digest/webhook"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// outside is where digests arrive: the mail server and chris's service.
type outside struct {
	site   *site
	mails  *mailbox.Server
	web    *httptest.Server // the site's page that unsubscribes, and chris's service
	hooks  *webhook.Sender
	secret webhook.Secret
	read   int // mails

	mu      sync.Mutex
	arrived []arrival
}

// arrival is a digest as a person's program shows it.
type arrival struct {
	user, text string
	leave      string // the link that unsubscribes
}

func newOutside(ctx context.Context, s *site) (o *outside, senders byChannel, err error) {
	o = &outside{site: s, secret: make([]byte, 32)}
	_, _ = rand.Read(o.secret) // never fails
	mux := http.NewServeMux()
	mux.HandleFunc("POST /unsubscribe/{token}", func(w http.ResponseWriter, r *http.Request) { unsubscribe(s.wants, w, r) })
	mux.HandleFunc("POST /chris", o.receive)
	o.web = httptest.NewTLSServer(mux)
	defer func() {
		if err != nil {
			err = errors.Join(err, o.Close())
		}
	}()
	serves, trusts := mailbox.Loopback()
	if o.mails, err = mailbox.New(ctx, &mailbox.Options{TLS: serves}); err != nil {
		return o, nil, err
	}
	leave, err := url.Parse(o.web.URL + "/unsubscribe")
	if err != nil {
		return o, nil, err
	}
	byMails, err := mail.New(o.mails.Addr, netmail.Address{Name: "Plaza", Address: "digest@plaza.test"}, leave, people, &mail.Options{TLS: trusts, Now: s.Now})
	if err != nil {
		return o, nil, err
	}
	// Users' endpoints have public addresses; this one has not.
	o.hooks, err = webhook.New(o, &webhook.Options{TLS: trusts, Now: s.Now, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	if err != nil {
		return o, nil, err
	}
	return o, byChannel{byMail: byMails, byHook: o.hooks}, err
}

// Close ends the servers.
func (o *outside) Close() (err error) {
	if o.hooks != nil {
		o.hooks.Close()
	}
	if o.mails != nil {
		err = o.mails.Close()
	}
	o.web.Close()
	return err
}

// byChannel is a digest.Sender of several channels.
type byChannel map[string]digest.Sender

func (b byChannel) Send(ctx context.Context, d digest.Digest) error {
	if sender, ok := b[d.Channel]; ok {
		return sender.Send(ctx, d)
	}
	return digest.Permanent(fmt.Errorf("no sender for channel %q", d.Channel))
}

// unsubscribe handles the one-click request of RFC 8058. A GET must change nothing, because
// filters of mail follow links too.
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
	return webhook.Endpoint{URL: o.web.URL + "/chris", Secrets: []webhook.Secret{o.secret}}, nil
}

// receive is chris's service. A real one handles each m.ID once.
func (o *outside) receive(w http.ResponseWriter, r *http.Request) {
	m, err := webhook.Verify(r, o.site.Now(), o.secret)
	var event webhook.Event
	if err == nil {
		err = json.Unmarshal(m.Body, &event)
	}
	if err != nil {
		http.Error(w, "refused", http.StatusUnauthorized)
		return
	}
	o.arrive(arrival{user: event.Data.User, text: subject(event.Data) + ": " + strings.Join(lines(event.Data), "; ")})
}

func (o *outside) arrive(a arrival) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.arrived = append(o.arrived, a)
}

// news returns what arrived since the last call.
func (o *outside) news() ([]arrival, error) {
	mails := o.mails.Mails()
	for _, m := range mails[o.read:] {
		parsed, err := netmail.ReadMessage(bytes.NewReader(m.Raw))
		if err != nil {
			return nil, err
		}
		a := arrival{text: parsed.Header.Get("Subject"), leave: strings.Trim(parsed.Header.Get("List-Unsubscribe"), "<>")}
		for user, p := range people {
			if p.address.Address == m.To {
				a.user = user
			}
		}
		o.arrive(a)
	}
	o.read = len(mails)
	o.mu.Lock()
	defer o.mu.Unlock()
	all := o.arrived
	o.arrived = nil
	return all, nil
}
