package videos

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

func touchTests() pages {
	return pages{
		"it stands still and the others fly on":                  mouseHolds,
		"in a crowd nothing touches while and after it is held":  heldInACrowd,
		"a like counts in each window and is taken back":         likes,
		"a like that is refused is rolled back":                  refusedLike,
		"fast clicks end as the last one":                        fastClicks,
		"what was liked and reported is known after a reload":    knownLater,
		"a report is asked about and takes it away for one user": reporting,
		"one's own can be recalled and not reported":             own,
		"a finger opens the menu, and closes it without a pause": fingers,
		"the keyboard goes from one to the next":                 keysReach,
		"what a sender says can be hidden":                       hidden,
		"the list has the menu too":                              besideTheList,
		"a text is copied and shown as it is":                    markup,
		"one that is removed closes its menu":                    removedWhileHeld,
		"a hit among thousands costs little":                     manyHits,
	}
}

// place is a danmu on the screen, with a point of the page that is on it.
type place struct {
	ID   danmu.ID
	Left float64
	X, Y float64
}

// find returns a script for the place of a danmu that fits a condition on its box.
func find(condition string) string {
	return fmt.Sprintf(`(() => {
		const { left, top } = document.getElementById("stage").getBoundingClientRect();
		const box = window.danmu.onScreen().find((box) => %s);
		return box && { ID: box.id, Left: box.left, X: left + Math.max(box.left, 0) + 12, Y: top + box.top + box.height / 2 };
	})()`, condition)
}

// spot waits for a danmu.
func spot(p browsertest.Window, condition string) place {
	p.Until(find(condition))
	return browsertest.Eval[place](p, find(condition))
}

func saying(text string) string { return fmt.Sprintf(`box.text === %q`, text) }

// still makes a page whose video stands still at a moment.
func still(t *testing.T, b browsertest.Browser, w world, seconds float64, tolerated ...string) browsertest.Window {
	t.Helper()
	p := open(t, b, w, tolerated...)
	p.Until(`window.danmu.medium.currentTime > 0`) // it plays
	p.Do(`window.danmu.medium.pause()`)
	seek(p, seconds)
	return p
}

// hover puts the mouse on a danmu, and waits for its menu.
func hover(p browsertest.Window, text string) {
	at := spot(p, saying(text)+` && box.left + 30 < document.getElementById("stage").clientWidth`)
	p.Hover(at.X, at.Y)
	held(p, text)
}

// holdUp taps a danmu, so that its menu stays wherever the mouse is.
func holdUp(p browsertest.Window, text string) {
	at := spot(p, saying(text)+` && box.left + 30 < document.getElementById("stage").clientWidth`)
	p.Tap(at.X, at.Y)
	held(p, text)
}

func held(p browsertest.Window, text string) {
	p.Until(fmt.Sprintf(`!document.getElementById("touched").hidden && document.getElementById("touched").ariaLabel === %q`, text))
}

func closed(p browsertest.Window) { p.Until(`document.getElementById("touched").hidden`) }

func likesAre(p browsertest.Window, likes string, pressed bool) {
	p.Until(fmt.Sprintf(`document.querySelector("#touched .likes").textContent === %q && document.querySelector("#touched .like").ariaPressed === "%t"`, likes, pressed))
}

func says(p browsertest.Window, phrase string) {
	p.Until(fmt.Sprintf(`document.getElementById("notice").textContent === %q`, phrase))
}

