package webhook_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/digest/internal/sendertest"
	"github.com/plaza-sdk/plaza/examples/digest/webhook"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	_ digest.Sender = (*webhook.Sender)(nil)

	noon  = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	older = webhook.Secret("an older secret of 32 bytes here")
	newer = webhook.Secret("the newer secret of 32 bytes so.")

	today = digest.Digest{
		Key: "ann.1#webhook#\r\nX: 1", User: "ann", Channel: "webhook", From: noon.Add(-24 * time.Hour), Slot: noon,
		Entries: []notify.Entry{{
			Group: "g", Last: ids.At(noon), Listed: ids.At(noon),
			Summary: notify.Summary{
				Activity: feed.Activity{ID: ids.At(noon), Actor: feed.Ref{ID: "bob"}, Verb: "like", Object: feed.Ref{Kind: "picture", ID: "10"}},
				Actors:   []feed.Ref{{ID: "bob"}}, N: 1,
			},
		}},
		Attempt: 1,
	}
)

// receiver is a user's own service.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request // with bodies that can be read
	answer   http.HandlerFunc
}

func newReceiver(t *testing.T, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{answer: answer}
	r.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		kept := req.Clone(context.Background())
		kept.Body = io.NopCloser(strings.NewReader(string(body)))
		r.mu.Lock()
		r.requests = append(r.requests, kept)
		r.mu.Unlock()
		if r.answer != nil {
			r.answer(w, req)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) got() []*http.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.requests
}

type endpoints func() (webhook.Endpoint, error)

func (e endpoints) Endpoint(context.Context, string) (webhook.Endpoint, error) { return e() }

// sender sends to url. It may reach this machine, if private is set.
func (r *receiver) sender(t *testing.T, url string, private bool) *webhook.Sender {
	t.Helper()
	opts := &webhook.Options{
		TLS: r.Client().Transport.(*http.Transport).TLSClientConfig,
		Now: func() time.Time { return noon },
	}
	if private {
		opts.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}
	s, err := webhook.New(endpoints(func() (webhook.Endpoint, error) {
		return webhook.Endpoint{URL: url, Secrets: []webhook.Secret{newer, older}}, nil
	}), opts)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

func TestADigestArrivesSigned(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, nil)
	s := r.sender(t, r.URL+"/hook?a=b", true)
	for range 2 {
		require.NoError(t, s.Send(t.Context(), today))
	}
	other := today
	other.Key = "another"
	require.NoError(t, s.Send(t.Context(), other))
	var messages []webhook.Message
	for i, req := range r.got() {
		require.Equal(t, "POST /hook?a=b", req.Method+" "+req.URL.String())
		require.Equal(t, "application/json", req.Header.Get("Content-Type"))
		secret := []webhook.Secret{newer, older, older}[i]
		m, err := webhook.Verify(req, noon.Add(webhook.Tolerance), secret)
		require.NoError(t, err)
		messages = append(messages, m)
	}
	require.Len(t, messages, 3)
	require.Equal(t, messages[0].ID, messages[1].ID, "a repeat")
	require.NotEqual(t, messages[0].ID, messages[2].ID)
	require.Regexp(t, "^[a-z0-9_]+$", messages[0].ID)
	var event webhook.Event
	require.NoError(t, json.Unmarshal(messages[0].Body, &event))
	require.Equal(t, webhook.Event{Type: "digest", Timestamp: noon, Data: today}, event)
}

