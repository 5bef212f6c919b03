package guard

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAClientIsItsAddressWhateverItsHeaders(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		"192.0.2.7:1": "192.0.2.7", "192.0.2.7:60000": "192.0.2.7", "[::ffff:192.0.2.7]:1": "192.0.2.7", "192.0.2.8:1": "192.0.2.8",
		"[2001:db8::1]:1": "2001:db8::/64", "[2001:db8::ffff:1]:9": "2001:db8::/64", "[2001:db8:0:1::1]:1": "2001:db8:0:1::/64",
		"[fe80::1%eth0]:1": "fe80::/64",
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.RemoteAddr = from
		for _, header := range []string{"X-Forwarded-For", "X-Real-IP", "Forwarded", "True-Client-IP"} {
			r.Header.Set(header, "198.51.100.1")
		}
		require.Equal(t, want, Client(r), from)
	}
}

func TestARateAllowsABurstAndThenAFixedRate(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	r := NewRate(2, 3, func() time.Time { return now })
	for range 3 {
		require.NoError(t, r.Take("a"))
	}
	for range 100 { // refused calls do not count
		var refused *RefusedError
		require.ErrorAs(t, r.Take("a"), &refused)
		require.Equal(t, http.StatusTooManyRequests, refused.Status)
		require.Equal(t, 500*time.Millisecond, refused.After)
	}
	now = now.Add(500 * time.Millisecond)
	require.NoError(t, r.Take("a"))
	require.Error(t, r.Take("a"))
	now = now.Add(time.Hour)
	for range 3 {
		require.NoError(t, r.Take("a"))
	}
	require.Error(t, r.Take("a"), "no more than the burst comes back")
}

func TestMadeUpNamesGetNoFreshRate(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	r := NewRate(1, 2, func() time.Time { return now })
	taken := 0
	for range 5 * buckets {
		for range 2 {
			if r.Take(fmt.Sprint("made up ", taken)) == nil {
				taken++
			}
		}
	}
	require.LessOrEqual(t, taken, 2*buckets)
	require.NoError(t, NewRate(1, 1, nil).Take("another"))
}

func TestStreamsAreBoundedForOneAndForAll(t *testing.T) {
	t.Parallel()
	s := NewStreams(2, 5)
	var leaves []func()
	enter := func(client string) error {
		leave, err := s.Enter(client)
		if err == nil {
			leaves = append(leaves, leave)
		}
		return err
	}
	require.NoError(t, enter("a"))
	require.NoError(t, enter("a"))
	var refused *RefusedError
	require.ErrorAs(t, enter("a"), &refused)
	require.Equal(t, http.StatusTooManyRequests, refused.Status)
	require.Positive(t, refused.After)
	require.NoError(t, enter("b"))
	require.NoError(t, enter("c"))
	require.NoError(t, enter("d"))
	require.Error(t, enter("e"), "all")
	leaves[0]()
	leaves[0]() // the second time does nothing
	require.NoError(t, enter("e"))
	require.Error(t, enter("f"))
	for _, leave := range leaves {
		leave()
	}
	require.Zero(t, s.Open())
	require.Empty(t, s.open, "nobody is remembered")
}

func TestStreamsAreBoundedHoweverManyComeAtOnce(t *testing.T) {
	t.Parallel()
	s := NewStreams(10, 25)
	var comers sync.WaitGroup
	for i := range 200 {
		comers.Go(func() {
			leave, err := s.Enter(fmt.Sprint(i % 20))
			assert.LessOrEqual(t, s.Open(), 25)
			if err == nil {
				leave()
			}
		})
	}
	comers.Wait()
	require.Zero(t, s.Open())
}