func mouseHolds(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	say(t, w, "a", "held in place", 20)
	say(t, w, "b", "another", 20.1)
	p := open(t, b, w)
	p.Do(`window.danmu.medium.playbackRate = 0.2`)
	seek(p, 22)
	hover(p, "held in place")
	before := spot(p, saying("held in place"))
	flies(p, "another")
	browsertest.Eval[bool](p, frames(20, ""))
	require.Equal(t, before, spot(p, saying("held in place")), "it stands still")
	require.False(t, browsertest.Eval[bool](p, `window.danmu.medium.paused`))

	p.Hover(before.X, before.Y+200)
	closed(p)
	p.Until(`window.danmu.onScreen().every((box) => !box.front)`)
	flies(p, "held in place")

	p.ClickAt(before.X, before.Y+200)
	p.Until(`window.danmu.medium.paused`)
	at := spot(p, saying("another"))
	p.ClickAt(at.X, at.Y)
	held(p, "another")
	require.True(t, browsertest.Eval[bool](p, `window.danmu.medium.paused`), "a click on a danmu is none on the picture")
	p.Hover(before.X, before.Y+200)
	closed(p)
	p.ClickAt(before.X, before.Y+200)
	p.Until(`!window.danmu.medium.paused`)
}

// The viewer holds one after another. Each either returns to its place, or has left the
// stage meanwhile.
func heldInACrowd(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	importCrowd(t, w, 1500)
	p := open(t, b, w)
	p.Do(`window.danmu.medium.playbackRate = 2`)
	seek(p, 10)
	p.Until(`window.danmu.onScreen().length > 20`)
	const n = 8
	seen := browsertest.Eval[struct{ Pairs, Moved, Held, Back, Gone int }](p, fmt.Sprintf(`(async () => {
		const seen = { pairs: 0, moved: 0, held: 0, back: 0, gone: 0 };
		const stage = document.getElementById("stage"), { left, top } = stage.getBoundingClientRect();
		const frame = () => new Promise(requestAnimationFrame);
		const root = document.getElementById("touched");
		const look = () => {
			const boxes = window.danmu.onScreen();
			seen.pairs += %s(boxes.filter((box) => !box.front));
			return boxes;
		};
		for (let n = 0; n < %d; n++) {
			const all = look().filter((box) => !box.front && box.left > 0);
			const chosen = all[(n * 7) %% all.length];
			const point = { clientX: left + chosen.left + chosen.width / 2, clientY: top + chosen.top + chosen.height / 2, bubbles: true };
			stage.dispatchEvent(new PointerEvent("pointerdown", { ...point, pointerType: "touch" }));
			stage.dispatchEvent(new MouseEvent("click", point));
			if (root.hidden) continue;
			const at = look().find((box) => box.id === chosen.id);
			seen.held++;
			for (let i = 0; i < 6; i++) {
				await frame();
				const now = look().find((box) => box.id === chosen.id);
				if (now?.left !== at.left || now.top !== at.top) seen.moved++;
			}
			document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
			while (look().some((box) => box.front)) await frame();
			for (let i = 0; i < 6; i++) { // whether it is back or gone, nothing touches
				await frame();
				if (look().some((box) => box.id === chosen.id)) { if (i === 0) seen.back++; } else if (i === 0) seen.gone++;
			}
		}
		return seen;
	})()`, touching, n))
	require.Zero(t, seen.Pairs)
	require.Zero(t, seen.Moved)
	require.Positive(t, seen.Held)
	require.Equal(t, seen.Held, seen.Back+seen.Gone)
}

func likes(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	sent := say(t, w, "a", "a joke", 20)
	one, two := still(t, b, w, 22), still(t, b, w, 22)
	for _, p := range []browsertest.Window{one, two} {
		holdUp(p, "a joke")
		likesAre(p, "", false)
	}
	one.Click("#touched .like")
	likesAre(one, "1", true)
	likesAre(two, "1", false)
	require.Equal(t, "Like, 1 so far", browsertest.Eval[string](two, `document.querySelector("#touched .like").ariaLabel`))
	two.Click("#touched .like")
	likesAre(one, "2", true)
	likesAre(two, "2", true)
	one.Click("#touched .like")
	likesAre(one, "1", false)
	likesAre(two, "1", true)
	c, err := w.service.danmu.Get(t.Context(), "1", sent.ID)
	require.NoError(t, err)
	require.Equal(t, int64(1), c.Likes)
}

