package mail_test

import (
	"bytes"
	"context"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/digest/internal/sendertest"
	"github.com/plaza-sdk/plaza/examples/digest/mail"
	"github.com/plaza-sdk/plaza/examples/digest/mailbox"
	"github.com/plaza-sdk/plaza/notify/digest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	_ digest.Sender = (*mail.Sender)(nil)

	from = netmail.Address{Name: "Plaza", Address: "digest@plaza.test"}
	noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
)

// desk returns what a test sets.
type desk struct {
	address netmail.Address
	letter  mail.Letter
	err     error
}

func (d *desk) Address(context.Context, string) (netmail.Address, error) { return d.address, d.err }

func (d *desk) Letter(context.Context, digest.Digest) (mail.Letter, error) {
	return d.letter, nil
}

func newDesk() *desk {
	return &desk{
		address: netmail.Address{Name: "Ann", Address: "ann@example.test"},
		letter: mail.Letter{
			Lang: "en", Subject: "2 things happened", Unsubscribe: "Unsubscribe",
			Lines: []mail.Line{{"bob likes your picture 10", "https://plaza.test/pictures/10"}, {"eve follows you", ""}},
		},
	}
}

var today = digest.Digest{Key: "ann/email/1", User: "ann", Channel: "email", Unsubscribe: "t0ken"}

// world is a relay, and a sender that hands mails to it.
type world struct {
	*mailbox.Server
	*desk
	sender *mail.Sender
}

func newWorld(t *testing.T, box *mailbox.Options, opts *mail.Options) world {
	t.Helper()
	serves, trusts := mailbox.Loopback()
	if box == nil {
		box = &mailbox.Options{TLS: serves}
	} else if box.TLS != nil {
		box.TLS = serves
	}
	w := world{desk: newDesk()}
	var err error
	w.Server, err = mailbox.New(t.Context(), box)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	if opts == nil {
		opts = &mail.Options{}
	}
	if opts.TLS == nil {
		opts.TLS = trusts
	}
	opts.Now = func() time.Time { return noon }
	w.sender, err = mail.New(w.Addr, from, link(t, "https://plaza.test/unsubscribe/"), w.desk, opts)
	require.NoError(t, err)
	return w
}

func link(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	require.NoError(t, err)
	return u
}

// offered returns the options of a relay that offers STARTTLS and calls on at each
// stage.
func offered(on func(mailbox.Stage) error) *mailbox.Options {
	serves, _ := mailbox.Loopback()
	return &mailbox.Options{TLS: serves, On: on}
}

// sent sends a digest and returns the single mail that arrived.
func (w world) sent(t *testing.T, d digest.Digest) received {
	t.Helper()
	require.NoError(t, w.sender.Send(t.Context(), d))
	mails := w.Mails()
	require.Len(t, mails, 1)
	return parse(t, mails[0])
}

// fails sends a digest in vain. Another attempt may help, and no mail arrived.
func (w world) fails(t *testing.T, why string) {
	t.Helper()
	err := w.sender.Send(t.Context(), today)
	require.Error(t, err, why)
	require.False(t, sendertest.Permanent(err), err)
	require.Empty(t, w.Mails(), why)
}

// received is a mail as its reader's program understands it.
type received struct {
	mailbox.Mail
	header     netmail.Header
	text, html string
}

func parse(t *testing.T, m mailbox.Mail) received {
	t.Helper()
	for line := range bytes.Lines(m.Raw) {
		require.True(t, bytes.HasSuffix(line, []byte("\r\n")), "%q", line)
		require.LessOrEqual(t, len(line), 1000)
		require.NotContains(t, string(bytes.TrimSuffix(line, []byte("\r\n"))), "\r")
		for _, c := range line {
			require.Less(t, c, byte(0x80))
		}
	}
	parsed, err := netmail.ReadMessage(bytes.NewReader(m.Raw))
	require.NoError(t, err)
	kind, params, err := mime.ParseMediaType(parsed.Header.Get("Content-Type"))
	require.NoError(t, err)
	require.Equal(t, "multipart/alternative", kind)
	parts := multipart.NewReader(parsed.Body, params["boundary"])
	text := part(t, parts, "text/plain")
	html := part(t, parts, "text/html") // the last one is preferred
	_, err = parts.NextRawPart()
	require.ErrorIs(t, err, io.EOF)
	return received{m, parsed.Header, text, html}
}

func part(t *testing.T, parts *multipart.Reader, kind string) string {
	t.Helper()
	p, err := parts.NextRawPart()
	require.NoError(t, err)
	got, params, err := mime.ParseMediaType(p.Header.Get("Content-Type"))
	require.NoError(t, err)
	require.Equal(t, kind, got)
	require.Equal(t, "UTF-8", params["charset"])
	require.Equal(t, "quoted-printable", p.Header.Get("Content-Transfer-Encoding"))
	body, err := io.ReadAll(quotedprintable.NewReader(p))
	require.NoError(t, err)
	return string(bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n")))
}

// subject is what the reader sees.
func (r received) subject(t *testing.T) string {
	t.Helper()
	text, err := new(mime.WordDecoder).DecodeHeader(r.header.Get("Subject"))
	require.NoError(t, err)
	return text
}

func invalid(t *testing.T, err error, field string) {
	t.Helper()
	var found *plaza.InvalidError
	require.ErrorAs(t, err, &found)
	require.Equal(t, field, found.Field)
}
