// Package livetest is the contract of a live.Backplane. A test of one runs it:
//
//	func TestBackplane(t *testing.T) {
//		livetest.Run(t, func(t *testing.T) livetest.Network {
//			server := start(t)
//			return livetest.Network{Join: func() live.Backplane { return connect(t, server) }, Keep: 100}
//		})
//	}
//
// Import it from tests alone: it needs the package testing.
package livetest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/live"
)

// Network connects the backplanes of several processes. Its rooms are empty at first.
type Network struct {
	// Join returns the backplane of one more process.
	Join func() live.Backplane

	// Keep is how many entries of a room are kept at least: 10 or more. After ten
	// times as many the first must be gone.
	Keep int
}

// timeout is how long an entry may take.
const timeout = 20 * time.Second

// Run tests the contract, each part of it on a network of its own.
func Run(t *testing.T, open func(t *testing.T) Network) {
	t.Helper()
	for name, check := range map[string]func(*testing.T, Network){
		"all subscribers get all entries in one order":    oneOrder,
		"entries from before Subscribe are not delivered": fromNow,
		"rooms are apart, whatever their names":           roomsApart,
		"payloads arrive as they are":                     payloads,
		"Subscribe goes on from any position":             resumes,
		"the end is delivered, whatever others publish":   reachesEnd,
		"an unknown position begins at the end":           unknown,
		"a trimmed position begins at the end":            trimmed,
		"no entry that is kept is lost":                   kept,
		"nothing is delivered after Stop":                 stops,
		"two of a process go on from their own positions": twice,
		"rooms come and go while others are delivered":    comeAndGo,
		"two hubs are one room":                           twoHubs,
	} {
		t.Run(name, func(t *testing.T) { check(t, open(t)) })
	}
}

// listener collects the entries that are delivered to it.
type listener struct {
	t    *testing.T
	from live.Pos
	end  live.Pos
	stop func()

	mu      sync.Mutex
	entries []live.Entry // those with a payload or a gap
	last    live.Pos     // of all entries
	more    chan struct{}
}

func listen(t *testing.T, b live.Backplane, room string, after live.Pos) *listener {
	t.Helper()
	l := &listener{t: t, more: make(chan struct{}, 1)}
	s, err := b.Subscribe(t.Context(), room, after, l.take)
	require.NoError(t, err)
	require.NotEmpty(t, s.From)
	l.from, l.end, l.stop = s.From, s.End, s.Stop
	t.Cleanup(l.stop)
	return l
}

func (l *listener) take(entries []live.Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range entries {
		assert.True(l.t, e.Gap || e.Pos != "")
		l.last = e.Pos
		if e.Gap || len(e.Payload) > 0 {
			l.entries = append(l.entries, e)
		}
	}
	select {
	case l.more <- struct{}{}:
	default:
	}
}

// wait waits for n entries and returns all so far.
func (l *listener) wait(n int) []live.Entry {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), timeout)
	defer cancel()
	for {
		l.mu.Lock()
		got := slices.Clone(l.entries)
		l.mu.Unlock()
		if len(got) >= n {
			return got
		}
		select {
		case <-l.more:
		case <-ctx.Done():
			require.FailNow(l.t, "too little", "%d of %d entries", len(got), n)
		}
	}
}

func texts(entries []live.Entry) []string {
	texts := make([]string, len(entries))
	for i, e := range entries {
		texts[i] = string(e.Payload)
	}
	return texts
}

func numbers(from, to int) []string {
	texts := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		texts = append(texts, strconv.Itoa(i))
	}
	return texts
}

func publish(t *testing.T, b live.Backplane, room string, payloads ...string) {
	t.Helper()
	for _, p := range payloads {
		require.NoError(t, b.Publish(t.Context(), room, []byte(p)))
	}
}

func oneOrder(t *testing.T, net Network) {
	a, b := net.Join(), net.Join()
	one, other := listen(t, a, "room", ""), listen(t, b, "room", "")
	each := net.Keep / 5
	var wg sync.WaitGroup
	for who, from := range []live.Backplane{a, b, a, b} {
		wg.Go(func() {
			for i := range each {
				assert.NoError(t, from.Publish(t.Context(), "room", fmt.Appendf(nil, "%d-%02d", who, i)))
			}
		})
	}
	wg.Wait()
	got := one.wait(4 * each)
	require.Equal(t, got, other.wait(4*each))
	require.Len(t, got, 4*each)
	for who := range 4 { // each publisher's order is kept
		own := slices.DeleteFunc(texts(got), func(s string) bool { return s[0] != byte('0'+who) })
		require.Len(t, own, each)
		require.True(t, slices.IsSorted(own))
	}
}