// fakeLikes makes the page's requests for likes wait, and answer with a status.
const fakeLikes = `{
	const { fetch } = window;
	window.asked = [];
	window.fetch = async (path, options) => {
		if (!path.includes("/like?")) return fetch(path, options);
		window.asked.push(options.method);
		const status = await new Promise((answer) => { window.answer = answer; });
		return { ok: status === 200, status, headers: new Headers(), json: async () => status === 200 ? {} : { error: { reason: "no" } } };
	};
}`

func refusedLike(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	say(t, w, "a", "a joke", 20)
	p := still(t, b, w, 22)
	p.Do(fakeLikes)
	holdUp(p, "a joke")
	for status, phrase := range map[int]string{
		400: "That did not work. Please try again.",
		429: "That was too much at once. Wait a moment.",
	} {
		p.Click("#touched .like")
		likesAre(p, "1", true)
		p.Do(fmt.Sprintf(`window.answer(%d)`, status))
		says(p, phrase)
		likesAre(p, "", false)
	}
	p.Click("#touched .like")
	likesAre(p, "1", true)
	p.Do(`window.answer(410)`)
	says(p, "This danmu is gone.")
	closed(p)
	p.Until(count("a joke") + ` === 0`)
}

// Three clicks come before the first answer.
func fastClicks(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	say(t, w, "a", "a joke", 20)
	p := still(t, b, w, 22)
	p.Do(fakeLikes)
	holdUp(p, "a joke")
	for _, liked := range []bool{true, false, true, false} {
		p.Click("#touched .like")
		likesAre(p, map[bool]string{true: "1"}[liked], liked)
	}
	require.Equal(t, []string{"PUT"}, browsertest.Eval[[]string](p, `window.asked`), "one at a time")
	p.Do(`window.answer(200)`)
	p.Until(`window.asked.length === 2`)
	p.Do(`window.answer(200)`)
	p.Click("#touched .like")
	p.Until(`window.asked.length === 3`)
	p.Do(`window.answer(200)`)
	likesAre(p, "1", true)
	require.Equal(t, []string{"PUT", "DELETE", "PUT"}, browsertest.Eval[[]string](p, `window.asked`))
}

func knownLater(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	liked, rude := say(t, w, "a", "a joke", 20), say(t, w, "b", "rude", 20)
	p := open(t, b, w)
	me := browsertest.Eval[string](p, `document.getElementById("me").value`)
	call[map[string]bool](t, w, "PUT", about(liked.ID, "/like", me), "")
	call[map[string]bool](t, w, "PUT", about(rude.ID, "/report", me), "")
	p.Open(w.url)
	p.Until(`window.danmu && document.getElementById("present").textContent`)
	p.Do(`window.danmu.medium.pause()`)
	seek(p, 22)
	p.Until(count("rude") + ` === 0`)
	holdUp(p, "a joke")
	likesAre(p, "1", true)

	p.Choose("#me", "somebody else")
	closed(p)
	holdUp(p, "a joke")
	likesAre(p, "1", false)
}

func reporting(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	say(t, w, "a", "rude", 20)
	one, two := still(t, b, w, 22), still(t, b, w, 22)
	two.Until(count("rude") + ` === 1`)
	holdUp(one, "rude")
	one.Click("#touched .report")
	one.Click("#touched .no")
	one.Visible("#touched .menu")
	require.Empty(t, reactionsOf(t, w, browsertest.Eval[string](one, `document.getElementById("me").value`)).Reported)
	one.Click("#touched .report")
	one.Click("#touched .yes")
	says(one, "Thank you. You will not see it again.")
	closed(one)
	one.Until(count("rude") + ` === 0`)
	require.Equal(t, 1, browsertest.Eval[int](two, count("rude")))
	require.Len(t, reactionsOf(t, w, browsertest.Eval[string](one, `document.getElementById("me").value`)).Reported, 1)
}

