package videos

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
	"github.com/plaza-sdk/plaza/examples/web"
)

func offlineTests() pages {
	return pages{
		"what is written while the service is away is sent when it is back": away,
		"it is sent after a reload too, or dropped":                         reloaded,
		"a danmu whose answer was lost is one danmu":                        lostAnswer,
		"a pause that the service asks for is kept":                         askedPause,
		"a refusal gives the text back":                                     refusedText,
		"two tabs send each danmu once":                                     twoTabs,
		"the outbox is bounded, and damage in it is ignored":                outboxBounds,
		"a browser that is offline says so":                                 offlineBrowser,
	}
}

// gate is a server in front of the service that can be stopped and started again, and
// that lets a test answer for the service.
type gate struct {
	t    *testing.T
	addr string
	w    world

	mu      sync.Mutex
	service *Service
	server  *http.Server
	closed  net.Listener                                  // while the server is stopped, so that nobody else gets its address
	send    func(http.ResponseWriter, *http.Request) bool // answers a send, or lets it through
	sends   int
}

func newGate(t *testing.T) *gate {
	t.Helper()
	g := &gate{t: t, addr: "127.0.0.1:0", w: newWorld(t, Hills())}
	g.start()
	t.Cleanup(func() {
		g.stop()
		require.NoError(t, g.closed.Close())
	})
	g.w.url = "http://" + g.addr
	return g
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	service, send := g.service, g.send
	if r.URL.Path != "/danmu/send" {
		send = nil
	} else {
		g.sends++
	}
	g.mu.Unlock()
	if send == nil || !send(w, r) {
		service.ServeHTTP(w, r)
	}
}

// start starts a new process's service on the same tables and the same address.
func (g *gate) start() {
	g.t.Helper()
	log := slog.New(slog.DiscardHandler)
	s, err := New(g.t.Context(), g.w.env.DB, g.w.env.Tables, &Options{Videos: []Video{Hills()}, Others: []string{"2"}})
	require.NoError(g.t, err)
	g.t.Cleanup(func() { require.NoError(g.t, s.Close()) })
	if g.closed != nil {
		require.NoError(g.t, g.closed.Close())
	}
	listener, err := net.Listen("tcp", g.addr)
	require.NoError(g.t, err)
	g.addr = listener.Addr().String()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.service, g.w.service = s, s
	g.server = web.NewServer(g, log)
	go func(server *http.Server) { _ = server.Serve(listener) }(g.server)
}

func (g *gate) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.service.EndStreams()
	_ = g.server.Close()
	var err error
	g.closed, err = net.Listen("tcp", g.addr)
	require.NoError(g.t, err)
	go func(l net.Listener) {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}(g.closed)
}

func (g *gate) answer(send func(http.ResponseWriter, *http.Request) bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.send = send
}

func (g *gate) attempts() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sends
}

// refuse answers sends with a status, and the seconds until the next attempt.
func (g *gate) refuse(status, after int) {
	g.answer(func(w http.ResponseWriter, _ *http.Request) bool {
		if after > 0 {
			w.Header().Set("Retry-After", fmt.Sprint(after))
		}
		web.Write(w, status, web.Problem{Reason: "it is full"})
		return true
	})
}

func (g *gate) stored() []message {
	g.t.Helper()
	return call[list](g.t, g.w, "GET", "/danmu/pull/1?size=100", "").Data
}

func openGate(t *testing.T, b browsertest.Browser, g *gate) browsertest.Window {
	t.Helper()
	p := b.Window(t, "net::ERR_", "status of")
	p.Open(g.w.url)
	p.Until(`window.danmu && document.getElementById("present").textContent`)
	p.Do(`window.danmu.medium.pause()`)
	return p
}

func writes(p browsertest.Window, text string) {
	p.Type("#text", text)
	p.Press(kb.Enter)
}

const (
	banner   = `document.getElementById("connection").textContent`
	waiters  = `[...document.querySelectorAll("#waiting .text")].map((e) => e.textContent).join()`
	ownTexts = `[...document.querySelectorAll("#mine .text")].map((e) => e.textContent)`
)