func fromNow(t *testing.T, net Network) {
	b := net.Join()
	early := listen(t, b, "room", "") // it opens the log
	publish(t, b, "room", "before")
	early.wait(1)
	late := listen(t, net.Join(), "room", "")
	publish(t, b, "room", "after")
	require.Equal(t, []string{"after"}, texts(late.wait(1)))
}

func roomsApart(t *testing.T, net Network) {
	a, b := net.Join(), net.Join()
	rooms := []string{"room", "room2", "ro", "{room}", "room#1", "room:1", "a room", "\x00", "房间", "r\n"}
	var subs []*listener
	for _, room := range rooms {
		subs = append(subs, listen(t, b, room, ""))
	}
	for _, room := range rooms {
		publish(t, a, room, "to "+room)
	}
	for i, room := range rooms {
		require.Equal(t, []string{"to " + room}, texts(subs[i].wait(1)))
	}
}

func payloads(t *testing.T, net Network) {
	b := net.Join()
	sub := listen(t, b, "room", "")
	large := make([]byte, 100_000)
	for i := range large {
		large[i] = byte(i)
	}
	want := []string{"\x00", "\r\n", "\xff\xfe", string(large), `{"a":1}`}
	publish(t, b, "room", want...)
	require.Equal(t, want, texts(sub.wait(len(want))))

	reused := []byte("first")
	require.NoError(t, b.Publish(t.Context(), "room", reused))
	copy(reused, "other")
	require.Equal(t, "first", string(sub.wait(len(want) + 1)[len(want)].Payload))
}

func resumes(t *testing.T, net Network) {
	b, other := net.Join(), net.Join()
	sub := listen(t, b, "room", "")
	publish(t, b, "room", numbers(0, 5)...)
	got := sub.wait(5)
	for i, pos := range append([]live.Pos{sub.from}, got[0].Pos, got[1].Pos, got[2].Pos, got[3].Pos) {
		again := listen(t, other, "room", pos)
		require.Equal(t, pos, again.from)
		require.Equal(t, got[i:], again.wait(5-i))
		require.Equal(t, got[4].Pos, again.end)
	}
	last := listen(t, other, "room", got[4].Pos)
	require.Equal(t, got[4].Pos, last.from)
	require.Equal(t, last.from, last.end)
	publish(t, b, "room", "5")
	require.Equal(t, []string{"5"}, texts(last.wait(1)))
}

// A hub shows a viewer nothing until the End is there.
func reachesEnd(t *testing.T, net Network) {
	b := net.Join()
	sub := listen(t, b, "room", "")
	publish(t, b, "room", "0", "1")
	first := sub.wait(2)[0].Pos
	for i := range net.Keep / 2 {
		publish(t, b, "other"+strconv.Itoa(i%5), "x")
	}
	late := listen(t, net.Join(), "room", first)
	require.Equal(t, first, late.from)
	require.Equal(t, []string{"1"}, texts(late.wait(1)))
	require.Eventually(t, func() bool {
		late.mu.Lock()
		defer late.mu.Unlock()
		return late.last == late.end
	}, timeout, time.Millisecond)
}

func unknown(t *testing.T, net Network) {
	b := net.Join()
	sub, other := listen(t, b, "room", ""), listen(t, b, "other", "")
	publish(t, b, "room", "0", "1")
	sub.wait(2)
	publish(t, b, "other", "0")
	for _, pos := range []live.Pos{
		other.from, other.wait(1)[0].Pos,
		"nonsense", "0", "-", "$", "+", "0-0", "1-1", "01-1", "-1-1", "18446744073709551615-18446744073709551615", "99999999999999999999-0",
		sub.from + "0", "\x00",
	} {
		lost := listen(t, b, "room", pos)
		require.NotEqual(t, pos, lost.from, "%q", pos)
		require.Equal(t, lost.from, lost.end, "%q", pos)
		publish(t, b, "room", "next")
		require.Equal(t, []string{"next"}, texts(lost.wait(1)), "%q", pos)
		lost.stop()
	}
}

