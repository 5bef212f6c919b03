package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza/examples/digest/internal/sendertest"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/notify/prefs"
	"github.com/plaza-sdk/plaza/plazatest"
)

// leaks looks for goroutines that a run left behind, except for connections to the
// engine.
func leaks(t *testing.T) {
	t.Helper()
	plazatest.Start(t, nil) // DynamoDB Local keeps running
	now := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		goleak.VerifyNone(t, now,
			goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
			goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
	})
}

func TestEverybodyGetsWhatHappenedOnce(t *testing.T) {
	leaks(t)
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), nil, &out), out.String())
	for _, want := range []string{
		`ann    email    2 things happened: eve followed you; dora and 2 more liked your picture 10`,
		`bob    email    1 thing happened`,
		`chris  webhook  1 thing happened`,
		`zoe    sms      1 thing happened`,
		`ten minutes later: refused`,
		`ok  7 digests arrived, each thing in one of them. 3 came twice`,
	} {
		require.Contains(t, out.String(), want)
	}
	require.Equal(t, 1, strings.Count(out.String(), "bob  "), "he unsubscribed")
	require.NotContains(t, out.String(), "\x1b")
}

// opened returns a story for a test to break.
func opened(t *testing.T) (*story, *bytes.Buffer) {
	t.Helper()
	out := new(bytes.Buffer)
	env, err := open(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, env.Close()) })
	s, err := newStory(t.Context(), env, out)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.outside.Close()) })
	return s, out
}

// The engine would delete its rows while it runs.
func TestTheStoryLiesAhead(t *testing.T) {
	s, _ := opened(t)
	require.True(t, s.Now().After(time.Now()))
}

func TestAStoryThatWentWrongFails(t *testing.T) {
	for name, c := range map[string]struct {
		breaks func(*story, sending)
		shows  string // the step before
	}{
		"a mail is lost": {func(s *story, next sending) {
			s.send = func(ctx context.Context, d digest.Digest) error {
				if d.User == "ann" {
					return nil
				}
				return next(ctx, d)
			}
		}, "Eight in the morning in Berlin"},
		"an entry is lost": {func(s *story, next sending) {
			s.send = func(ctx context.Context, d digest.Digest) error {
				d.Entries = d.Entries[:1]
				return next(ctx, d)
			}
		}, "Eight in the morning in Berlin"},
		"a digest for another": {func(s *story, next sending) {
			s.send = func(ctx context.Context, d digest.Digest) error {
				if d.User == "bob" {
					d.User = "ann"
				}
				return next(ctx, d)
			}
		}, "Eight in London, where bob lives"},
		"a repeat is not known": {func(s *story, next sending) {
			attempts := 0
			s.send = func(ctx context.Context, d digest.Digest) error {
				attempts++
				d.Key += strings.Repeat("x", attempts)
				return next(ctx, d)
			}
		}, "The next morning the mail server"},
		"the click is lost": {func(s *story, _ sending) {
			s.outside.client.Transport = lost{s.outside.client.Transport}
		}, "The next morning the mail server"},
	} {
		t.Run(name, func(t *testing.T) {
			s, out := opened(t)
			c.breaks(s, s.send)
			require.Error(t, s.tell(t.Context()), out.String())
			at := strings.LastIndex(out.String(), "  "+c.shows)
			require.Positive(t, at, out.String())
			require.Contains(t, out.String()[at:], "FAIL")
			require.NotContains(t, out.String(), "\nok ")
		})
	}
}

// lost answers a click instead of the site.
type lost struct{ next http.RoundTripper }

func (l lost) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasPrefix(r.URL.Path, "/unsubscribe/") {
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
	}
	return l.next.RoundTrip(r)
}

func TestAnInterruptedRunEnds(t *testing.T) {
	leaks(t)
	s, _ := opened(t)
	ctx, stop := context.WithCancel(t.Context())
	s.send = func(ctx context.Context, _ digest.Digest) error {
		stop()
		<-ctx.Done()
		return ctx.Err()
	}
	require.ErrorIs(t, s.tell(ctx), context.Canceled)
}

func TestOneClickUnsubscribesAndNothingElseDoes(t *testing.T) {
	s, _ := opened(t)
	token, err := s.wants.Token(prefs.Subscription{User: "ann", Verb: prefs.AnyVerb, Channel: byMail})
	require.NoError(t, err)
	click := func(method, token, body string) int {
		r := httptest.NewRequestWithContext(t.Context(), method, "/unsubscribe/"+token, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		s.outside.routes(s.wants).ServeHTTP(w, r)
		return w.Code
	}
	mailed := func() bool {
		settings, err := s.wants.Settings(t.Context(), "ann")
		require.NoError(t, err)
		for _, found := range settings {
			if found.Verb == "like" && found.Channel == byMail {
				return found.On
			}
		}
		return false
	}
	const body = "List-Unsubscribe=One-Click"
	require.Equal(t, http.StatusMethodNotAllowed, click("GET", token, ""), "mail filters follow links")
	require.Equal(t, http.StatusBadRequest, click("POST", token, ""))
	require.Equal(t, http.StatusBadRequest, click("POST", token, "x="+strings.Repeat("x", 5000)+"&"+body))
	require.Equal(t, http.StatusBadRequest, click("POST", token+"x", body))
	require.True(t, mailed())
	for range 2 {
		require.Equal(t, http.StatusOK, click("POST", token, body))
		require.False(t, mailed())
	}
}

func TestADigestOfAnUnknownChannelIsDropped(t *testing.T) {
	err := byChannel{}.Send(t.Context(), digest.Digest{Channel: "pigeon"})
	require.Error(t, err)
	require.True(t, sendertest.Permanent(err))
}

// The engine would fail to start.
func TestArgumentsAreRefusedBeforeAnythingStarts(t *testing.T) {
	t.Setenv("DYNAMODB_ENDPOINT", "http://127.0.0.1:1")
	var out bytes.Buffer
	require.Error(t, run(t.Context(), []string{"x"}, &out))
	require.Empty(t, out.String())
}
