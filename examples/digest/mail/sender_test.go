package mail_test

import (
	"context"
	"errors"
	"net"
	netmail "net/mail"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/digest/internal/sendertest"
	"github.com/plaza-sdk/plaza/examples/digest/mail"
	"github.com/plaza-sdk/plaza/examples/digest/mailbox"
)

func TestTheRelaysAnswerDecidesWhetherAnotherAttemptHelps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at        mailbox.Stage
		code      int
		permanent bool
	}{
		"no such mailbox":              {mailbox.To, 550, true},
		"a full mailbox":               {mailbox.To, 452, false},
		"greylisted":                   {mailbox.To, 451, false},
		"content refused":              {mailbox.Data, 554, true},
		"content refused for now":      {mailbox.Data, 451, false},
		"going away":                   {mailbox.Greeted, 421, false},
		"no service, about us":         {mailbox.Greeted, 554, false},
		"going away later":             {mailbox.To, 421, false},
		"the sender is refused, so us": {mailbox.From, 550, false},
		"login needed":                 {mailbox.To, 530, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, offered(func(at mailbox.Stage) error {
				if at == c.at {
					return mailbox.Answer(c.code, "ann@example.test is secret")
				}
				return nil
			}), nil)
			err := w.sender.Send(t.Context(), today)
			require.Error(t, err)
			require.Equal(t, c.permanent, sendertest.Permanent(err), err)
			require.Empty(t, w.Mails())
			if c.at != mailbox.Greeted {
				require.NotContains(t, err.Error(), "secret")
				require.NotContains(t, err.Error(), "example.test")
			}
		})
	}
}

// The sender cannot know whether the relay kept the mail.
func TestAConnectionThatBreaksIsTriedAgainUnderTheSameMessageID(t *testing.T) {
	t.Parallel()
	for stage, kept := range map[mailbox.Stage]int{
		mailbox.Greeted: 0, mailbox.From: 0, mailbox.To: 0, mailbox.Data: 0, mailbox.Kept: 1,
	} {
		t.Run(string(stage), func(t *testing.T) {
			t.Parallel()
			broken := true
			w := newWorld(t, offered(func(at mailbox.Stage) error {
				if broken && at == stage {
					broken = false
					return mailbox.ErrHangUp
				}
				return nil
			}), nil)
			err := w.sender.Send(t.Context(), today)
			require.Error(t, err)
			require.False(t, sendertest.Permanent(err), err)
			require.Len(t, w.Mails(), kept)
			require.NoError(t, w.sender.Send(t.Context(), today))
			mails := w.Mails()
			require.Len(t, mails, kept+1)
			for _, m := range mails {
				require.Equal(t, parse(t, mails[0]).header.Get("Message-Id"), parse(t, m).header.Get("Message-Id"))
			}
		})
	}
}

// The relay has the mail, so a repeat would only be noise.
func TestAConnectionThatBreaksAfterTheAnswerDoesNotMatter(t *testing.T) {
	t.Parallel()
	w := newWorld(t, offered(func(at mailbox.Stage) error {
		if at == mailbox.Answered {
			return mailbox.ErrHangUp
		}
		return nil
	}), nil)
	require.NoError(t, w.sender.Send(t.Context(), today))
	require.Len(t, w.Mails(), 1)
}

func TestTLSIsUsedAndRequired(t *testing.T) {
	t.Parallel()
	none := &mailbox.Options{}
	w := newWorld(t, none, nil)
	w.fails(t, "the relay offers none")
	w = newWorld(t, none, &mail.Options{Plaintext: true})
	require.False(t, w.sent(t, today).Secured)
	w = newWorld(t, nil, &mail.Options{Plaintext: true})
	require.True(t, w.sent(t, today).Secured, "the relay offers it")

	for _, plaintext := range []bool{false, true} {
		w = newWorld(t, nil, nil)
		stranger, err := mail.New(w.Addr, from, link(t, "https://plaza.test/u"), w.desk, &mail.Options{Plaintext: plaintext})
		require.NoError(t, err)
		require.Error(t, stranger.Send(t.Context(), today), "nobody vouches for the certificate")
		require.Empty(t, w.Mails())
	}
}