// The signature equals that of the standard's own Go library.
func TestTheSignatureIsTheStandards(t *testing.T) {
	t.Parallel()
	secret, err := webhook.ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	require.NoError(t, err)
	require.Equal(t, "whsec_…", fmt.Sprint(secret))
	require.NotContains(t, fmt.Sprintf("%#v %v %s", secret, webhook.Endpoint{Secrets: []webhook.Secret{secret}}, secret), "49")
	const seconds = 1614265330
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"test": 2432232314}`))
	r.Header.Set("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
	r.Header.Set("webhook-timestamp", fmt.Sprint(seconds))
	r.Header.Set("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
	_, err = webhook.Verify(r, time.Unix(seconds, 0), secret)
	require.NoError(t, err)
}

func TestUnsignedAndOldMessagesAreRefused(t *testing.T) {
	t.Parallel()
	signed := func() *http.Request {
		r := newReceiver(t, nil)
		require.NoError(t, r.sender(t, r.URL, true).Send(t.Context(), today))
		return r.got()[0]
	}()
	body, err := io.ReadAll(signed.Body)
	require.NoError(t, err)
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	both := signed.Header.Get("Webhook-Signature")
	first, _, _ := strings.Cut(both, " ")
	for name, c := range map[string]struct {
		change func(*http.Request)
		now    time.Time
		want   error
	}{
		"as it is":              {func(*http.Request) {}, noon, nil},
		"one signature":         {header("Webhook-Signature", first), noon, nil},
		"after other ones":      {header("Webhook-Signature", "v1a,x v2,y v1, v1 "+both), noon, nil},
		"at the latest":         {func(*http.Request) {}, noon.Add(webhook.Tolerance), nil},
		"too late":              {func(*http.Request) {}, noon.Add(webhook.Tolerance + time.Nanosecond), webhook.ErrTime},
		"too early":             {func(*http.Request) {}, noon.Add(-webhook.Tolerance - time.Nanosecond), webhook.ErrTime},
		"another time":          {header("Webhook-Timestamp", fmt.Sprint(noon.Unix()+1)), noon, webhook.ErrSignature},
		"no time":               {header("Webhook-Timestamp", ""), noon, webhook.ErrSignature},
		"the time of a float":   {header("Webhook-Timestamp", "1e9"), noon, webhook.ErrSignature},
		"the greatest time":     {header("Webhook-Timestamp", "9223372036854775807"), noon, webhook.ErrTime},
		"the least time":        {header("Webhook-Timestamp", "-9223372036854775808"), noon, webhook.ErrTime},
		"another id":            {header("Webhook-Id", "digest_0"), noon, webhook.ErrSignature},
		"no id":                 {header("Webhook-Id", ""), noon, webhook.ErrSignature},
		"no signature":          {header("Webhook-Signature", ""), noon, webhook.ErrSignature},
		"another version":       {header("Webhook-Signature", strings.ReplaceAll(both, "v1,", "v2,")), noon, webhook.ErrSignature},
		"a part of a signature": {header("Webhook-Signature", first[:len(first)-1]), noon, webhook.ErrSignature},
		"too many signatures":   {header("Webhook-Signature", strings.Repeat("v1,x ", 10)+both), noon, webhook.ErrSignature},
		"another body":          {func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(string(body) + " ")) }, noon, webhook.ErrSignature},
		"no body":               {func(r *http.Request) { r.Body = http.NoBody }, noon, webhook.ErrSignature},
	} {
		r := signed.Clone(t.Context())
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		c.change(r)
		m, err := webhook.Verify(r, c.now, newer)
		require.ErrorIs(t, err, c.want, name)
		require.Equal(t, c.want != nil, m.Body == nil, name)
	}
	// The signature matches, but it would also match another split into id, time and
	// body.
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}"))
	seconds := fmt.Sprint(noon.Unix())
	mac := hmac.New(sha256.New, newer)
	mac.Write([]byte("a.b." + seconds + ".{}"))
	r.Header.Set("Webhook-Id", "a.b")
	r.Header.Set("Webhook-Timestamp", seconds)
	r.Header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	_, err = webhook.Verify(r, noon, newer)
	require.ErrorIs(t, err, webhook.ErrSignature)

	for _, secrets := range [][]webhook.Secret{nil, {webhook.Secret("a stranger's secret of 32 bytes!")}} {
		r := signed.Clone(t.Context())
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		_, err := webhook.Verify(r, noon, secrets...)
		require.ErrorIs(t, err, webhook.ErrSignature)
	}
	r = signed.Clone(t.Context())
	r.Body = io.NopCloser(strings.NewReader(strings.Repeat("x", webhook.MaxBody+1)))
	_, err = webhook.Verify(r, noon, newer)
	var long *http.MaxBytesError
	require.ErrorAs(t, err, &long)
}

func TestTheAnswerDecidesWhetherAnotherAttemptHelps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status    int
		retry     string
		permanent bool
		after     time.Duration
	}{
		"gone":                 {410, "", true, 0},
		"too many":             {429, "120", false, 2 * time.Minute},
		"down until a time":    {503, noon.Add(time.Hour).Format(http.TimeFormat), false, time.Hour},
		"a time that is past":  {503, noon.Add(-time.Hour).Format(http.TimeFormat), false, 0},
		"nonsense":             {503, "-1", false, 0},
		"more nonsense":        {503, "99999999999999999999", false, 0},
		"broken":               {500, "", false, 0},
		"not found, by mishap": {404, "", false, 0},
		"a redirect":           {302, "", false, 0},
		"a lasting redirect":   {308, "", false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", c.retry)
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(c.status)
			})
			err := r.sender(t, r.URL, true).Send(t.Context(), today)
			require.Equal(t, c.permanent, sendertest.Permanent(err), err)
			var refused *webhook.RefusedError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, webhook.RefusedError{Status: c.status, After: c.after}, *refused)
			require.Len(t, r.got(), 1, "no redirect is followed")
		})
	}
	for _, status := range []int{200, 202, 204} {
		r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		require.NoError(t, r.sender(t, r.URL, true).Send(t.Context(), today))
	}
}

func TestOnlyPublicAddressesAreReached(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, nil)
	port := r.URL[strings.LastIndexByte(r.URL, ':'):]
	for _, host := range []string{
		"127.0.0.1", "localhost", "0.0.0.0", "[::]", "[::1]", "[::ffff:127.0.0.1]", "127.1.2.3", "10.0.0.1", "192.168.1.1", "172.16.0.1",
		"169.254.169.254", "[fd00:ec2::254]", "[fe80::1]", "100.64.0.1", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "224.0.0.1", "255.255.255.255",
	} {
		url := "https://" + host + port
		err := r.sender(t, url, false).Send(t.Context(), today)
		require.Error(t, err, host)
		require.True(t, sendertest.Permanent(err), "%s: %v", host, err)
		require.ErrorIs(t, err, plaza.ErrInvalid, host)
		require.NotContains(t, err.Error(), host)
	}
	require.Empty(t, r.got())
	err := r.sender(t, "https://10.0.0.1", true).Send(t.Context(), today)
	require.True(t, sendertest.Permanent(err), "only 127.0.0.0/8 is allowed")
}

func TestAProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	r := newReceiver(t, nil)
	t.Setenv("HTTPS_PROXY", r.URL)
	require.True(t, sendertest.Permanent(r.sender(t, "https://127.0.0.2:1", false).Send(t.Context(), today)))
	require.Empty(t, r.got())
}

func TestAnEndpointThatCannotBeUsedIsDropped(t *testing.T) {
	t.Parallel()
	two := []webhook.Secret{newer}
	for name, e := range map[string]webhook.Endpoint{
		"no URL":         {URL: "", Secrets: two},
		"plain HTTP":     {URL: "http://example.com", Secrets: two},
		"another scheme": {URL: "file:///etc/passwd", Secrets: two},
		"a password":     {URL: "https://me:secret@example.com", Secrets: two},
		"no host":        {URL: "https:///x", Secrets: two},
		"no secret":      {URL: "https://example.com"},
		"a short secret": {URL: "https://example.com", Secrets: []webhook.Secret{newer, newer[:23]}},
		"a long secret":  {URL: "https://example.com", Secrets: []webhook.Secret{make([]byte, 65)}},
	} {
		s, err := webhook.New(endpoints(func() (webhook.Endpoint, error) { return e, nil }), nil)
		require.NoError(t, err)
		err = s.Send(t.Context(), today)
		require.True(t, sendertest.Permanent(err), name)
		require.NotContains(t, err.Error(), "secret@")
	}
	for err, dropped := range map[error]bool{plaza.ErrNotFound: true, plaza.ErrBusy: false} {
		s, invalid := webhook.New(endpoints(func() (webhook.Endpoint, error) { return webhook.Endpoint{}, err }), nil)
		require.NoError(t, invalid)
		got := s.Send(t.Context(), today)
		require.ErrorIs(t, got, err)
		require.Equal(t, dropped, sendertest.Permanent(got))
	}
	huge := today
	huge.User = strings.Repeat("x", webhook.MaxBody)
	r := newReceiver(t, nil)
	require.True(t, sendertest.Permanent(r.sender(t, r.URL, true).Send(t.Context(), huge)))
	require.Empty(t, r.got())
}

func TestAnEndpointDoesNotHoldTheSender(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped")
	ctx, stop := context.WithCancelCause(t.Context())
	r := newReceiver(t, func(_ http.ResponseWriter, req *http.Request) {
		stop(stopped)
		<-req.Context().Done()
	})
	err := r.sender(t, r.URL+"/?token=hidden", true).Send(ctx, today)
	require.ErrorIs(t, err, stopped)
	require.False(t, sendertest.Permanent(err))
	require.NotContains(t, err.Error(), "hidden")

	endless := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		for w.Header(); ; {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	})
	require.NoError(t, endless.sender(t, endless.URL, true).Send(t.Context(), today), "its body does not matter")
}

func TestSecretsAreReadFromText(t *testing.T) {
	t.Parallel()
	text := func(n int) string { return "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, n)) }
	for _, valid := range []string{text(24), text(64)} {
		_, err := webhook.ParseSecret(valid)
		require.NoError(t, err)
	}
	for _, invalid := range []string{"", "whsec_", text(23), text(65), strings.TrimPrefix(text(32), "whsec_"), text(32) + "x"} {
		_, err := webhook.ParseSecret(invalid)
		require.ErrorIs(t, err, plaza.ErrInvalid)
	}
}

func TestInvalidConfigurationFailsInTheConstructor(t *testing.T) {
	t.Parallel()
	_, err := webhook.New(nil, nil)
	require.ErrorIs(t, err, plaza.ErrInvalid)
	_, err = webhook.New(endpoints(nil), &webhook.Options{Timeout: -1})
	require.ErrorIs(t, err, plaza.ErrInvalid)
}
