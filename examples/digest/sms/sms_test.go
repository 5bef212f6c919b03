package sms_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/digest/internal/sendertest"
	"github.com/plaza-sdk/plaza/examples/digest/sms"
	"github.com/plaza-sdk/plaza/notify/digest"
)

var _ digest.Sender = (*sms.Sender)(nil)

// phone is a gateway, and the desk of a service with one user.
type phone struct {
	number, words     string
	unknown, fails    error
	to, keys, arrived []string
}

func (p *phone) Text(_ context.Context, to, key, body string) error {
	p.to, p.keys, p.arrived = append(p.to, to), append(p.keys, key), append(p.arrived, body)
	return p.fails
}

func (p *phone) Phone(context.Context, string) (string, error) { return p.number, p.unknown }

func (p *phone) Words(context.Context, digest.Digest) (string, error) { return p.words, nil }

var today = digest.Digest{Key: "ann#sms#\r\n1", User: "ann", Channel: "sms"}

func send(t *testing.T, p *phone, opts *sms.Options) error {
	t.Helper()
	s, err := sms.New(p, p, opts)
	require.NoError(t, err)
	return s.Send(t.Context(), today)
}

func TestARepeatHasTheSameKey(t *testing.T) {
	t.Parallel()
	p := &phone{number: "+4915112345678", words: "2 new: bob likes your picture 10"}
	for range 2 {
		require.NoError(t, send(t, p, nil))
	}
	require.Equal(t, []string{p.number, p.number}, p.to)
	require.Equal(t, []string{p.words, p.words}, p.arrived)
	require.Equal(t, p.keys[0], p.keys[1])
	require.Regexp(t, "^[0-9a-f]{32}$", p.keys[0])
}

func TestSegmentsAreCountedAsNetworksDo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"nothing":                      {"", 1},
		"one":                          {strings.Repeat("a", 160), 1},
		"one more":                     {strings.Repeat("a", 161), 2},
		"two":                          {strings.Repeat("a", 306), 2},
		"three":                        {strings.Repeat("a", 307), 3},
		"an accent of the alphabet":    {strings.Repeat("à", 160), 1},
		"euros take two":               {strings.Repeat("€", 80), 1},
		"euros take two, one more":     {strings.Repeat("€", 81), 2},
		"no escape is split from its":  {strings.Repeat("€", 152) + "aa", 3},
		"ucs-2":                        {strings.Repeat("长", 70), 1},
		"ucs-2, one more":              {strings.Repeat("长", 71), 2},
		"one character decides":        {strings.Repeat("a", 70) + "长", 2},
		"another accent":               {strings.Repeat("á", 71), 2},
		"an emoji takes two":           {strings.Repeat("🐦", 35), 1},
		"an emoji takes two, one more": {strings.Repeat("🐦", 36), 2},
		"no pair is split":             {strings.Repeat("🐦", 67), 3},
		"a typographic ellipsis":       {strings.Repeat("a", 70) + "…", 2},
	} {
		require.Equal(t, c.want, sms.Segments(c.text), name)
	}
}

func TestALongTextIsCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words string
		n     int
		want  string
	}{
		{strings.Repeat("a", 161), 1, strings.Repeat("a", 157) + "..."},
		{strings.Repeat("a", 160), 1, strings.Repeat("a", 160)},
		{strings.Repeat("长", 71), 1, strings.Repeat("长", 69) + "…"},
		{strings.Repeat("a", 400), 2, strings.Repeat("a", 303) + "..."},
		{strings.Repeat("a", 160) + "长", 1, strings.Repeat("a", 157) + "..."},
		{strings.Repeat("🐦", 40), 1, strings.Repeat("🐦", 34) + "…"},
		{strings.Repeat("a ", 100), 1, strings.Repeat("a ", 78) + "a..."},
		{"x" + strings.Repeat("\u200d", 100), 1, "x..."},
	} {
		p := &phone{number: "+4915112345678", words: c.words}
		require.NoError(t, send(t, p, &sms.Options{Segments: c.n}))
		require.Equal(t, c.want, p.arrived[0])
		require.LessOrEqual(t, sms.Segments(p.arrived[0]), c.n)
	}
}

func TestUsersTextIsBounded(t *testing.T) {
	t.Parallel()
	for _, words := range []string{
		strings.Repeat("x", 1_000_000), strings.Repeat("长", 1_000_000), strings.Repeat("€a长", 300_000),
		"a\x00\x1b[31m\u202e\r\nb", "a\xff\xfeb", strings.Repeat("👩\u200d👩\u200d👧\u200d👦", 10_000), "",
	} {
		for _, n := range []int{1, 2, 10} {
			p := &phone{number: "+4915112345678", words: words}
			require.NoError(t, send(t, p, &sms.Options{Segments: n}))
			body := p.arrived[0]
			require.LessOrEqual(t, sms.Segments(body), n)
			require.True(t, utf8.ValidString(body))
			require.NotContains(t, body, "\x1b")
			require.NotContains(t, body, "\u202e")
			require.NotContains(t, body, "\r")
		}
	}
}

func TestAnInvalidNumberIsDropped(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"", "4915112345678", "+0915112345678", "+49 151 12345678", "+49151\n12345678", "+491511234567890123", "+123", "+49151x2345678", "+4915112345678\n"} {
		p := &phone{number: number, words: "x"}
		err := send(t, p, nil)
		require.ErrorIs(t, err, plaza.ErrInvalid)
		require.True(t, sendertest.Permanent(err), number)
		require.Empty(t, p.to)
	}
	p := &phone{unknown: plaza.ErrNotFound}
	require.True(t, sendertest.Permanent(send(t, p, nil)))
	p = &phone{unknown: plaza.ErrBusy}
	require.False(t, sendertest.Permanent(send(t, p, nil)))
}

func TestTheGatewaysErrorIsReturned(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]bool{plaza.ErrBusy: false, digest.Permanent(io.EOF): true} {
		p := &phone{number: "+4915112345678", words: "x", fails: err}
		got := send(t, p, nil)
		require.ErrorIs(t, got, err)
		require.Equal(t, want, sendertest.Permanent(got))
	}
}

func TestInvalidConfigurationFailsInTheConstructor(t *testing.T) {
	t.Parallel()
	p := new(phone)
	for _, make := range []func() (*sms.Sender, error){
		func() (*sms.Sender, error) { return sms.New(nil, p, nil) },
		func() (*sms.Sender, error) { return sms.New(p, nil, nil) },
		func() (*sms.Sender, error) { return sms.New(p, p, &sms.Options{Segments: 11}) },
		func() (*sms.Sender, error) { return sms.New(p, p, &sms.Options{Segments: -1}) },
	} {
		_, err := make()
		require.ErrorIs(t, err, plaza.ErrInvalid)
	}
}
