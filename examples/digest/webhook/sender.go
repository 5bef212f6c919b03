// Package webhook sends digests to users' own HTTP endpoints, signed as
// standardwebhooks.com specifies. Receivers check them with Verify. Copy it, and give it
// your Endpoints.
//
//	sender, err := webhook.New(endpoints, nil)
//
//	message, err := webhook.Verify(r, time.Now(), secret) // in the receiver's handler
package webhook

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/notify/digest"
)

// MaxBody is how long a message's body may be, in bytes.
const MaxBody = 1 << 20

// maxAnswer is how much of an answer is read, so that its connection can be used again.
const maxAnswer = 4 << 10

// Endpoints has the endpoints to which users want their digests sent.
type Endpoints interface {
	// Endpoint returns a user's endpoint. If the error is plaza.ErrNotFound, the digest
	// is dropped.
	Endpoint(ctx context.Context, user string) (Endpoint, error)
}

// Endpoint is where a user's digests go.
type Endpoint struct {
	URL string // https

	// Each message is signed with all Secrets. To rotate, list the new and the old one
	// until the receiver has the new one.
	Secrets []Secret
}

// Event is a message's body, as JSON.
type Event struct {
	Type      string        `json:"type"` // "digest"
	Timestamp time.Time     `json:"timestamp"`
	Data      digest.Digest `json:"data"`
}

// RefusedError is an answer that is not 2xx. After 410 it is digest.Permanent.
type RefusedError struct {
	Status int
	After  time.Duration // Retry-After, if there is one; a digest.Worker ignores it
}

func (e *RefusedError) Error() string { return fmt.Sprintf("webhook: answer %d", e.Status) }

// Options of a Sender. The zero value works.
type Options struct {
	// Allow lists private networks that may be reached, such as the service's own.
	// Defaults to none.
	Allow []netip.Prefix

	// TLS configures connections. Defaults to the roots of this machine.
	TLS *tls.Config

	// Timeout bounds a request. Defaults to 15 s.
	Timeout time.Duration

	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

// Sender is a digest.Sender. Close it.
type Sender struct {
	endpoints Endpoints
	transport *http.Transport
	client    *http.Client
	opts      Options
}

// New does no I/O.
func New(endpoints Endpoints, opts *Options) (*Sender, error) {
	s := &Sender{endpoints: endpoints}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Timeout == 0 {
		s.opts.Timeout = 15 * time.Second
	}
	if s.opts.Now == nil {
		s.opts.Now = time.Now
	}
	switch {
	case endpoints == nil:
		return nil, &plaza.InvalidError{Field: "endpoints", Reason: "is missing"}
	case s.opts.Timeout < 0:
		return nil, &plaza.InvalidError{Field: "Options.Timeout", Reason: "is negative"}
	}
	s.transport = transport(s.opts)
	s.client = &http.Client{
		Transport: s.transport,
		// A redirect is an answer like any other: the user has not chosen its target.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s, nil
}

// Close closes idle connections.
func (s *Sender) Close() { s.transport.CloseIdleConnections() }

// Send posts a digest. A repeat has the same webhook-id. An answer that is not 2xx is a
// RefusedError. A private address is digest.Permanent.
//
// Cost: none.
func (s *Sender) Send(ctx context.Context, d digest.Digest) error {
	to, err := s.endpoints.Endpoint(ctx, d.User)
	if err == nil {
		err = to.check()
	}
	if errors.Is(err, plaza.ErrNotFound) || errors.Is(err, plaza.ErrInvalid) {
		err = digest.Permanent(err)
	}
	if err == nil {
		err = s.post(ctx, to, d)
	}
	if err != nil {
		return fmt.Errorf("webhook: to %s: %w", d.User, err)
	}
	return nil
}

func (s *Sender) post(ctx context.Context, to Endpoint, d digest.Digest) error {
	now := s.opts.Now()
	body, err := json.Marshal(Event{"digest", now.UTC(), d})
	switch {
	case err != nil:
		return digest.Permanent(err)
	case len(body) > MaxBody:
		return digest.Permanent(&plaza.InvalidError{Field: "Entries", Reason: fmt.Sprintf("are %d bytes as JSON, at most %d are sent", len(body), MaxBody)})
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(body))
	if err != nil {
		return digest.Permanent(&plaza.InvalidError{Field: "URL", Reason: "cannot be requested"})
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "plaza-digest")
	id := messageID(d.Key)
	r.Header.Set(headerID, id)
	r.Header.Set(headerTimestamp, strconv.FormatInt(now.Unix(), 10))
	r.Header.Set(headerSignature, sign(id, now, body, to.Secrets))
	res, err := s.client.Do(r)
	if err != nil {
		return unreached(err)
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, maxAnswer) // only the status matters
	if res.StatusCode/100 == 2 {
		return nil
	}
	refused := &RefusedError{res.StatusCode, after(res.Header.Get("Retry-After"), now)}
	if res.StatusCode == http.StatusGone {
		return digest.Permanent(refused)
	}
	return refused
}

// messageID is the same in every attempt. It is a hash, because a key may contain any
// characters, even the dot that ends the id in the signed text.
func messageID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "digest_" + hex.EncodeToString(sum[:16])
}

// after reads a header Retry-After.
func after(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

func (e Endpoint) check() error {
	u, err := url.Parse(e.URL)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return &plaza.InvalidError{Field: "URL", Reason: "must be an https URL without a password"}
	}
	if len(e.Secrets) == 0 {
		return &plaza.InvalidError{Field: "Secrets", Reason: "are missing"}
	}
	for _, secret := range e.Secrets {
		if err := secret.check(); err != nil {
			return err
		}
	}
	return nil
}
