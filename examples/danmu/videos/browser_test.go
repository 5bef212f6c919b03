package videos

import (
	"fmt"
	"testing"

	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

// open opens the page in a window, as a new viewer.
func open(t *testing.T, b browsertest.Browser, w world, tolerated ...string) browsertest.Window {
	t.Helper()
	p := b.Window(t, tolerated...)
	p.Open(w.url)
	p.Until(`window.danmu && document.getElementById("present").textContent`)
	return p
}

// tab opens a tab beside the video.
func tab(p browsertest.Window, name string) { p.Click("#tab-" + name) }

// count returns an expression for the number of danmu with a text on the screen.
func count(text string) string {
	return fmt.Sprintf(`window.danmu.onScreen().filter((box) => box.text === %q).length`, text)
}

// flies waits until a text has moved over the stage.
func flies(p browsertest.Window, text string) {
	p.Until(fmt.Sprintf(`(() => {
		const places = (window.places ??= {}), before = places[%[1]q];
		places[%[1]q] = window.danmu.onScreen().find((box) => box.text === %[1]q)?.left;
		return places[%[1]q] < before;
	})()`, text))
}

func seek(p browsertest.Window, seconds float64) {
	p.Until(`window.danmu.medium.readyState !== 0 || window.danmu.medium.error`) // a clock has neither
	p.Do(fmt.Sprintf(`window.danmu.seek(%g)`, seconds))
	p.Until(`!window.danmu.medium.seeking`)
}

// frames waits for n frames, and calls each after every one.
func frames(n int, each string) string {
	return fmt.Sprintf(`new Promise((done) => {
		let n = %d;
		const frame = () => { %s; if (--n) requestAnimationFrame(frame); else done(true); };
		requestAnimationFrame(frame);
	})`, n, each)
}
