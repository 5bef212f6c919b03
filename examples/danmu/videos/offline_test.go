package videos

import (
	"fmt"
	"net/http"
	"net/http/httptest"
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
		"what is written while the service is away is sent when it is back": func(t *testing.T, b browsertest.Browser) {
			g := newGate(t)
			p := openGate(t, b, g)
			reads(p, "present", "Only you are watching")
			reads(p, "connection", "")
			p.Do(`Object.defineProperty(navigator, "onLine", { configurable: true, get: () => false }); window.dispatchEvent(new Event("offline"))`)
			reads(p, "connection", "You are offline. Your danmu will be sent when you are back.")
			p.Do(`delete navigator.onLine`)
			online(p)
			reads(p, "connection", "")

			g.stop()
			reads(p, "connection", "The service cannot be reached. Your danmu will be sent when it is back.")
			for i, text := range []string{"one", "<b>two</b>", "three"} {
				seek(p, float64(50-i))
				write(p, text)
				p.Until(fmt.Sprintf(`document.querySelectorAll("#waiting li").length === %d`, i+1))
			}
			waiting(p, "one", "<b>two</b>", "three")
			p.Click(`#waiting li:nth-child(3) .drop`)
			waiting(p, "one", "<b>two</b>")
			g.start()
			waiting(p)
			p.Until(`document.getElementById("waiting").hidden && ` + ownTexts + `.sort().join() === "<b>two</b>,one"`)
			reads(p, "connection", "")
			stored := g.w.stored(t)
			require.Equal(t, []string{"<b>two</b>", "one"}, texts(stored), "in playing order")
			require.InDelta(t, 50, *stored[1].Content.Time, 0.01, "the moment of writing")
			require.LessOrEqual(t, stored[1].CreatedAt, stored[0].CreatedAt, "in the order of writing")
			seek(p, 50)
			shows(p, "one")
		},
		"it is sent after a reload too, or dropped": func(t *testing.T, b browsertest.Browser) {
			g := newGate(t)
			g.refuse(http.StatusServiceUnavailable, 0)
			p := openGate(t, b, g)
			write(p, "kept")
			write(p, "dropped")
			waiting(p, "kept", "dropped")
			load(p, g.w.url)
			waiting(p, "kept", "dropped")
			p.Click(`#waiting li:nth-child(2) .drop`)
			g.answer(nil)
			waiting(p)
			p.Until(ownTexts + `.join() === "kept"`)
			require.Equal(t, []string{"kept"}, texts(g.w.stored(t)))
		},
		"a danmu whose answer was lost is one danmu": func(t *testing.T, b browsertest.Browser) {
			g := newGate(t)
			g.answer(func(w http.ResponseWriter, r *http.Request) bool {
				if g.attempts() > 1 {
					return false
				}
				g.w.service.ServeHTTP(httptest.NewRecorder(), r)
				w.Header().Set("Content-Length", "1000") // without it Chromium repeats the request by itself
				w.WriteHeader(http.StatusOK)
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			})
			p := openGate(t, b, g)
			write(p, "said once")
			p.Until(ownTexts + `.join() === "said once"`)
			waiting(p)
			require.Equal(t, 2, g.attempts())
			require.Equal(t, []string{"said once"}, texts(g.w.stored(t)))
		},
		"a pause that the service asks for is kept": func(t *testing.T, b browsertest.Browser) {
			g := newGate(t)
			g.refuse(http.StatusTooManyRequests, 600)
			p := openGate(t, b, g)
			write(p, "later")
			waiting(p, "later")
			write(p, "behind it")
			waiting(p, "later", "behind it")
			online(p)
			wait(p, 30)
			require.Equal(t, 1, g.attempts(), "an event is no reason to ask before")

			g.answer(nil)
			p.Do(`{ const { now } = Date; Date.now = () => now() + 601_000; }`)
			online(p)
			waiting(p)
			require.Len(t, g.w.stored(t), 2)
		},
		"a refusal gives the text back": func(t *testing.T, b browsertest.Browser) {
			g := newGate(t)
			g.refuse(http.StatusForbidden, 0)
			p := openGate(t, b, g)
			write(p, "not allowed")
			p.Until(textOf("refusal") + `.includes("it is full") && document.getElementById("text").value === "not allowed"`)
			require.Empty(t, browsertest.Eval[string](p, waiters))

			g.refuse(http.StatusServiceUnavailable, 0)
			p.Press(kb.Enter)
			waiting(p, "not allowed")
			g.refuse(http.StatusForbidden, 0)
			online(p)
			const state = `document.querySelector("#waiting .state")?.textContent === "Not sent: it is full"`
			p.Until(state)
			before := g.attempts()
			load(p, g.w.url)
			p.Until(state)
			p.Choose("#text", "another")
			p.Click("#waiting .edit")
			p.Until(textOf("refusal") + ` !== ""`)
			require.Equal(t, "another", browsertest.Eval[string](p, `document.getElementById("text").value`))
			p.Choose("#text", "")
			p.Click("#waiting .edit")
			p.Until(`document.activeElement.value === "not allowed" && document.getElementById("waiting").hidden`)
			require.Equal(t, before, g.attempts())
			require.Empty(t, g.w.stored(t))
		},
		"two tabs send each danmu once": func(t *testing.T, b browsertest.Browser) {
			g := newGate(t)
			g.refuse(http.StatusServiceUnavailable, 0)
			one := openGate(t, b, g)
			two := one.Tab(t, "net::ERR_", "status of")
			load(two, g.w.url)
			tabs := []browsertest.Window{one, two}
			var all []string
			for i := range 4 { // at once, a viewer may send five
				all = append(all, fmt.Sprint("text ", i))
				press(tabs[i%2], all[i])
				waiting(one, all...)
				waiting(two, all...)
			}
			g.answer(nil)
			online(one)
			online(two)
			for _, tab := range tabs {
				waiting(tab)
				tab.Until(ownTexts + `.length === 4`)
			}
			require.ElementsMatch(t, all, texts(g.w.stored(t)))
		},
		"the outbox is bounded, and damage in it is ignored": func(t *testing.T, b browsertest.Browser) {
			g := newGate(t)
			g.refuse(http.StatusServiceUnavailable, 0)
			p := openGate(t, b, g)
			for _, damaged := range []string{`{`, `null`, `7`, `{"message":{}}`, `{"message":{"key":"other","content":{"text":"x"}}}`, `{"message":{"key":"k","content":7}}`} {
				p.Do(fmt.Sprintf(`localStorage.setItem("plaza.danmu.outbox/000/k" + Math.random(), %q)`, damaged))
			}
			load(p, g.w.url)
			for i := range 21 {
				press(p, fmt.Sprint("n", i))
			}
			p.Until(`document.querySelectorAll("#waiting li").length === 20`)
			p.Until(textOf("refusal") + `.includes("20 of your danmu are waiting")`)
			require.Equal(t, "n20", browsertest.Eval[string](p, `document.getElementById("text").value`))
			require.Equal(t, 20, browsertest.Eval[int](p, `Object.keys(localStorage).filter((key) => key.startsWith("plaza.danmu.outbox/")).length`))
			require.Empty(t, g.w.stored(t))
		},
	}
}