func away(t *testing.T, b browsertest.Browser) {
	g := newGate(t)
	p := openGate(t, b, g)
	require.Equal(t, "Only you are watching", browsertest.Eval[string](p, `document.getElementById("present").textContent`))
	require.Empty(t, browsertest.Eval[string](p, banner))
	g.stop()
	p.Until(banner + ` === "The service cannot be reached. Your danmu will be sent when it is back."`)
	for i, text := range []string{"one", "<b>two</b>", "three"} {
		seek(p, float64(50-i))
		writes(p, text)
		p.Until(fmt.Sprintf(`document.querySelectorAll("#waiting li").length === %d`, i+1))
	}
	require.Equal(t, "one,<b>two</b>,three", browsertest.Eval[string](p, waiters))
	p.Click(`#waiting li:nth-child(3) .drop`)
	p.Until(waiters + ` === "one,<b>two</b>"`)
	g.start()
	p.Until(waiters + ` === "" && document.getElementById("waiting").hidden`)
	p.Until(banner + ` === ""`)
	p.Until(ownTexts + `.sort().join() === "<b>two</b>,one"`)
	stored := g.stored()
	require.Equal(t, []string{"<b>two</b>", "one"}, texts(stored), "in playing order")
	require.InDelta(t, 50, *stored[1].Content.Time, 0.01, "the moment of writing")
	require.LessOrEqual(t, stored[1].CreatedAt, stored[0].CreatedAt, "in the order of writing")
	seek(p, 50)
	p.Until(count("one") + ` === 1`)
}

func reloaded(t *testing.T, b browsertest.Browser) {
	g := newGate(t)
	g.refuse(http.StatusServiceUnavailable, 0)
	p := openGate(t, b, g)
	writes(p, "kept")
	writes(p, "dropped")
	p.Until(waiters + ` === "kept,dropped"`)
	p.Open(g.w.url)
	p.Until(`window.danmu`)
	p.Until(waiters + ` === "kept,dropped"`)
	p.Click(`#waiting li:nth-child(2) .drop`)
	g.answer(nil)
	p.Until(waiters + ` === ""`)
	p.Until(ownTexts + `.join() === "kept"`)
	require.Equal(t, []string{"kept"}, texts(g.stored()))
}

func lostAnswer(t *testing.T, b browsertest.Browser) {
	g := newGate(t)
	var once sync.Once
	service := g.service
	g.answer(func(w http.ResponseWriter, r *http.Request) bool {
		lost := false
		once.Do(func() {
			lost = true
			service.ServeHTTP(&unheard{header: http.Header{}}, r)
			w.Header().Set("Content-Length", "1000") // without it Chromium repeats the request by itself
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		})
		return lost
	})
	p := openGate(t, b, g)
	writes(p, "said once")
	p.Until(ownTexts + `.join() === "said once" && ` + waiters + ` === ""`)
	require.Equal(t, 2, g.attempts())
	require.Equal(t, []string{"said once"}, texts(g.stored()))
}

// unheard is an answer that nobody gets.
type unheard struct{ header http.Header }

func (u *unheard) Header() http.Header            { return u.header }
func (u *unheard) Write(text []byte) (int, error) { return io.Discard.Write(text) }
func (u *unheard) WriteHeader(int)                {}

func askedPause(t *testing.T, b browsertest.Browser) {
	g := newGate(t)
	g.refuse(http.StatusTooManyRequests, 600)
	p := openGate(t, b, g)
	writes(p, "later")
	p.Until(waiters + ` === "later"`)
	writes(p, "behind it")
	p.Until(waiters + ` === "later,behind it"`)
	p.Do(`window.dispatchEvent(new Event("online"))`)
	browsertest.Eval[bool](p, frames(30, ""))
	require.Equal(t, 1, g.attempts(), "an event is no reason to ask before")

	g.answer(nil)
	p.Do(`{ const { now } = Date; Date.now = () => now() + 601_000; window.dispatchEvent(new Event("online")); }`)
	p.Until(waiters + ` === ""`)
	require.Len(t, g.stored(), 2)
}

