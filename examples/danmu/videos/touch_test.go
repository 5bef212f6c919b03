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
		"it stands still and the others fly on": func(t *testing.T, b browsertest.Browser) {
			p := open(t, b, newWorld(t, said{"a", "held in place", 20}, said{"b", "another", 20.1}))
			p.Do(`window.danmu.medium.playbackRate = 0.2`)
			seek(p, 22)
			hover(p, "held in place")
			before := spot(p, "held in place")
			flies(p, "another")
			wait(p, 20)
			require.Equal(t, before, spot(p, "held in place"), "it stands still")
			require.False(t, browsertest.Eval[bool](p, `window.danmu.medium.paused`))

			p.Hover(before.X, before.Y+200)
			closed(p)
			p.Until(`window.danmu.onScreen().every((box) => !box.front)`)
			flies(p, "held in place")

			p.ClickAt(before.X, before.Y+200)
			p.Until(`window.danmu.medium.paused`)
			at := spot(p, "another")
			p.ClickAt(at.X, at.Y)
			held(p, "another")
			require.True(t, browsertest.Eval[bool](p, `window.danmu.medium.paused`), "a click on a danmu is none on the picture")
			p.Hover(before.X, before.Y+200)
			closed(p)
			p.ClickAt(before.X, before.Y+200)
			p.Until(`!window.danmu.medium.paused`)
		},
		// The viewer holds one after another. Each either returns to its place, or has left the
		// stage meanwhile.
		"in a crowd nothing touches while and after it is held": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			importCrowd(t, w, 1500)
			p := open(t, b, w)
			p.Do(`window.danmu.medium.playbackRate = 2`)
			seek(p, 10)
			p.Until(`window.danmu.onScreen().length > 20`)
			seen := browsertest.Eval[struct{ Pairs, Moved, Held int }](p, `(async () => {
				const seen = { pairs: 0, moved: 0, held: 0 };
				const stage = document.getElementById("stage"), { left, top } = stage.getBoundingClientRect();
				const frame = () => new Promise(requestAnimationFrame);
				const look = () => {
					const boxes = window.danmu.onScreen();
					seen.pairs += `+touching+`(boxes.filter((box) => !box.front));
					return boxes;
				};
				for (let n = 0; n < 8; n++) {
					const all = look().filter((box) => !box.front && box.left > 0);
					const chosen = all[(n * 7) % all.length];
					const point = { clientX: left + chosen.left + chosen.width / 2, clientY: top + chosen.top + chosen.height / 2, bubbles: true };
					stage.dispatchEvent(new PointerEvent("pointerdown", { ...point, pointerType: "touch" }));
					stage.dispatchEvent(new MouseEvent("click", point));
					if (document.getElementById("touched").hidden) continue;
					const at = look().find((box) => box.id === chosen.id);
					seen.held++;
					for (let i = 0; i < 6; i++) {
						await frame();
						const now = look().find((box) => box.id === chosen.id);
						if (now?.left !== at.left || now.top !== at.top) seen.moved++;
					}
					document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
					while (look().some((box) => box.front)) await frame();
					await `+frames(6, `look()`)+`;
				}
				return seen;
			})()`)
			require.Zero(t, seen.Pairs)
			require.Zero(t, seen.Moved)
			require.Positive(t, seen.Held)
		},
		"a like counts in each window and is taken back": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t, said{"a", "a joke", 20})
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
			require.Equal(t, int64(1), w.stored(t)[0].Likes)
		},
		// The page's requests for likes wait until the test answers them with a status. Three
		// clicks come before the first answer.
		"fast clicks end as the last one, and a refusal undoes it": func(t *testing.T, b browsertest.Browser) {
			p := still(t, b, newWorld(t, said{"a", "a joke", 20}), 22)
			p.Do(`{
				const { fetch } = window;
				window.asked = [];
				window.fetch = async (path, options) => {
					if (!path.includes("/like?")) return fetch(path, options);
					window.asked.push(options.method);
					const status = await new Promise((answer) => { window.answer = answer; });
					return { ok: status === 200, status, headers: new Headers(), json: async () => status === 200 ? {} : { error: { reason: "no" } } };
				};
			}`)
			holdUp(p, "a joke")
			for _, liked := range []bool{true, false, true, false} {
				p.Click("#touched .like")
				likesAre(p, map[bool]string{true: "1"}[liked], liked)
			}
			require.Equal(t, []string{"PUT"}, browsertest.Eval[[]string](p, `window.asked`), "one at a time")
			p.Do(`window.answer(200)`)
			p.Until(`window.asked.join() === "PUT,DELETE"`)
			p.Do(`window.answer(200)`)

			for _, c := range []struct {
				status int
				notice string
			}{
				{400, "That did not work. Please try again."},
				{429, "That was too much at once. Wait a moment."},
				{410, "This danmu is gone."},
			} {
				before := browsertest.Eval[int](p, `window.asked.length`)
				p.Click("#touched .like")
				p.Until(fmt.Sprintf(`window.asked.length === %d`, before+1))
				likesAre(p, "1", true)
				p.Do(fmt.Sprintf(`window.answer(%d)`, c.status))
				reads(p, "notice", c.notice)
				if c.status != 410 {
					likesAre(p, "", false)
				}
			}
			gone(p, "a joke", "This danmu is gone.")
		},
		"what was liked and reported is known after a reload": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t, said{"a", "a joke", 20}, said{"b", "rude", 20})
			p := open(t, b, w)
			for i, what := range []string{"/like", "/report"} {
				call[any](t, w, "PUT", about(w.sent[i].ID, what, me(p)), "")
			}
			load(p, w.url)
			stop(p, 22)
			hides(p, "rude")
			holdUp(p, "a joke")
			likesAre(p, "1", true)

			p.Choose("#me", "somebody else")
			closed(p)
			holdUp(p, "a joke")
			likesAre(p, "1", false)
		},
		"a report is asked about and takes it away for one user": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t, said{"a", "rude", 20})
			one, two := still(t, b, w, 22), still(t, b, w, 22)
			shows(two, "rude")
			holdUp(one, "rude")
			one.Click("#touched .report")
			one.Click("#touched .no")
			one.Visible("#touched .menu")
			require.Empty(t, reactionsOf(t, w, me(one)).Reported)
			one.Click("#touched .report")
			one.Click("#touched .yes")
			gone(one, "rude", "Thank you. You will not see it again.")
			require.Equal(t, 1, browsertest.Eval[int](two, count("rude")))
			require.Len(t, reactionsOf(t, w, me(one)).Reported, 1)
		},
		"one's own can be recalled and not reported": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t, said{"me", "mine", 20})
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
			gone(p, "mine", "Taken back.")
			require.Equal(t, []string{"mine, of old"}, texts(w.stored(t)))
		},
		"a finger opens the menu, and closes it without a pause": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			importAll(t, w, 2, func(i int) danmu.Comment {
				return danmu.Comment{User: "a", Text: []string{"held", "second"}[i], Mode: []danmu.Mode{danmu.Scroll, danmu.Bottom}[i], Progress: second(20 + i)}
			})
			p := open(t, b, w)
			p.Size(390, 844)
			slow(p)
			seek(p, 23)
			for _, text := range []string{"held", "second"} {
				holdUp(p, text)
				require.True(t, browsertest.Eval[bool](p, `(() => {
					const menu = document.querySelector("#touched .menu").getBoundingClientRect(), stage = document.getElementById("stage").getBoundingClientRect();
					return menu.left >= stage.left && menu.right <= stage.right && menu.top >= stage.top && menu.bottom <= stage.bottom;
				})()`), "the menu is on the picture")
			}
			at := spot(p, "held")
			p.Tap(at.X, at.Y+110)
			closed(p)
			require.False(t, browsertest.Eval[bool](p, `window.danmu.medium.paused`), "a tap beside it only closes it")
			p.Tap(at.X, at.Y+110)
			p.Until(`window.danmu.medium.paused`)
			require.Empty(t, browsertest.Eval[string](p, `String(getSelection())`))
			require.Equal(t, "none", browsertest.Eval[string](p, `getComputedStyle(document.getElementById("stage")).userSelect`))
		},
		"the keyboard goes from one to the next": func(t *testing.T, b browsertest.Browser) {
			p := still(t, b, newWorld(t, said{"a", "first", 20}, said{"b", "next", 21}), 22)
			spot(p, "next")
			p.Do(`document.getElementById("choose").focus()`)
			p.Press(kb.Enter)
			held(p, "first")
			focused(p, "#touched .like")
			p.Press(kb.ArrowRight)
			held(p, "next")
			focused(p, "#touched .like")
			reads(p, "walked", "next")
			p.Press(kb.ArrowUp)
			held(p, "first")
			require.InDelta(t, 22, browsertest.Eval[float64](p, `window.danmu.medium.currentTime`), 0.01, "arrows do not seek")
			p.Press(kb.Enter)
			likesAre(p, "1", true)
			buttons := browsertest.Eval[int](p, `document.querySelectorAll("#touched .menu button:not([hidden])").length`)
			for _, press := range []struct{ keys, focus string }{
				{strings.Repeat(kb.Tab, buttons-1), "#touched .report"},
				{kb.Enter, "#touched .yes"},
				{kb.Tab + kb.Enter, "#touched .report"},
				{kb.Escape, "#choose"},
			} {
				p.Press(press.keys)
				focused(p, press.focus)
			}
			closed(p)
			seek(p, 50)
			p.Until(`window.danmu.onScreen().length === 0`) // since the next frame
			p.Press(kb.Enter)
			reads(p, "notice", "No danmu is flying.")

			seek(p, 22)
			p.Do(`document.getElementById("text").focus()`)
			hover(p, "first")
			focused(p, "#text")
			p.Click("#touched .copy")
			p.Press(kb.Escape)
			closed(p)
			focused(p, "#text")
		},
		"the list has the menu too": func(t *testing.T, b browsertest.Browser) {
			p := still(t, b, newWorld(t, said{"a", "listed", 20}), 50)
			p.Until(`document.querySelector("#all-rows button")`)
			p.Do(`document.querySelector("#all-rows button").focus()`)
			p.Press(kb.Enter)
			held(p, "listed")
			focused(p, "#touched .like")
			p.Press(kb.Enter)
			likesAre(p, "1", true)
			p.Until(`document.querySelector("#all-rows .likes").textContent === "1"`)
			p.Press(kb.Escape)
			closed(p)
			focused(p, "#all-rows button")
			seek(p, 22)
			holdUp(p, "listed")
			require.True(t, browsertest.Eval[bool](p, `document.querySelector(".picture").contains(document.getElementById("touched"))`))
			likesAre(p, "1", true)
		},
		"a text is copied as it is and its sender can be hidden": func(t *testing.T, b browsertest.Browser) {
			const name, text = `ann "'<b>`, `"><img src=x onerror=alert(1)>&amp;'`
			p := still(t, b, newWorld(t, said{name, text, 20}, said{name, "another", 21}, said{"b", "stays", 22}), 23)
			p.Do(`Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied = text; } } })`)
			holdUp(p, text)
			require.Zero(t, browsertest.Eval[int](p, `document.querySelectorAll("#touched img").length`))
			p.Click("#touched .copy")
			reads(p, "notice", "Copied.")
			require.Equal(t, text, browsertest.Eval[string](p, `window.copied`))
			p.Do(`navigator.clipboard.writeText = () => Promise.reject(new Error("no"))`)
			p.Click("#touched .copy")
			reads(p, "notice", "Your browser does not let pages copy.")

			p.Click("#touched .hide")
			gone(p, text, "You no longer see what "+name+" sends.")
			hides(p, "another")
			require.Equal(t, 1, browsertest.Eval[int](p, count("stays")))
		},
		"one that is removed closes its menu": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t, said{"a", "soon gone", 20}, said{"b", "left behind", 40}) // one does not move into the other's place
			p := still(t, b, w, 22)
			holdUp(p, "soon gone")
			recallAs(t, w, w.sent[0])
			closed(p)
			hides(p, "soon gone")
			for _, leave := range []func(){func() { seek(p, 22) }, func() { p.Size(700, 700) }} {
				seek(p, 42)
				holdUp(p, "left behind")
				leave()
				closed(p)
			}
		},
	}
}

