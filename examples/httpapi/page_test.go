package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// pages are tests in Chromium.
type pages map[string]func(*testing.T, browsertest.Browser)

// always run without CI too.
var always = []string{"what one window does rings the bell in another", "two people write to each other in two windows"}

func TestPage(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t)
	for _, tests := range []pages{bellPage(), messagesPage()} {
		for name, test := range tests {
			if !faults.Full() && !slices.Contains(always, name) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				if faults.Full() { // otherwise the second has the windows of the first
					t.Parallel()
				}
				test(t, b)
			})
		}
	}
}

// bellPage are the tests of the bell's page.
func bellPage() pages {
	return pages{
		"what one window does rings the bell in another":            twoWindows,
		"a mark in one window is made in the others":                otherDevices,
		"a row is archived, snoozed, muted and back":                shelves,
		"the keyboard suffices and the focus is kept":               keyboard,
		"an announcement is dismissed":                              announcement,
		"a reader chooses what rings":                               choices,
		"a link in a mail asks before it unsubscribes":              mailLink,
		"a page that was cut off misses nothing":                    cutOff,
		"the list is that of the last user":                         lastUser,
		"a stream that was refused is asked for again":              refusedStream,
		"names and texts are no markup":                             markup,
		"older rows are shown on request":                           older,
		"text stands out and fits, light and dark, large and small": legible,
		"another site's page marks, reads and frames nothing":       otherSite,
	}
}

// open opens the bell of a user in a window of its own, and waits until it would ring.
func open(t *testing.T, b browsertest.Browser, w world, user string, tolerated ...string) browsertest.Window {
	t.Helper()
	p := b.Window(t, tolerated...)
	before := w.service.hub.Present(user)
	p.Open(w.URL + "/bell/?user=" + user)
	require.Eventually(t, func() bool { return w.service.hub.Present(user) > before }, patience, tick)
	return p
}

// Expressions about the page.
const (
	rows   = `[...document.querySelectorAll("#rows > li")]`
	texts  = rows + `.map((li) => li.querySelector(".text").textContent).join()`
	badge  = `document.getElementById("badge").textContent`
	inHand = `document.activeElement.dataset.part`
)

func twoWindows(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	ann, bob := open(t, b, w, "ann"), open(t, b, w, "bob")
	bobs := []browsertest.Window{bob}
	if faults.Full() {
		bobs = append(bobs, open(t, b, w, "bob")) // on his phone
	}
	for i, click := range []string{"#follow", "#like"} {
		ann.Click(click)
		for _, p := range bobs {
			p.Until(badge + fmt.Sprintf(` === "%d"`, i+1))
			p.Until(`document.getElementById("status").textContent.includes("new") && document.title.startsWith("(")`)
		}
	}
	ann.Type("#text", "hello")
	ann.Click("#say button")
	bob.Until(badge + ` === "3"`)
	w.send(t, "PUT", "/objects/picture:bob:1/reactions/like/cleo", "")
	bob.Click("#bell")
	bob.Until(texts + ` === "Unread. cleo and ann liked your picture 1,Unread. ann commented on your picture 1,Unread. ann followed you"`)
	bob.Until(rows + `.every((li) => li.matches(".fresh.unread"))`)
	for _, p := range bobs { // what was shown is seen, everywhere
		p.Until(badge + ` === "" && document.title === "Bell · Plaza"`)
	}

	ann.Click("#unlike") // while bob looks
	bob.Until(texts + `.startsWith("Unread. cleo liked your picture 1,")`)
	require.Empty(t, browsertest.Eval[string](ann, badge), "ann's own bell is silent")
}