func own(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	say(t, w, "me", "mine", 20)
	importAll(t, w, 1, func(int) danmu.Comment {
		return danmu.Comment{User: "me", Text: "mine, of old", Progress: second(21), Sent: time.Now().Add(-time.Hour)}
	})
	p := still(t, b, w, 22.5)
	p.Choose("#me", "me")
	shown := `["like", "copy", "recall", "hide", "report"].filter((name) => !document.querySelector("#touched ." + name).hidden)`
	holdUp(p, "mine, of old")
	require.Equal(t, []string{"like", "copy"}, browsertest.Eval[[]string](p, shown))
	holdUp(p, "mine")
	require.Equal(t, []string{"like", "copy", "recall"}, browsertest.Eval[[]string](p, shown))
	p.Click("#touched .recall")
	says(p, "Taken back.")
	closed(p)
	p.Until(count("mine") + ` === 0`)
	require.Equal(t, []string{"mine, of old"}, texts(call[list](t, w, "GET", "/danmu/pull/1", "").Data))
}

func hidden(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	const name = `ann "<b>`
	say(t, w, name, "one", 20)
	say(t, w, name, "two", 21)
	say(t, w, "b", "stays", 22)
	p := still(t, b, w, 23)
	holdUp(p, "one")
	p.Click("#touched .hide")
	says(p, "You no longer see what "+name+" sends.")
	closed(p)
	p.Until(count("one") + ` + ` + count("two") + ` === 0`)
	require.Equal(t, 1, browsertest.Eval[int](p, count("stays")))
}

func besideTheList(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	say(t, w, "a", "listed", 20)
	p := still(t, b, w, 50)
	p.Until(`document.querySelector("#all-rows button")`)
	p.Do(`document.querySelector("#all-rows button").focus()`)
	p.Press(kb.Enter)
	held(p, "listed")
	p.Until(`document.activeElement === document.querySelector("#touched .like")`)
	p.Press(kb.Enter)
	likesAre(p, "1", true)
	p.Until(`document.querySelector("#all-rows .likes").textContent === "1"`)
	p.Press(kb.Escape)
	closed(p)
	require.True(t, browsertest.Eval[bool](p, `document.activeElement === document.querySelector("#all-rows button")`))
	seek(p, 22)
	holdUp(p, "listed")
	require.True(t, browsertest.Eval[bool](p, `document.querySelector(".picture").contains(document.getElementById("touched"))`))
	likesAre(p, "1", true)
}

func fingers(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	importAll(t, w, 2, func(i int) danmu.Comment {
		return danmu.Comment{User: "a", Text: []string{"held", "second"}[i], Mode: []danmu.Mode{danmu.Scroll, danmu.Bottom}[i], Progress: second(20 + i)}
	})
	p := open(t, b, w)
	p.Size(390, 844)
	p.Do(`window.danmu.medium.playbackRate = 0.1`)
	seek(p, 23)
	const paused = `window.danmu.medium.paused`
	for _, text := range []string{"held", "second"} {
		at := spot(p, saying(text))
		p.Tap(at.X, at.Y)
		held(p, text)
		require.True(t, browsertest.Eval[bool](p, `(() => {
			const menu = document.querySelector("#touched .menu").getBoundingClientRect(), stage = document.getElementById("stage").getBoundingClientRect();
			return menu.left >= stage.left && menu.right <= stage.right && menu.top >= stage.top && menu.bottom <= stage.bottom;
		})()`), "the menu is on the picture")
	}
	at := spot(p, saying("held"))
	p.Tap(at.X, at.Y+110)
	closed(p)
	require.False(t, browsertest.Eval[bool](p, paused), "a tap beside it only closes it")
	p.Tap(at.X, at.Y+110)
	p.Until(paused)
	require.Empty(t, browsertest.Eval[string](p, `String(getSelection())`))
	require.Equal(t, "none", browsertest.Eval[string](p, `getComputedStyle(document.getElementById("stage")).userSelect`))
}