// place is a danmu on the screen, with a point of the page that is on it.
type place struct {
	ID   danmu.ID
	Left float64
	X, Y float64
}

// spot waits for a danmu with a text that leaves room for its point.
func spot(p browsertest.Window, text string) place {
	find := fmt.Sprintf(`(() => {
		const stage = document.getElementById("stage"), { left, top } = stage.getBoundingClientRect();
		const box = window.danmu.onScreen().find((box) => box.text === %q && box.left + 30 < stage.clientWidth);
		return box && { ID: box.id, Left: box.left, X: left + Math.max(box.left, 0) + 12, Y: top + box.top + box.height / 2 };
	})()`, text)
	p.Until(find)
	return browsertest.Eval[place](p, find)
}

// hover puts the mouse on a danmu, and waits for its menu.
func hover(p browsertest.Window, text string) {
	at := spot(p, text)
	p.Hover(at.X, at.Y)
	held(p, text)
}

// holdUp taps a danmu, so that its menu stays wherever the mouse is.
func holdUp(p browsertest.Window, text string) {
	at := spot(p, text)
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

// gone waits until what the viewer did to a danmu is confirmed, and its menu is closed.
func gone(p browsertest.Window, text, notice string) {
	reads(p, "notice", notice)
	closed(p)
	hides(p, text)
}

// focused waits until an element has the focus.
func focused(p browsertest.Window, selector string) {
	p.Until(fmt.Sprintf(`document.activeElement === document.querySelector(%q)`, selector))
}