func otherDevices(t *testing.T, b browsertest.Browser) {
	w := busy(t)
	desk, phone := open(t, b, w, "bob"), open(t, b, w, "bob")
	phone.Until(badge + ` === "3"`)
	desk.Click("#bell")
	phone.Until(badge + ` === ""`)
	phone.Click("#bell")
	phone.Until(rows + `.length === 3`)
	phone.Until(rows + `.every((li) => li.matches(".unread:not(.fresh)"))`) // seen on the desk, read nowhere

	phone.Click(`#rows li:first-child [data-part=text]`)
	for _, p := range []browsertest.Window{desk, phone} {
		p.Until(rows + `.map((li) => li.classList.contains("unread")).join() === "false,true,true"`)
	}
	desk.Click(`#rows li:first-child [data-part="⋯"]`)
	desk.Click(`#rows li:first-child [data-part=unread]`)
	phone.Until(rows + `.every((li) => li.classList.contains("unread"))`)
	phone.Click("#allread")
	for _, p := range []browsertest.Window{desk, phone} {
		p.Until(rows + `.every((li) => !li.classList.contains("unread")) && document.getElementById("allread").hidden`)
	}
}

func shelves(t *testing.T, b browsertest.Browser) {
	w := busy(t)
	p, other := open(t, b, w, "bob"), open(t, b, w, "bob")
	for _, window := range []browsertest.Window{p, other} {
		window.Click("#bell")
		window.Until(rows + `.length === 3`)
	}
	p.Click(`#rows li:first-child [data-part=archive]`)
	p.Until(rows + `.length === 2`)
	p.Click(`#rows li:first-child [data-part=Snooze]`)
	p.Click(`#rows li:first-child [data-part=snooze]`)
	other.Until(rows + `.length === 1`)
	p.Click(`[data-view=archived]`)
	p.Until(texts + `.includes("commented")`)
	p.Click(`[data-part=unarchive]`)
	p.Until(`!document.getElementById("empty").hidden && document.getElementById("empty").textContent === "Nothing is archived."`)
	p.Click(`[data-view=snoozed]`)
	p.Until(texts + `.includes("liked") && document.querySelector("#rows .time").textContent.startsWith("back ")`)
	p.Click(`[data-part=unsnooze]`)
	other.Until(rows + `.length === 3`)

	p.Click(`[data-view=inbox]`)
	p.Until(rows + `.length === 3`)
	p.Click(`#rows li:first-child [data-part="⋯"]`)
	p.Click(`#rows li:first-child [data-part=mute]`)
	p.Click(`[data-view=settings]`)
	p.Until(`document.getElementById("settings").textContent.includes("your picture 1Unmute")`)
	w.send(t, "PUT", "/objects/picture:bob:1/reactions/love/cleo", "")
	require.Len(t, w.entries(t, "bob"), 3)
}

func keyboard(t *testing.T, b browsertest.Browser) {
	w := busy(t)
	p := open(t, b, w, "bob")
	p.Do(`document.getElementById("bell").focus()`)
	p.Press(kb.Enter)
	p.Until(rows + `.length === 3 && document.activeElement.id === "panel"`)
	p.Until(badge + ` === ""`)
	p.Press(kb.ArrowDown + kb.ArrowDown)
	p.Until(`document.activeElement.closest("li") === ` + rows + `[1]`)
	p.Press(kb.Enter)
	p.Until(rows + `.map((li) => li.classList.contains("unread")).join() === "true,false,true"`)
	p.Until(`document.activeElement.closest("li") === ` + rows + `[1] && ` + inHand + ` === "text"`)
	w.send(t, "PUT", "/users/cleo/following/bob", "") // the rows move under the focus
	p.Until(rows + `.findIndex((li) => li.contains(document.activeElement)) === 2`)
	p.Do(`document.activeElement.closest("li").querySelector("[data-part=archive]").focus()`)
	p.Press(kb.Enter)
	p.Until(rows + `.length === 2 && document.activeElement.closest("#rows") && ` + inHand + ` === "text"`)

	p.Do(`document.activeElement.closest("li").querySelector("summary").focus()`)
	p.Press(kb.Enter)
	p.Until(`document.querySelector("details[open]")`)
	w.send(t, "PUT", "/objects/picture:bob:2/reactions/like/ann", "")
	p.Until(rows + `.length === 3 && document.querySelector("details[open] summary") === document.activeElement`)
	p.Press(kb.Escape)
	p.Until(`!document.querySelector("details[open]") && document.activeElement.matches("summary")`)
	p.Press(kb.Escape)
	p.Until(`document.getElementById("panel").hidden && document.activeElement.id === "bell"`)
	require.Equal(t, "false", browsertest.Eval[string](p, `document.activeElement.getAttribute("aria-expanded")`))
	require.Zero(t, browsertest.Eval[int](p, `[...document.querySelectorAll("button, input, summary")].filter((e) => !(e.textContent.trim() || e.ariaLabel || e.labels?.length)).length`), "each has a name")
}

