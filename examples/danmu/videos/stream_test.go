package videos

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/live"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
	"github.com/plaza-sdk/plaza/examples/sse"
)

// listen joins the room of video 1, after an event id unless that is empty.
func listen(t *testing.T, w world, after string) (next func(name string) sse.Event) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r := w.request(t, http.MethodGet, "/videos/1/live", "").WithContext(ctx)
	r.Header.Set("Last-Event-ID", after)
	res, err := w.client.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	require.Equal(t, "text/event-stream", res.Header.Get("Content-Type"))
	lines := bufio.NewScanner(res.Body)
	return func(name string) sse.Event {
		t.Helper()
		for {
			e, err := sse.Next(lines)
			require.NoError(t, err)
			if e.Name == name || e.Name != "present" {
				require.Equal(t, name, e.Name)
				return e
			}
		}
	}
}

func happenings(t *testing.T, e sse.Event) []happened {
	t.Helper()
	var all []happened
	require.NoError(t, json.Unmarshal([]byte(e.Data), &all))
	return all
}

func TestViewersSeeSendsAndRecalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := listen(t, w, "")
	one("joined")
	two := listen(t, w, "")
	two("joined")
	require.Equal(t, "2", two("present").Data)

	sent := call[message](t, w, "POST", "/danmu/send", haha)
	for _, next := range []func(string) sse.Event{one, two} {
		batch := next("batch")
		require.NotEmpty(t, batch.ID)
		require.Equal(t, []happened{{Sent: &sent}}, happenings(t, batch))
	}
	w.answer(t, http.StatusForbidden, "DELETE", about(sent.ID, "", "2"), "")
	recallAs(t, w, sent)
	for _, next := range []func(string) sse.Event{one, two} {
		require.Equal(t, []happened{{Removed: &sent.ID}}, happenings(t, next("batch")))
	}
	require.Equal(t, map[string]bool{"removed": false}, call[map[string]bool](t, w, "DELETE", about(sent.ID, "", "1"), ""))
	require.Empty(t, w.stored(t))
}

func TestAViewerWhoReconnectsMissesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := listen(t, w, "")
	first("joined")
	say(t, w, "a", "one", 1)
	at := first("batch").ID
	two, three := say(t, w, "b", "two", 2), say(t, w, "c", "three", 3)
	again := listen(t, w, at)
	var ids []string
	for len(ids) < 2 {
		for _, h := range happenings(t, again("batch")) {
			ids = append(ids, h.Sent.ID.String())
		}
	}
	require.Equal(t, []string{two.ID.String(), three.ID.String()}, ids)
	listen(t, w, "made-up")("reset")
}

// connection takes a stream, as an http.ResponseWriter without a network.
type connection struct {
	*httptest.ResponseRecorder
	out *io.PipeWriter
}

func (c connection) Write(text []byte) (int, error)   { return c.out.Write(text) }
func (c connection) SetReadDeadline(time.Time) error  { return nil }
func (c connection) SetWriteDeadline(time.Time) error { return nil }

func TestTheNumberOfViewersIsRightAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hub, err := live.New(new(danmu.Repository), &live.Options{PresentEvery: presentEvery})
		require.NoError(t, err)
		defer hub.Close()
		s := newService(Options{Videos: []Video{Hills()}})
		s.hub = hub
		watch := func() (present func() string, leave func()) {
			ctx, cancel := context.WithCancel(t.Context())
			in, out := io.Pipe()
			go s.ServeHTTP(connection{httptest.NewRecorder(), out}, httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/videos/1/live", http.NoBody))
			lines := bufio.NewScanner(in)
			return func() string {
					for {
						e, err := sse.Next(lines)
						require.NoError(t, err)
						if e.Name == "present" {
							return e.Data
						}
					}
				}, func() {
					cancel()
					require.NoError(t, in.Close())
				}
		}

		first, end := watch()
		defer end()
		require.Equal(t, "1", first())
		time.Sleep(time.Second)
		came := time.Now()
		second, leave := watch()
		require.Equal(t, "2", second())
		require.Equal(t, "2", first())
		require.Zero(t, time.Since(came))
		time.Sleep(time.Second)
		left := time.Now()
		leave()
		require.Equal(t, "1", first())
		require.Zero(t, time.Since(left))
		require.Equal(t, "1", first(), "and again, so that a page that is gone is noticed")
		require.Equal(t, came.Add(beat-time.Second), time.Now())
	})
}

func TestASegmentIsThinnedOutAsTheViewerWants(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 40 {
		say(t, w, fmt.Sprint("u", i), "哈哈哈", 10+float64(i)/100)
	}
	say(t, w, "a", "Spoiler", 10.2)
	type segment struct {
		Data    []message
		Dropped int
	}
	read := func(query url.Values) segment {
		return call[segment](t, w, "GET", "/videos/1/segments/0?"+query.Encode(), "")
	}
	require.Len(t, read(url.Values{"fresh": {"1"}}).Data, 41)
	capped := read(url.Values{"cap": {"10"}})
	require.Len(t, capped.Data, 10)
	require.Equal(t, 31, capped.Dropped)
	half := len(read(url.Values{"sample": {"1"}}).Data)
	require.True(t, half > 5 && half < 36, half)
	merged := read(url.Values{"merge": {"5"}, "without": {"spoiler", "x"}}).Data
	require.Len(t, merged, 1)
	require.Equal(t, 39, merged[0].Repeats)

	heat := call[struct{ Data []int }](t, w, "GET", "/videos/1/heat?buckets=6", "")
	require.Equal(t, []int{0, 41, 0, 0, 0, 0}, heat.Data)
}

func TestMyDanmuAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, said{"me", "first", 30}, said{"me", "second", 30}, said{"me", "third", 30}, said{"you", "yours", 30})
	page := call[list](t, w, "GET", "/users/me/danmu?size=2", "")
	require.Equal(t, []string{"third", "second"}, texts(page.Data))
	page = call[list](t, w, "GET", "/users/me/danmu?size=2&cursor="+page.Cursor, "")
	require.Equal(t, []string{"first"}, texts(page.Data))
	require.Equal(t, end, page.Cursor)
	require.Empty(t, call[list](t, w, "GET", "/users/me/danmu?cursor=-1", "").Data)
}

// A browser reconnects by itself only if a stream has ended, not if it was refused.
func refusedStream(t *testing.T, b browsertest.Browser) {
	p, _ := bare(t, b)
	require.Equal(t, []int{1, 0, 1, 2, 1}, browsertest.Eval[[]int](p, `import("/live.js").then(({ follow }) => {
		const { EventSource, setTimeout, clearTimeout } = window, made = [], waiting = new Map();
		window.EventSource = class extends EventTarget {
			static CLOSED = 2;
			readyState = 0;
			constructor() { super(); made.push(this); }
			close() { this.readyState = 2; }
		};
		window.setTimeout = (then) => { waiting.set(waiting.size + 1, then); return waiting.size; };
		window.clearTimeout = (timer) => { waiting.delete(timer); };
		const room = follow("1", {}), seen = [];
		made[0].dispatchEvent(new Event("error"));
		seen.push(made.length, waiting.size);
		made[0].readyState = 2;
		made[0].dispatchEvent(new Event("error"));
		seen.push(waiting.size);
		waiting.get(1)();
		seen.push(made.length);
		made[1].readyState = 2;
		made[1].dispatchEvent(new Event("error"));
		room.close();
		seen.push(waiting.size);
		Object.assign(window, { EventSource, setTimeout, clearTimeout });
		return seen;
	})`))
}
