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
	"github.com/plaza-sdk/plaza/tables"
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
		`ann    email    2 things happened`, `bob    email    1 thing happened`,
		`chris  webhook  1 thing happened: zoe commented on your question 42`,
	} {
		require.Contains(t, out.String(), want)
	}
	require.Equal(t, 1, strings.Count(out.String(), "bob  "), "he unsubscribed")
}

// opened returns a story for a test to break.
func opened(t *testing.T) (*story, *bytes.Buffer) {
	t.Helper()
	out := new(bytes.Buffer)
	s, err := newStory(t.Context(), plazatest.Start(t, &plazatest.Options{Tables: tables.Names{Notify: "digest"}}), out)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.outside.Close()) })
	require.True(t, s.Now().After(time.Now()), "the engine would delete its rows while it runs")
	return s, out
}

func TestAStoryThatWentWrongFails(t *testing.T) {
	for name, c := range map[string]struct {
		breaks func(*story, sending)
		last   string // the step
	}{
		"a mail is lost": {func(s *story, next sending) {
			s.send = func(ctx context.Context, d digest.Digest) error {
				if d.User == "ann" {
					return nil
				}
				return next(ctx, d)
			}
		}, "Eight in the morning in Berlin"},
		"the click is lost": {func(s *story, _ sending) {
			client := s.outside.web.Client()
			client.Transport = lost{client.Transport}
		}, "The next morning"},
	} {
		t.Run(name, func(t *testing.T) {
			s, out := opened(t)
			c.breaks(s, s.send)
			require.Error(t, s.tell(t.Context()), out.String())
			require.Contains(t, out.String()[strings.LastIndex(out.String(), "\n\n"):], c.last)
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
		s.outside.web.Config.Handler.ServeHTTP(w, r)
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