func TestTheRelayMayWantAPassword(t *testing.T) {
	t.Parallel()
	for password, ok := range map[string]bool{"correct": true, "wrong": false, "": false} {
		box := offered(nil)
		box.Username, box.Password = "plaza", "correct"
		opts := &mail.Options{Username: "plaza", Password: password}
		if password == "" {
			opts.Username = ""
		}
		w := newWorld(t, box, opts)
		if ok {
			require.Equal(t, "plaza", w.sent(t, today).Username)
		} else {
			w.fails(t, "the password may be put right")
		}
	}
	box := &mailbox.Options{Username: "plaza", Password: "correct"}
	w := newWorld(t, box, &mail.Options{Username: "plaza", Password: "correct", Plaintext: true})
	w.fails(t, "a password never travels in plain text")
}

// silent accepts connections and says nothing.
func silent(t *testing.T) (address string, met <-chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	connected := make(chan struct{}, 1)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			connected <- struct{}{}
			defer func() { _ = conn.Close() }() // at the end of the test
		}
	}()
	return l.Addr().String(), connected
}

func TestASilentRelayDoesNotHoldTheSender(t *testing.T) {
	t.Parallel()
	address, met := silent(t)
	sender, err := mail.New(address, from, link(t, "https://plaza.test/u"), newDesk(), &mail.Options{Timeout: time.Hour})
	require.NoError(t, err)
	ctx, stop := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	go func() {
		<-met
		stop(stopped)
	}()
	require.ErrorIs(t, sender.Send(ctx, today), stopped)

	sender, err = mail.New(address, from, link(t, "https://plaza.test/u"), newDesk(), &mail.Options{Timeout: time.Millisecond})
	require.NoError(t, err)
	err = sender.Send(t.Context(), today)
	var late interface{ Timeout() bool }
	require.ErrorAs(t, err, &late)
	require.True(t, late.Timeout())
	require.False(t, sendertest.Permanent(err))
}

func TestAUserWithoutAnAddressIsDropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	w.err = plaza.ErrNotFound
	require.True(t, sendertest.Permanent(w.sender.Send(t.Context(), today)))
	w.err = plaza.ErrBusy
	err := w.sender.Send(t.Context(), today)
	require.ErrorIs(t, err, plaza.ErrBusy)
	require.False(t, sendertest.Permanent(err))
	require.Empty(t, w.Mails())
}

func TestInvalidConfigurationFailsInTheConstructor(t *testing.T) {
	t.Parallel()
	const relay = "relay.test:587"
	leave := link(t, "https://plaza.test/u")
	for field, make := range map[string]func() (*mail.Sender, error){
		"relay": func() (*mail.Sender, error) { return mail.New("relay.test", from, leave, newDesk(), nil) },
		"from": func() (*mail.Sender, error) {
			return mail.New(relay, netmail.Address{Address: "x"}, leave, newDesk(), nil)
		},
		"unsubscribe": func() (*mail.Sender, error) {
			return mail.New(relay, from, link(t, "http://plaza.test/u"), newDesk(), nil)
		},
		"Options.Timeout": func() (*mail.Sender, error) {
			return mail.New(relay, from, leave, newDesk(), &mail.Options{Timeout: -1})
		},
		"Options.ListID": func() (*mail.Sender, error) {
			return mail.New(relay, from, leave, newDesk(), &mail.Options{ListID: "a\r\nb"})
		},
	} {
		_, err := make()
		invalid(t, err, field)
	}
	for _, none := range []*url.URL{nil, {}, {Scheme: "https"}} {
		_, err := mail.New(relay, from, none, newDesk(), nil)
		invalid(t, err, "unsubscribe")
	}
	_, err := mail.New(relay, from, leave, nil, nil)
	invalid(t, err, "desk")
}
