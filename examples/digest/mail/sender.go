// Package mail sends digests by e-mail. Copy it, and give it your Desk.
//
//	sender, err := mail.New("smtp.example.com:587", from, unsubscribe, desk, &mail.Options{Username: "plaza", Password: secret})
//
// A mail has a text part, an HTML part, and a link that unsubscribes with one click
// (RFC 8058). Mail programs show that link only if the mail has a DKIM signature; let
// the relay sign.
package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"net"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	texttemplate "text/template"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/notify/digest"
)

// Desk gives a Sender addresses and letters.
type Desk interface {
	// Address returns a user's address. If the error is plaza.ErrNotFound, the digest is
	// dropped.
	Address(ctx context.Context, user string) (mail.Address, error)

	// Letter puts a digest into words, in the user's language.
	Letter(ctx context.Context, d digest.Digest) (Letter, error)
}

// Letter is the content of a mail. Its texts may contain what users wrote.
type Letter struct {
	Lang        string // as in HTML, such as "en"
	Subject     string
	Lines       []Line
	Unsubscribe string // the words of the link that unsubscribes
}

// Line is about one entry.
type Line struct {
	Text string
	Link string // an https URL; any other is left out
}

// Options of a Sender. The zero value works.
type Options struct {
	// Username and Password log in to the relay, over TLS only. Defaults to none.
	Username, Password string

	// TLS configures STARTTLS. Defaults to the roots of this machine.
	TLS *tls.Config

	// Plaintext allows a relay that offers no STARTTLS. Defaults to an error there.
	Plaintext bool

	// Timeout bounds the conversation with the relay. Defaults to 30 s.
	Timeout time.Duration

	// ListID is the mails' list, as in RFC 2919. Defaults to "digest." and From's domain.
	ListID string

	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

// Sender is a digest.Sender.
type Sender struct {
	host        string
	port        int
	from        mail.Address
	domain      string // of from
	unsubscribe url.URL
	desk        Desk
	html        *htmltemplate.Template
	text        *texttemplate.Template
	opts        Options
}

// New does no I/O. The relay is host:port. Unsubscribe is an https URL, to which each
// mail adds its digest's token.
func New(relay string, from mail.Address, unsubscribe *url.URL, desk Desk, opts *Options) (*Sender, error) {
	s := &Sender{desk: desk, html: htmlPart(), text: textPart()}
	if opts != nil {
		s.opts = *opts
	}
	host, port, err := net.SplitHostPort(relay)
	if err == nil {
		s.port, err = strconv.Atoi(port)
	}
	if err != nil || host == "" {
		return nil, &plaza.InvalidError{Field: "relay", Reason: "is not host:port"}
	}
	s.host = host
	if err := checkAddress("from", from.Address); err != nil {
		return nil, err
	}
	s.from = mail.Address{Name: header(from.Name, maxName), Address: from.Address}
	s.domain = from.Address[strings.LastIndexByte(from.Address, '@')+1:]
	switch {
	case unsubscribe == nil || !secure(unsubscribe):
		return nil, &plaza.InvalidError{Field: "unsubscribe", Reason: "is not https"}
	case desk == nil:
		return nil, &plaza.InvalidError{Field: "desk", Reason: "is missing"}
	}
	s.unsubscribe = *unsubscribe
	return s, s.setDefaults()
}

func (s *Sender) setDefaults() error {
	if s.opts.Timeout == 0 {
		s.opts.Timeout = 30 * time.Second
	}
	if s.opts.ListID == "" {
		s.opts.ListID = "digest." + s.domain
	}
	if s.opts.Now == nil {
		s.opts.Now = time.Now
	}
	switch {
	case s.opts.Timeout < 0:
		return &plaza.InvalidError{Field: "Options.Timeout", Reason: "is negative"}
	case strings.ContainsFunc(s.opts.ListID, func(r rune) bool { return r <= ' ' || r > '~' || r == '<' || r == '>' }):
		return &plaza.InvalidError{Field: "Options.ListID", Reason: "is not a list's name"}
	}
	return nil
}

// Send hands a digest to the relay. A repeat has the same Message-ID. If the relay
// refuses the recipient or the message with 5xx, the error is digest.Permanent.
//
// Cost: none.
func (s *Sender) Send(ctx context.Context, d digest.Digest) error {
	to, err := s.desk.Address(ctx, d.User)
	if err == nil {
		err = checkAddress("Address", to.Address)
	}
	if errors.Is(err, plaza.ErrNotFound) || errors.Is(err, plaza.ErrInvalid) {
		err = digest.Permanent(err)
	}
	if err != nil {
		return fmt.Errorf("mail: address of %s: %w", d.User, err)
	}
	letter, err := s.desk.Letter(ctx, d)
	if err != nil {
		return fmt.Errorf("mail: letter to %s: %w", d.User, err)
	}
	m, err := s.message(to, letter, d)
	if err == nil {
		err = s.deliver(ctx, m)
	}
	if err != nil {
		return fmt.Errorf("mail: to %s: %w", d.User, err)
	}
	return nil
}

// deliver hands a message to the relay within the time that it may take.
func (s *Sender) deliver(ctx context.Context, m *gomail.Msg) error {
	ctx, hangUp := context.WithTimeout(ctx, s.opts.Timeout)
	defer hangUp()
	var dialer net.Dialer
	client, err := s.client(func(dialing context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(dialing, network, address)
		if err == nil {
			context.AfterFunc(ctx, func() { _ = conn.Close() }) // after the dial the client ignores ctx
		}
		return conn, err
	})
	if err != nil {
		return err
	}
	relay, err := client.DialToSMTPClientWithContext(ctx)
	if err == nil {
		err = refusal(client.SendWithSMTPClient(relay, m))
	}
	if m.IsDelivered() { // an error after that does not matter
		_ = client.CloseWithSMTPClient(relay)
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		err = errors.Join(cause, err)
	}
	return err
}

func (s *Sender) client(dial gomail.DialContextFunc) (*gomail.Client, error) {
	secured := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.opts.TLS != nil {
		secured = s.opts.TLS.Clone()
	}
	if secured.ServerName == "" {
		secured.ServerName = s.host
	}
	policy := gomail.TLSMandatory
	if s.opts.Plaintext {
		policy = gomail.TLSOpportunistic
	}
	opts := []gomail.Option{
		gomail.WithPort(s.port), gomail.WithTLSConfig(secured), gomail.WithTLSPolicy(policy),
		gomail.WithTimeout(s.opts.Timeout), gomail.WithDialContextFunc(dial),
		gomail.WithoutNoop(), gomail.WithoutRset(), // one message a connection
	}
	if s.opts.Username != "" {
		opts = append(opts, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
			gomail.WithUsername(s.opts.Username), gomail.WithPassword(s.opts.Password))
	}
	return gomail.NewClient(s.host, opts...)
}

// refusal leaves out the relay's text, which may have the address in it. Only a refusal
// of the recipient or the message is permanent. Other 5xx answers are about our own
// setup, such as an expired password, and must not drop everybody's digests.
func refusal(err error) error {
	var failed *gomail.SendError
	if !errors.As(err, &failed) {
		return err
	}
	err = fmt.Errorf("%s: answer %d", failed.Reason, failed.ErrorCode())
	switch failed.Reason {
	case gomail.ErrSMTPRcptTo, gomail.ErrSMTPData, gomail.ErrSMTPDataClose:
		if code := failed.ErrorCode(); code >= 500 && code != 530 && code != 535 {
			return digest.Permanent(err)
		}
	}
	return err
}