func trimmed(t *testing.T, net Network) {
	b := net.Join()
	sub := listen(t, b, "room", "")
	publish(t, b, "room", "0")
	first := sub.wait(1)[0].Pos
	for n := 1; n < 10*net.Keep; n++ {
		publish(t, b, "room", strconv.Itoa(n))
		if n%(net.Keep/2) == 0 {
			sub.wait(n + 1) // wait, because a slow listener may lose some
		}
	}
	late := listen(t, net.Join(), "room", first)
	require.NotEqual(t, first, late.from)
	publish(t, b, "room", "next")
	require.Equal(t, []string{"next"}, texts(late.wait(1)))
	require.Equal(t, append(numbers(0, 10*net.Keep), "next"), texts(sub.wait(10*net.Keep+1)), "an old subscriber lost nothing")
}

func kept(t *testing.T, net Network) {
	b := net.Join()
	sub := listen(t, b, "room", "")
	var got []live.Entry
	for range 6 {
		publish(t, b, "room", numbers(0, net.Keep/2)...)
		got = sub.wait(len(got) + net.Keep/2)
	}
	rest := got[len(got)-net.Keep:]
	again := listen(t, net.Join(), "room", rest[0].Pos)
	require.Equal(t, rest[0].Pos, again.from)
	require.Equal(t, rest[1:], again.wait(net.Keep-1))
}

func stops(t *testing.T, net Network) {
	b := net.Join()
	gone, stays := listen(t, b, "room", ""), listen(t, b, "room", "")
	publish(t, b, "room", "0")
	gone.wait(1)
	gone.stop()
	gone.stop() // the second time does nothing
	publish(t, b, "room", "1")
	stays.wait(2)
	require.Equal(t, []string{"0"}, texts(gone.wait(1)))
}

func twice(t *testing.T, net Network) {
	b := net.Join()
	sub := listen(t, b, "room", "")
	publish(t, b, "room", numbers(0, 4)...)
	got := sub.wait(4)
	second, third := listen(t, b, "room", got[0].Pos), listen(t, b, "room", got[2].Pos)
	publish(t, b, "room", "4")
	require.Equal(t, numbers(0, 5), texts(sub.wait(5)))
	require.Equal(t, numbers(1, 5), texts(second.wait(4)))
	require.Equal(t, numbers(3, 5), texts(third.wait(2)))
}

func comeAndGo(t *testing.T, net Network) {
	a, b := net.Join(), net.Join()
	sub := listen(t, b, "room", "")
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range net.Keep {
			assert.NoError(t, a.Publish(t.Context(), "room", []byte(strconv.Itoa(i))))
		}
	})
	for i := range 20 {
		room := "other" + strconv.Itoa(i%3)
		other := listen(t, b, room, "")
		publish(t, a, room, "hello")
		require.Equal(t, []string{"hello"}, texts(other.wait(1)))
		other.stop()
	}
	wg.Wait()
	require.Equal(t, numbers(0, net.Keep), texts(sub.wait(net.Keep)))
}

// In twoHubs a viewer changes from one process to another while events are published.
func twoHubs(t *testing.T, net Network) {
	hub := func() *live.Hub[int] {
		h, err := live.New(&live.Options[int]{Backplane: net.Join()})
		require.NoError(t, err)
		t.Cleanup(h.Close)
		return h
	}
	a, b := hub(), hub()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	join := func(h *live.Hub[int], after live.Pos) *live.Viewer[int] {
		v, err := h.Join(ctx, "room", after)
		require.NoError(t, err)
		t.Cleanup(v.Close)
		return v
	}
	// next takes batches until n events have arrived.
	next := func(v *live.Viewer[int], n int) (events []int, pos live.Pos) {
		for len(events) < n {
			batch, err := v.Next(ctx)
			require.NoError(t, err)
			require.False(t, batch.Reset)
			require.Zero(t, batch.Dropped)
			events, pos = append(events, batch.Events...), batch.Pos
		}
		return events, pos
	}

	stays, first := join(b, ""), join(a, "")
	require.NoError(t, a.Publish(ctx, "room", 1))
	require.NoError(t, b.Publish(ctx, "room", 2))
	got, pos := next(first, 2)
	require.Equal(t, []int{1, 2}, got)
	first.Close()
	require.NoError(t, b.Publish(ctx, "room", 3))
	require.NoError(t, a.Publish(ctx, "room", 4))

	got, _ = next(stays, 4)
	require.Equal(t, []int{1, 2, 3, 4}, got)
	got, _ = next(join(b, pos), 2)
	require.Equal(t, []int{3, 4}, got)
}
