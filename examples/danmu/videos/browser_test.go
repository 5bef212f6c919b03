package videos

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

// open opens the page in a window, as a new viewer.
func open(t *testing.T, b browsertest.Browser, w world, tolerated ...string) browsertest.Window {
	t.Helper()
	p := b.Window(t, tolerated...)
	load(p, w.url)
	return p
}

// bare opens a page with nothing on it, which may import the modules of the page. There is
// no database.
func bare(t *testing.T, b browsertest.Browser) (p browsertest.Window, origin string) {
	t.Helper()
	server := httptest.NewServer(newService(Options{Videos: []Video{Hills()}}))
	t.Cleanup(server.Close)
	p = b.Window(t, "404") // no icon
	p.Open(server.URL + "/theme.css")
	return p, server.URL
}

// load loads the page and waits until it is live.
func load(p browsertest.Window, url string) {
	p.Open(url)
	p.Until(`window.danmu && document.getElementById("present").textContent`)
}

// still opens the page with a video that is paused at a moment.
func still(t *testing.T, b browsertest.Browser, w world, seconds float64, tolerated ...string) browsertest.Window {
	t.Helper()
	p := open(t, b, w, tolerated...)
	stop(p, seconds)
	return p
}

// stop pauses the video at a moment, once it plays: at first it is stopped and begins again muted.
func stop(p browsertest.Window, seconds float64) {
	p.Until(`window.danmu.medium.currentTime > 0`)
	p.Do(`window.danmu.medium.pause()`)
	seek(p, seconds)
}

// slow makes the video slow: nothing leaves the screen, however busy the machine is.
func slow(p browsertest.Window) { p.Do(`window.danmu.medium.playbackRate = 0.1`) }

func seek(p browsertest.Window, seconds float64) {
	p.Until(`window.danmu.medium.readyState !== 0 || window.danmu.medium.error`) // a clock has neither
	p.Do(fmt.Sprintf(`window.danmu.seek(%g)`, seconds))
	p.Until(`!window.danmu.medium.seeking`)
}

// write sends a text.
func write(p browsertest.Window, text string) {
	p.Type("#text", text)
	p.Press(kb.Enter)
}

// block adds a rule of what the viewer blocks.
func block(p browsertest.Window, kind, rule string) {
	tab(p, "display")
	p.Choose("#kind", kind)
	p.Type("#word", rule)
	p.Press(kb.Enter)
}

// tab opens a tab beside the video.
func tab(p browsertest.Window, name string) { p.Click("#tab-" + name) }

// count returns an expression for the number of danmu with a text on the screen.
func count(text string) string {
	return fmt.Sprintf(`window.danmu.onScreen().filter((box) => box.text === %q).length`, text)
}

// shows waits until a danmu is on the screen.
func shows(p browsertest.Window, text string) { p.Until(count(text) + ` === 1`) }

// hides waits until a danmu is not on the screen.
func hides(p browsertest.Window, text string) { p.Until(count(text) + ` === 0`) }

// flies waits until a text has moved over the stage.
func flies(p browsertest.Window, text string) {
	p.Until(fmt.Sprintf(`(() => {
		const places = (window.places ??= {}), before = places[%[1]q];
		places[%[1]q] = window.danmu.onScreen().find((box) => box.text === %[1]q)?.left;
		return places[%[1]q] < before;
	})()`, text))
}

// textOf returns an expression for the text of an element.
func textOf(id string) string { return fmt.Sprintf(`document.getElementById(%q).textContent`, id) }

// reads waits until an element has a text.
func reads(p browsertest.Window, id, text string) {
	p.Until(fmt.Sprintf(`%s === %q`, textOf(id), text))
}

// me returns the name of the viewer.
func me(p browsertest.Window) string {
	return browsertest.Eval[string](p, `document.getElementById("me").value`)
}

// wait waits for n frames.
func wait(p browsertest.Window, n int) { browsertest.Eval[bool](p, frames(n, "")) }

// frames waits for n frames, and calls each after every one.
func frames(n int, each string) string {
	return fmt.Sprintf(`new Promise((done) => {
		let n = %d;
		const frame = () => { %s; if (--n) requestAnimationFrame(frame); else done(true); };
		requestAnimationFrame(frame);
	})`, n, each)
}
