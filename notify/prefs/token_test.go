package prefs_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

func TestUnsubscribeTurnsOffWhatTheTokenIsAbout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, s := range []prefs.Subscription{
		about("comment", email), about("like", prefs.InApp), about(prefs.AnyVerb, push),
		{User: `a#\b`, Verb: "comment", Channel: email},
	} {
		token, err := w.Token(s)
		require.NoError(t, err)
		for i := range 2 {
			got, changed, err := w.Unsubscribe(t.Context(), token)
			does(t, i == 0)(changed, err)
			require.Equal(t, s, got)
		}
	}
	require.Equal(t, map[prefs.Subscription]bool{
		about("comment", email): false, about("like", prefs.InApp): false, about(prefs.AnyVerb, push): false,
	}, w.own(t))
}

func TestUnsubscribingFromAnyVerbLeavesNoneOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.set(t, about("comment", email), true)
	w.set(t, about("comment", push), true)
	w.set(t, about("like", email), false)
	token, err := w.Token(about(prefs.AnyVerb, email))
	require.NoError(t, err)
	_, changed, err := w.Unsubscribe(t.Context(), token)
	does(t, true)(changed, err)
	require.Equal(t, map[prefs.Subscription]bool{
		about(prefs.AnyVerb, email): false, about("like", email): false, about("comment", push): true,
	}, w.own(t))
	require.Equal(t, []string{push}, w.decide(t, of("mention")).Channels)
	require.Equal(t, []string{push}, w.decide(t, of("comment")).Channels)
}

// The links in old mails outlive verbs, channels and keys.
func TestTokensOutliveOptions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	token, err := w.Token(about("comment", push))
	require.NoError(t, err)

	opts := options()
	opts.Verbs, opts.Channels = nil, nil
	opts.Tokens.Current, opts.Tokens.Keys = 2, map[byte][]byte{1: key(1), 2: key(2)}
	rotated := w.process(t, opts)
	s, changed, err := rotated.Unsubscribe(t.Context(), token)
	does(t, true)(changed, err)
	require.Equal(t, about("comment", push), s)
	require.Equal(t, map[prefs.Subscription]bool{s: false}, w.own(t))
	newer, err := rotated.Token(about(prefs.AnyVerb, prefs.InApp))
	require.NoError(t, err)

	opts.Tokens.Keys = map[byte][]byte{2: key(2)}
	w = w.process(t, opts)
	require.ErrorIs(t, failed(w.Unsubscribe(t.Context(), token)), prefs.ErrToken)
	require.NoError(t, failed(w.Unsubscribe(t.Context(), newer)))

	opts.Tokens = prefs.Keyring{}
	w = w.process(t, opts)
	require.ErrorIs(t, failed(w.Unsubscribe(t.Context(), newer)), plaza.ErrUnavailable)
	require.ErrorIs(t, failed(w.Token(about(prefs.AnyVerb, prefs.InApp))), plaza.ErrUnavailable)
}

// vector is a line of testdata: the token, the key that signs, and what it is about.
// Lines are only added: a changed line would be a changed form. Key n is key(n).
type vector struct {
	token string
	key   byte
	about prefs.Subscription
}

func vectors(t testing.TB, file string) []vector {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	var all []vector
	for line := range strings.Lines(string(data)) {
		if line == "\n" || strings.HasPrefix(line, "#") {
			continue
		}
		var v vector
		require.NoError(t, failed(fmt.Sscanf(line, "%q %d %q %q %q", &v.token, &v.key, &v.about.User, &v.about.Verb, &v.about.Channel)), line)
		all = append(all, v)
	}
	require.NotEmpty(t, all)
	return all
}

// keyed has the verbs and channels of the vectors.
func keyed(current byte) *prefs.Options {
	return &prefs.Options{
		Channels: []string{email, "sms#2"},
		Verbs:    []prefs.Verb{{Name: "like"}, {Name: `re\ply#`}, {Name: "いいね"}},
		Tokens:   prefs.Keyring{Current: current, Keys: map[byte][]byte{0: key(0), 1: key(1), 255: key(255)}},
	}
}

func TestValidTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, v := range vectors(t, "valid.txt") {
		w := w.process(t, keyed(v.key))
		got, _, err := w.Unsubscribe(t.Context(), v.token)
		require.NoError(t, err, v.token)
		require.Equal(t, v.about, got)
		token, err := w.Token(v.about)
		require.NoError(t, err)
		require.Equal(t, v.token, token)
	}
}

func TestInvalidTokensAreRefusedWithoutARequest(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, keyed(1), in.Wrap)
	for _, v := range vectors(t, "invalid.txt") {
		refuses(t, w, v.token)
	}
	token, err := w.Token(about("like", email))
	require.NoError(t, err)
	for i := range token { // cut, and each character altered
		refuses(t, w, token[:i])
		altered := []byte(token)
		altered[i] ^= 1
		refuses(t, w, string(altered))
	}
	raw, err := base64.RawURLEncoding.DecodeString(token)
	require.NoError(t, err)
	for bit := range 8 * len(raw) {
		forged := slices.Clone(raw)
		forged[bit/8] ^= 1 << (bit % 8)
		refuses(t, w, base64.RawURLEncoding.EncodeToString(forged))
	}
	for _, forged := range []string{token + "A", token + "\n", token + "=", strings.Repeat(token, 100)} {
		refuses(t, w, forged)
	}
	require.Zero(t, in.Requests())
}

func refuses(t testing.TB, w world, token string) {
	t.Helper()
	err := failed(w.Unsubscribe(t.Context(), token))
	require.ErrorIs(t, err, prefs.ErrToken)
	callstest.RequireInvalid(t, map[string]invalid{"a token": {"Token", err}})
	require.True(t, token == "" || !strings.Contains(err.Error(), token))
}

func FuzzUnsubscribe(f *testing.F) {
	for _, file := range []string{"valid.txt", "invalid.txt"} {
		for _, v := range vectors(f, file) {
			f.Add(v.token, v.about.User, v.about.Verb, v.about.Channel)
		}
	}
	in := faults.New(f, 1, faults.Rates{})
	in.Script(func(string, []byte, int) faults.Fault { return faults.Fault{Kind: faults.KilledBefore} })
	w := world{table: "no table is asked", clock: &clock{now: noon}}.process(f, keyed(1), in.Wrap)
	f.Fuzz(func(t *testing.T, token, user, verb, channel string) {
		got, _, err := w.Unsubscribe(t.Context(), token)
		if !errors.Is(err, prefs.ErrToken) { // genuine: Token gives the same, but for the key
			require.ErrorIs(t, err, plaza.ErrBusy)
			raw, err := base64.RawURLEncoding.DecodeString(token)
			require.NoError(t, err)
			again, err := w.process(t, keyed(raw[1])).Token(got)
			require.NoError(t, err)
			require.Equal(t, token, again)
		}
		about := prefs.Subscription{User: user, Verb: verb, Channel: channel}
		token, err = w.Token(about)
		if err != nil {
			require.ErrorIs(t, err, plaza.ErrInvalid)
			return
		}
		got, _, err = w.Unsubscribe(t.Context(), token)
		require.ErrorIs(t, err, plaza.ErrBusy)
		require.Equal(t, about, got)
	})
}