func announcement(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	w.announced(t, "Maintenance", "On Sunday <b>all</b> day")
	p, ann := open(t, b, w, "bob"), open(t, b, w, "ann")
	for _, window := range []browsertest.Window{p, ann} {
		window.Until(badge + ` === "1"`)
		window.Click("#bell")
		window.Until(texts + ` === "Unread. MaintenanceOn Sunday <b>all</b> day"`)
	}
	p.Click(`[data-part=dismiss]`)
	p.Until(`!document.getElementById("empty").hidden && document.getElementById("empty").textContent === "You are all caught up."`)
	require.Equal(t, 1, browsertest.Eval[int](ann, rows+`.length`))

	ann.Click("#close")
	ann.Type("#title", "News")
	ann.Click("#announce button")
	ann.Until(`document.querySelector("#announced li").textContent.includes("News")`)
	ann.Click("#announced li:first-child button")
	ann.Until(`document.querySelector("#announced li").textContent.includes("withdrawn")`)
}

func choices(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	p := open(t, b, w, "bob")
	p.Click("#bell")
	p.Click(`[data-view=settings]`)
	p.Click(`[id="set-like-in-app"]`)
	require.Eventually(t, func() bool {
		return strings.Contains(w.send(t, "GET", "/users/bob/settings", "").text, `"verb":"like","channel":"in-app","on":false,"own":true`)
	}, patience, tick)
	w.send(t, "PUT", "/objects/picture:bob:1/reactions/like/ann", "")
	w.send(t, "PUT", "/users/ann/following/bob", "")
	p.Until(badge + ` === "1"`)
	p.Click(`[data-view=inbox]`)
	p.Until(texts + ` === "Unread. ann followed you"`)
	p.Click(`[data-part="⋯"]`)
	p.Click(`[data-part=block]`)
	p.Click(`[data-view=settings]`)
	p.Until(`document.getElementById("settings").textContent.includes("annUnblock")`)
	p.Do(`document.querySelector("#settings section button").click()`) // at once: the settings may be drawn again
	p.Until(`!document.getElementById("settings").textContent.includes("annUnblock")`)
}

func mailLink(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	p := b.Window(t)
	p.Open(w.URL + done[link](t, w.send(t, "GET", "/users/bob/unsubscribe?verb=follow&channel=email", "")).Path)
	p.Until(`document.querySelector("h1").textContent === "Unsubscribe"`)
	require.True(t, w.mailed(t, "bob", followVerb))
	p.Click("button")
	p.Visible("main:not(:has(button))")
	require.Equal(t, "Unsubscribed", browsertest.Eval[string](p, `document.querySelector("h1").textContent`))
	require.False(t, w.mailed(t, "bob", followVerb))
}

func cutOff(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	p := open(t, b, w, "bob", "net::ERR_")
	for i := range 4 {
		require.Equal(t, http.StatusOK, w.send(t, "PUT", fmt.Sprintf("/objects/picture:bob:%d/reactions/like/ann", i), "").status)
		p.Until(badge + fmt.Sprintf(` === "%d"`, i+1))
		w.CloseClientConnections()
		w.Client().CloseIdleConnections()
	}
}