func keysReach(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	say(t, w, "a", "first", 20)
	say(t, w, "b", "next", 21)
	p := still(t, b, w, 22)
	spot(p, saying("next"))
	p.Do(`document.getElementById("choose").focus()`)
	p.Press(kb.Enter)
	held(p, "first")
	focused := func(selector string) {
		p.Until(fmt.Sprintf(`document.activeElement === document.querySelector(%q)`, selector))
	}
	focused("#touched .like")
	p.Press(kb.ArrowRight)
	held(p, "next")
	focused("#touched .like")
	require.Equal(t, "next", browsertest.Eval[string](p, `document.getElementById("walked").textContent`))
	p.Press(kb.ArrowUp)
	held(p, "first")
	require.InDelta(t, 22, browsertest.Eval[float64](p, `window.danmu.medium.currentTime`), 0.01, "arrows do not seek")
	p.Press(kb.Enter)
	likesAre(p, "1", true)
	buttons := browsertest.Eval[int](p, `document.querySelectorAll("#touched .menu button:not([hidden])").length`)
	p.Press(strings.Repeat(kb.Tab, buttons-1))
	focused("#touched .report")
	p.Press(kb.Enter)
	focused("#touched .yes")
	p.Press(kb.Tab + kb.Enter)
	focused("#touched .report")
	p.Press(kb.Escape)
	closed(p)
	focused("#choose")
	seek(p, 50)
	p.Until(`window.danmu.onScreen().length === 0`) // since the next frame
	p.Press(kb.Enter)
	says(p, "No danmu is flying.")

	seek(p, 22)
	p.Do(`document.getElementById("text").focus()`)
	hover(p, "first")
	focused("#text")
	p.Click("#touched .copy")
	p.Press(kb.Escape)
	closed(p)
	focused("#text")
}

func markup(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	const text = `"><img src=x onerror=alert(1)>&amp;'`
	say(t, w, `a"'<b>`, text, 20)
	p := still(t, b, w, 22)
	p.Do(`Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied = text; } } })`)
	holdUp(p, text)
	require.Zero(t, browsertest.Eval[int](p, `document.querySelectorAll("#touched img").length`))
	p.Click("#touched .copy")
	says(p, "Copied.")
	require.Equal(t, text, browsertest.Eval[string](p, `window.copied`))
	p.Do(`navigator.clipboard.writeText = () => Promise.reject(new Error("no"))`)
	p.Click("#touched .copy")
	says(p, "Your browser does not let pages copy.")
}

func removedWhileHeld(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	sent := say(t, w, "a", "soon gone", 20)
	p := still(t, b, w, 22)
	holdUp(p, "soon gone")
	call[map[string]bool](t, w, "DELETE", about(sent.ID, "", "a"), "")
	closed(p)
	p.Until(count("soon gone") + ` === 0`)

	say(t, w, "a", "left behind", 20)
	p.Until(count("left behind") + ` === 1`)
	seek(p, 22)
	holdUp(p, "left behind")
	seek(p, 50)
	closed(p)
	p.Until(count("left behind") + ` === 0`)
	seek(p, 22)
	holdUp(p, "left behind")
	p.Size(700, 700)
	closed(p)
}

// 5,000 comments fly, more than any stage has room for, and the mouse moves 1,000 times.
func manyHits(t *testing.T, b browsertest.Browser) {
	p := open(t, b, newWorld(t, Hills()))
	tests := browsertest.Eval[int](p, `import("/stage.js").then(({ Stage }) => {
		const stage = new Stage(document.getElementById("stage").cloneNode(), { between: () => [], has: () => true }, { now: () => 20 }, { me: () => "", onFrame: () => {} });
		stage.at = 20;
		stage.width = 900;
		stage.flight.aloft = Array.from({ length: 5000 }, (_, i) => ({ comment: { id: String(i) }, start: 13 + (i % 70) / 10, mode: 0, top: i % 500, width: 100, height: 20 }));
		let found = 0;
		for (let i = 0; i < 1000; i++) if (stage.hit(i % 900, i % 520)) found++;
		return found;
	})`)
	require.Positive(t, tests)
}