// gate is a server in front of the service that can be stopped and started again, and
// that lets a test answer for the service.
type gate struct {
	t *testing.T
	w world

	mu      sync.Mutex
	service *Service                                      // nil while it is stopped
	send    func(http.ResponseWriter, *http.Request) bool // reports whether it answered a send
	sends   int
}

func newGate(t *testing.T) *gate {
	t.Helper()
	w := newWorld(t)
	g := &gate{t: t, service: w.service}
	g.w = w.behind(t, func(out http.ResponseWriter, r *http.Request) bool {
		g.mu.Lock()
		service, send := g.service, g.send
		if r.URL.Path != "/danmu/send" {
			send = nil
		} else {
			g.sends++
		}
		g.mu.Unlock()
		if service == nil {
			panic(http.ErrAbortHandler)
		}
		if send == nil || !send(out, r) {
			service.ServeHTTP(out, r)
		}
		return true
	})
	return g
}

// start starts a new process's service on the same tables.
func (g *gate) start() {
	g.t.Helper()
	s, err := New(g.t.Context(), g.w.env.DB, g.w.env.Tables, &Options{Videos: []Video{Hills()}, Others: []string{"2"}})
	require.NoError(g.t, err)
	g.t.Cleanup(func() { require.NoError(g.t, s.Close()) })
	g.mu.Lock()
	defer g.mu.Unlock()
	g.service = s
}

func (g *gate) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.service.EndStreams()
	g.service = nil
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

func openGate(t *testing.T, b browsertest.Browser, g *gate) browsertest.Window {
	t.Helper()
	return still(t, b, g.w, 0, "net::ERR_", "status of")
}

// press sends a text without the keyboard, which another tab may have.
func press(p browsertest.Window, text string) {
	p.Do(fmt.Sprintf(`document.getElementById("text").value = %q; document.querySelector("#send .primary").click()`, text))
}

// online makes the browser say that it is.
func online(p browsertest.Window) { p.Do(`window.dispatchEvent(new Event("online"))`) }

// waiting waits until these texts wait to be sent.
func waiting(p browsertest.Window, all ...string) {
	p.Until(fmt.Sprintf(`%s === %q`, waiters, strings.Join(all, ",")))
}

const (
	waiters  = `[...document.querySelectorAll("#waiting .text")].map((e) => e.textContent).join()`
	ownTexts = `[...document.querySelectorAll("#mine .text")].map((e) => e.textContent)`
)