// The answer for the first user arrives after the one for the second.
func lastUser(t *testing.T, b browsertest.Browser) {
	w := busy(t)
	w.send(t, "PUT", "/users/bob/following/cleo", "")
	p := open(t, b, w, "ann")
	p.Click("#bell")
	p.Until(`!document.getElementById("empty").hidden`)
	browsertest.Eval[bool](p, `(async () => {
		const { fetch } = window, me = document.getElementById("me");
		let go;
		window.fetch = async (path, ...rest) => {
			const answer = await fetch(path, ...rest);
			if (!path.startsWith("/users/bob/notifications")) return answer;
			const json = await answer.json();
			await new Promise((done) => { go = done; });
			return { ok: true, json: async () => json };
		};
		const become = (name) => { me.value = name; me.dispatchEvent(new Event("change")); };
		const until = async (done) => { while (!done()) await new Promise(requestAnimationFrame); };
		become("bob");
		await until(() => go);
		become("cleo");
		go();
		await until(() => document.querySelector("#rows li"));
		return true;
	})()`)
	require.Equal(t, "Unread. bob followed you", browsertest.Eval[string](p, texts))
	require.Equal(t, 3, w.unseen(t, "bob"), "nobody saw them")
}

// A browser reconnects by itself only if a stream has ended, not if it was refused.
func refusedStream(t *testing.T, b browsertest.Browser) {
	p := open(t, b, newWorld(t), "bob")
	require.Equal(t, []int{1, 0, 1, 2, 1}, browsertest.Eval[[]int](p, `import("/bell/live.js").then(({ watch }) => {
		const { EventSource, setTimeout, clearTimeout } = window, made = [], waiting = new Map();
		window.EventSource = class extends EventTarget {
			static CLOSED = 2;
			readyState = 0;
			constructor() { super(); made.push(this); }
			close() { this.readyState = 2; }
		};
		window.setTimeout = (then) => { waiting.set(waiting.size + 1, then); return waiting.size; };
		window.clearTimeout = (timer) => { waiting.delete(timer); };
		const bell = watch("bob", () => {}), seen = [];
		made[0].dispatchEvent(new Event("error"));
		seen.push(made.length, waiting.size);
		made[0].readyState = 2;
		made[0].dispatchEvent(new Event("error"));
		seen.push(waiting.size);
		waiting.get(1)();
		seen.push(made.length);
		made[1].readyState = 2;
		made[1].dispatchEvent(new Event("error"));
		bell.close();
		seen.push(waiting.size);
		Object.assign(window, { EventSource, setTimeout, clearTimeout });
		return seen;
	})`))
}

func markup(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	const evil = "<img src=x onerror=alert(1)>"
	w.send(t, "PUT", "/objects/picture:bob:%3Cb%3E1%3C%2Fb%3E/reactions/like/%3Cimg%20src=x%20onerror=alert(1)%3E", "")
	w.announced(t, evil, evil)
	p := open(t, b, w, "bob", "TrustedHTML")
	p.Click("#bell")
	p.Until(rows + `.length === 2`)
	require.Equal(t, "Unread. "+evil+" liked your picture <b>1</b>,Unread. "+evil+evil, browsertest.Eval[string](p, texts))
	require.Zero(t, browsertest.Eval[int](p, `document.querySelectorAll("#rows :is(img, b)").length`))
	require.Equal(t, "TypeError", browsertest.Eval[string](p, `(() => { try { document.body.innerHTML = "x"; } catch (e) { return e.name; } })()`), "the browser would refuse it")
}

func older(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	for i := range 25 {
		w.send(t, "PUT", fmt.Sprintf("/objects/picture:bob:%d/reactions/like/ann", i), "")
	}
	p := open(t, b, w, "bob")
	p.Until(badge + ` === "25"`)
	p.Click("#bell")
	p.Until(rows + `.length === 20`)
	p.Click("#more")
	p.Until(rows + `.length === 25 && document.getElementById("more").hidden`)
	p.Until(badge + ` === ""`)
	w.send(t, "PUT", "/users/ann/following/bob", "")
	p.Until(rows + `.length === 25 && ` + texts + `.startsWith("Unread. ann followed you")`)
}