func refusedText(t *testing.T, b browsertest.Browser) {
	g := newGate(t)
	g.refuse(http.StatusForbidden, 0)
	p := openGate(t, b, g)
	writes(p, "not allowed")
	p.Until(`document.getElementById("refusal").textContent.includes("it is full")`)
	p.Until(`document.getElementById("text").value === "not allowed"`)
	require.Empty(t, browsertest.Eval[string](p, waiters))

	g.refuse(http.StatusServiceUnavailable, 0)
	p.Press(kb.Enter)
	p.Until(waiters + ` === "not allowed"`)
	g.refuse(http.StatusForbidden, 0)
	p.Do(`window.dispatchEvent(new Event("online"))`)
	p.Until(`document.querySelector("#waiting .state").textContent === "Not sent: it is full"`)
	before := g.attempts()
	p.Open(g.w.url)
	p.Until(`window.danmu`)
	p.Until(`document.querySelector("#waiting .state")?.textContent === "Not sent: it is full"`)
	p.Do(`document.getElementById("text").value = "another"`)
	p.Click("#waiting .edit")
	p.Until(`document.getElementById("refusal").textContent !== ""`)
	require.Equal(t, "another", browsertest.Eval[string](p, `document.getElementById("text").value`))
	p.Do(`document.getElementById("text").value = ""`)
	p.Click("#waiting .edit")
	p.Until(`document.activeElement.value === "not allowed" && document.getElementById("waiting").hidden`)
	require.Equal(t, before, g.attempts())
	require.Empty(t, g.stored())
}

func twoTabs(t *testing.T, b browsertest.Browser) {
	g := newGate(t)
	g.refuse(http.StatusServiceUnavailable, 0)
	one := openGate(t, b, g)
	two := one.Tab(t, "net::ERR_", "status of")
	two.Open(g.w.url)
	two.Until(`window.danmu && document.getElementById("present").textContent`)
	var all []string
	for i := range 2 { // at once, a viewer may send five
		for j, tab := range []browsertest.Window{one, two} {
			text := fmt.Sprint(i, " of ", j)
			all = append(all, text)
			tab.Do(fmt.Sprintf(`document.getElementById("text").value = %q; document.querySelector("#send .primary").click()`, text))
			tab.Until(waiters + fmt.Sprintf(` === %q`, strings.Join(all, ",")))
		}
	}
	for _, tab := range []browsertest.Window{one, two} {
		tab.Until(waiters + fmt.Sprintf(` === %q`, strings.Join(all, ",")))
	}
	g.answer(nil)
	for _, tab := range []browsertest.Window{one, two} {
		tab.Do(`window.dispatchEvent(new Event("online"))`)
	}
	for _, tab := range []browsertest.Window{one, two} {
		tab.Until(waiters + ` === ""`)
		tab.Until(ownTexts + `.length === 4`)
	}
	require.ElementsMatch(t, all, texts(g.stored()))
}

func outboxBounds(t *testing.T, b browsertest.Browser) {
	g := newGate(t)
	g.refuse(http.StatusServiceUnavailable, 0)
	p := openGate(t, b, g)
	for _, damaged := range []string{`{`, `null`, `7`, `{"message":{}}`, `{"message":{"key":"other","content":{"text":"x"}}}`, `{"message":{"key":"k","content":7}}`} {
		p.Do(fmt.Sprintf(`localStorage.setItem("plaza.danmu.outbox/000/k" + Math.random(), %q)`, damaged))
	}
	p.Open(g.w.url)
	p.Until(`window.danmu`)
	for i := range 21 {
		p.Do(fmt.Sprintf(`document.getElementById("text").value = "n%d"; document.querySelector("#send .primary").click()`, i))
	}
	p.Until(`document.querySelectorAll("#waiting li").length === 20`)
	p.Until(`document.getElementById("refusal").textContent.includes("20 of your danmu are waiting")`)
	require.Equal(t, "n20", browsertest.Eval[string](p, `document.getElementById("text").value`))
	require.Equal(t, 20, browsertest.Eval[int](p, `Object.keys(localStorage).filter((key) => key.startsWith("plaza.danmu.outbox/")).length`))
	require.Empty(t, g.stored())
}

func offlineBrowser(t *testing.T, b browsertest.Browser) {
	g := newGate(t)
	p := openGate(t, b, g)
	p.Do(`Object.defineProperty(navigator, "onLine", { configurable: true, get: () => false }); window.dispatchEvent(new Event("offline"))`)
	p.Until(banner + ` === "You are offline. Your danmu will be sent when you are back."`)
	p.Do(`delete navigator.onLine; window.dispatchEvent(new Event("online"))`)
	p.Until(banner + ` === ""`)
}
