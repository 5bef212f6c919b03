// Package mailbox is an SMTP server that keeps its mails in memory. Copy it for your tests.
package mailbox

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest" //nolint:depguard // a server with TLS on loopback
	"slices"
	"sync"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Mail is a message as it arrived.
type Mail struct {
	From, To string // of the envelope
	Raw      []byte
	Secured  bool   // by TLS
	Username string // of the sender who logged in, if any
}

// Stage is a moment of a conversation.
type Stage string

// The stages, in their order.
const (
	Greeted  Stage = "greeted"  // a sender connected
	From     Stage = "from"     // MAIL FROM
	To       Stage = "to"       // RCPT TO
	Data     Stage = "data"     // the message is there, and is not kept yet
	Kept     Stage = "kept"     // the message is kept, and the sender does not know
	Answered Stage = "answered" // the sender may know
)

// ErrHangUp ends the conversation without an answer.
var ErrHangUp = errors.New("mailbox: hang up")

// Answer returns an error that makes the server answer with the code.
func Answer(code int, text string) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: smtp.NoEnhancedCode, Message: text}
}

// Options of a Server. The zero value works.
type Options struct {
	// TLS is what STARTTLS uses. Defaults to none: the server does not offer it.
	TLS *tls.Config

	// Username and Password are what senders must log in with, over TLS. Defaults to none.
	Username, Password string

	// On is called at each stage, and may return an Answer or ErrHangUp. Defaults to
	// nothing.
	On func(Stage) error
}

// Server is a mail server on this machine. Close it.
type Server struct {
	Addr string

	opts     Options
	listener net.Listener
	server   *smtp.Server
	ended    chan struct{}

	mu   sync.Mutex
	kept []Mail
}

// New starts a Server on a port of its own.
func New(ctx context.Context, opts *Options) (*Server, error) {
	s := &Server{ended: make(chan struct{})}
	if opts != nil {
		s.opts = *opts
	}
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.listener, s.Addr = l, l.Addr().String()
	s.server = smtp.NewServer(smtp.BackendFunc(s.session))
	s.server.Domain = "localhost"
	s.server.TLSConfig = s.opts.TLS
	s.server.MaxRecipients = 1
	s.server.MaxMessageBytes = 10 << 20
	s.server.ReadTimeout, s.server.WriteTimeout = time.Minute, time.Minute
	s.server.ErrorLog = log.New(io.Discard, "", 0) // conversations that were cut
	go func() {
		defer close(s.ended)
		_ = s.server.Serve(l) // until Close
	}()
	return s, nil
}

// Close ends all conversations.
func (s *Server) Close() error {
	err := s.server.Close()
	_ = s.listener.Close() // the server may not know it yet
	<-s.ended
	return err
}

// Mails returns the mails that were kept, in order of arrival.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.kept)
}

func (s *Server) session(c *smtp.Conn) (smtp.Session, error) {
	in := &conversation{server: s, conn: c}
	return in, in.reached(Greeted)
}

// conversation is a session with one sender.
type conversation struct {
	server *Server
	conn   *smtp.Conn
	mail   Mail
	user   string
	kept   bool
}

// reached calls On.
func (c *conversation) reached(stage Stage) error {
	if c.server.opts.On == nil {
		return nil
	}
	err := c.server.opts.On(stage)
	if errors.Is(err, ErrHangUp) {
		_ = c.conn.Conn().Close()
	}
	return err
}

func (c *conversation) AuthMechanisms() []string {
	if c.server.opts.Username == "" {
		return nil
	}
	return []string{sasl.Plain}
}

func (c *conversation) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, username, password string) error {
		if username != c.server.opts.Username || password != c.server.opts.Password {
			return smtp.ErrAuthFailed
		}
		c.user = username
		return nil
	}), nil
}

func (c *conversation) Mail(from string, _ *smtp.MailOptions) error {
	if c.user != c.server.opts.Username {
		return smtp.ErrAuthRequired
	}
	c.mail.From = from
	return c.reached(From)
}

func (c *conversation) Rcpt(to string, _ *smtp.RcptOptions) error {
	c.mail.To = to
	return c.reached(To)
}

func (c *conversation) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := c.reached(Data); err != nil {
		return err
	}
	_, secured := c.conn.TLSConnectionState()
	c.server.mu.Lock()
	c.server.kept = append(c.server.kept, Mail{c.mail.From, c.mail.To, raw, secured, c.user})
	c.server.mu.Unlock()
	c.kept = true
	return c.reached(Kept)
}

func (c *conversation) Reset() {
	if c.kept {
		_ = c.reached(Answered)
	}
	c.mail, c.kept = Mail{}, false
}

func (c *conversation) Logout() error { return nil }

// Loopback returns how servers on 127.0.0.1 and their clients use TLS.
func Loopback() (server, client *tls.Config) {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	server = &tls.Config{Certificates: s.TLS.Certificates, MinVersion: tls.VersionTLS12}
	return server, s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
}
