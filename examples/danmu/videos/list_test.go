package videos

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

func listTests() pages {
	return pages{
		"all danmu are listed, and those in view are in the page": func(t *testing.T, b browsertest.Browser) {
			const n = 10_000
			p := numberedList(t, b, newWorld(t), n)
			reads(p, "all-listed", "10,000 danmu")
			reads(p, "all-said", "10,000 danmu are listed")
			check := func(top string, first int) {
				t.Helper()
				scrollList(p, top)
				rows := seen(p)
				require.Greater(t, len(rows), 5)
				if first < 0 { // the last ones
					first = n - len(rows)
				}
				for i, row := range rows {
					require.Equal(t, fmt.Sprint("danmu ", row.Index), row.Text, "each at its place")
					require.Equal(t, first+i, row.Index, "without gaps")
				}
				require.Less(t, browsertest.Eval[int](p, `document.querySelectorAll("#all-rows .line").length`), 60)
			}
			row := browsertest.Eval[int](p, `document.querySelector("#all-rows .line").offsetHeight`)
			check(listView+`.scrollHeight`, -1)
			check(fmt.Sprint(n/2*row), n/2)
			check(fmt.Sprint(n/2*row+row/2), n/2)
			for i := range 8 { // back and forth
				at := (i*7919 + 1) % (n - 100)
				check(fmt.Sprint(at*row), at)
			}
			check("0", 0)
			require.Equal(t, fmt.Sprint(n*row), browsertest.Eval[string](p, listView+`.scrollHeight + ""`))

			p.Size(390, 800)
			p.Do(`document.getElementById("panel-all").scrollIntoView()`)
			check(listView+`.scrollHeight`, -1)
			require.Empty(t, browsertest.Eval[[]string](p, `[...document.querySelectorAll("#panel-all *")].filter((e) => e.getBoundingClientRect().right > innerWidth).map((e) => e.className)`), "nothing is wider than the page")
		},
		"the list follows the playing time until the viewer scrolls": func(t *testing.T, b browsertest.Browser) {
			p := numberedList(t, b, newWorld(t), 590) // ten a second
			at := func(seconds float64, text string) {
				t.Helper()
				seek(p, seconds)
				p.Until(fmt.Sprintf(`%s === %q`, currentRow, text))
			}
			at(30.12, "danmu 303") // a fifth of a second ahead
			at(5.02, "danmu 52")
			p.Do(`window.danmu.medium.play()`)
			p.Until(`document.getElementById("all-back").hidden && Number((` + currentRow + `).slice(6)) > 60`)
			p.Do(`window.danmu.medium.pause()`)

			scrollList(p, "12000")
			p.Until(`!document.getElementById("all-back").hidden`)
			seek(p, 40)
			wait(p, 5)
			require.Equal(t, 12000, browsertest.Eval[int](p, listView+`.scrollTop`), "the viewer reads there")
			p.Click("#all-back")
			p.Until(`document.getElementById("all-back").hidden && ` + currentRow + ` === "danmu 402"`)

			p.Click(`#all-rows [aria-rowindex="407"]`) // with the header
			p.Until(`Math.abs(window.danmu.medium.currentTime - 40.3) < 0.1 && ` + currentRow + ` === "danmu 405"`)
			shows(p, "danmu 400")

			p.Do(`document.querySelector("[data-order=sent]").click()`)
			p.Until(listView + `.scrollTop === 0`)
			seek(p, 10)
			wait(p, 5)
			require.Zero(t, browsertest.Eval[int](p, listView+`.scrollTop`), "this order has no place for the playing time")
		},
		"what happens live is listed in its place and moves nobody": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			p := numberedList(t, b, w, 590)
			scrollList(p, "9613")
			before := seen(p)
			moved := func(by int) {
				t.Helper()
				after := seen(p)
				require.Len(t, after, len(before))
				for i, row := range before {
					require.Equal(t, seenRow{row.Text, row.Top, row.Index + by}, after[i], "only its number has changed")
				}
			}

			var sent []message
			for i := range 20 {
				sent = append(sent, say(t, w, fmt.Sprint("sender ", i), fmt.Sprint("early ", i), 1.05+float64(i)/10))
			}
			late := say(t, w, "me", "late", 58.95)
			listed(p, 611)
			moved(20)
			recallAs(t, w, sent[3])
			listed(p, 610)
			moved(19)

			scrollList(p, listView+`.scrollHeight`)
			p.Until(seenRows + `.slice(-2).map((row) => row.text).join() === "danmu 589,late"`) // in playing order
			recallAs(t, w, late)
			listed(p, 609)
			p.Until(fmt.Sprintf(`%s.at(-1).text === "danmu 589"`, seenRows))

			scrollList(p, "0")
			p.Until(fmt.Sprintf(`%s.map((row) => row.text).slice(10, 13).join() === "danmu 10,early 0,danmu 11"`, seenRows))
		},
		"the keyboard suffices and the focus is kept": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t, said{"me", "my own", 10.01})
			p := numberedList(t, b, w, 295) // five a second
			focused := func(text string) {
				t.Helper()
				p.Until(fmt.Sprintf(`document.activeElement.matches("#all-rows .line") && document.activeElement.querySelector(".text").textContent === %q`, text))
				require.Equal(t, 1, browsertest.Eval[int](p, `document.querySelectorAll("#all-rows .line[tabindex='0']").length`), "Tab leads to one row")
			}
			p.Do(`document.querySelector("[data-order=sent]").focus()`)
			p.Press(kb.Tab)
			focused("danmu 0")
			p.Do(`window.heard = []; addEventListener("keydown", (e) => window.heard.push(e.key))`)
			p.Press(kb.ArrowDown + kb.ArrowDown + kb.ArrowUp)
			focused("danmu 1")
			p.Press(kb.End)
			focused("danmu 294")
			require.Equal(t, "297", browsertest.Eval[string](p, `document.activeElement.ariaRowIndex`), "with the header")
			p.Press(kb.PageUp + kb.PageDown)
			focused("danmu 294")
			p.Press(kb.Home + kb.PageDown)
			page := browsertest.Eval[int](p, fmt.Sprintf(`Number(document.activeElement.querySelector(".text").textContent.slice(6)) - %s.filter((row) => row.text).length`, seenRows))
			require.InDelta(t, 0, page, 3, "a page is what is in view")
			require.Empty(t, browsertest.Eval[[]string](p, `window.heard`), "these keys are the list's, and not the player's")
			require.False(t, browsertest.Eval[bool](p, `document.getElementById("all-back").hidden`))

			for range 60 {
				p.Press(kb.ArrowDown)
				if browsertest.Eval[bool](p, `document.activeElement.querySelector(".text").textContent === "my own"`) {
					break
				}
			}
			focused("my own")
			p.Press(kb.Enter)
			p.Until(`Math.abs(window.danmu.medium.currentTime - 9.81) < 0.1`)
			focused("my own")
			scrollList(p, listView+`.scrollHeight`)
			focused("my own") // though it is far from view
			require.False(t, browsertest.Eval[bool](p, seenRows+`.some((row) => row.text === "my own")`))
			p.Press(kb.ArrowDown)
			focused("danmu 51")
			p.Press(kb.ArrowUp)

			recallAs(t, w, w.sent[0])
			listed(p, 295)
			focused("danmu 51")
		},
		// 10,000 danmu arrive in a list of 10,000, 500 at a time. Then all of them are removed or
		// replaced, while the focus is at the bottom.
		"a flood leaves the page quick": func(t *testing.T, b browsertest.Browser) {
			p := still(t, b, newWorld(t), 0)
			got := browsertest.Eval[struct {
				Rows, Count, Most, Writes int
				Flaws                     []string
			}](p, `import("/list.js").then(async ({ VirtualList }) => {
				const grid = document.createElement("div"), view = document.createElement("div");
				grid.setAttribute("role", "grid");
				view.style.cssText = "height: 600px; overflow: auto; --row: 30px; position: relative";
				view.append(document.createElement("div"));
				grid.append(view);
				document.body.append(grid);
				let writes = 0;
				const list = new VirtualList(view, { fill: (row, item) => { writes++; row.textContent = item; }, chosen: () => {}, scrolled: () => {} });
				const some = (name, n) => Array.from({ length: n }, (_, i) => new String(name + i));
				let items = some("old ", 10_000);
				list.show(items);
				view.scrollTop = 150_000;
				await new Promise(requestAnimationFrame);
				await new Promise(requestAnimationFrame);
				const lines = () => view.querySelectorAll(".line").length;
				const first = () => view.firstElementChild.querySelector(".line").textContent;
				const before = first(), drawn = writes, flaws = [];
				let most = 0;
				for (let round = 0; round < 20; round++) {
					items = [...some("new " + round + " ", 500), ...items];
					list.show(items);
					most = Math.max(most, lines());
					if (first() !== before) flaws.push(first() + " is not " + before);
				}
				const seen = { rows: lines(), count: grid.ariaRowCount - 1, most, writes: writes - drawn, flaws };

				for (const items of [some("a", 1000), some("b", 10), [], some("c", 3), some("d", 5000)]) {
					list.show(items);
					list.to(items.length - 1, { focus: true });
					if (items.length > 0 && view.scrollTop + view.clientHeight < items.length * 30 - 600) flaws.push("not at the end");
					if (items.length > 0 && document.activeElement.textContent !== String(items.at(-1))) flaws.push("no focus");
				}
				list.show(some("e", 2));
				if (document.activeElement.textContent !== "e1") flaws.push("the focus is lost");
				list.show([]);
				if (lines() > 0) flaws.push("rows are left");
				return seen;
			})`)
			require.Empty(t, got.Flaws)
			require.Equal(t, 20_000, got.Count)
			require.Less(t, got.Most, 40)
			require.Less(t, got.Writes, 5, "rows that stay are not written again")
		},
		"the viewer finds, sorts and sees what is hidden": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			importAll(t, w, 100, func(i int) danmu.Comment {
				return danmu.Comment{Text: fmt.Sprint("danmu ", i), Progress: time.Duration(i) * 500 * time.Millisecond, Sent: time.UnixMilli(1_600_000_000_000).Add(time.Duration(i*37%100) * time.Hour)}
			})
			say(t, w, "a", "a Spoiler 1", 20)
			say(t, w, "a", `剧透 <Spoiler> "2"`, 30)
			p := still(t, b, w, 0)
			listed(p, 102)

			p.Type("#all-find", "SPOILER")
			listed(p, 2)
			reads(p, "all-listed", "2 of 102 danmu")
			reads(p, "all-said", "2 found")
			p.Type("#all-find", " no such")
			p.Until(`!document.getElementById("all-none").hidden && document.getElementById("all-none").textContent === "No danmu has this in it."`)
			p.Press(kb.Escape)
			listed(p, 102)
			require.Empty(t, browsertest.Eval[string](p, `document.getElementById("all-find").value`))

			p.Click("[data-order=sent]")
			p.Until(fmt.Sprintf(`%s.map((row) => row.text).slice(0, 4).join("|") === "剧透 <Spoiler> \"2\"|a Spoiler 1|danmu 27|danmu 54"`, seenRows))
			require.Equal(t, []string{"none", "none", "descending"}, browsertest.Eval[[]string](p, `[...document.querySelectorAll("#all [aria-sort]")].map((e) => e.ariaSort)`))
			say(t, w, "b", "newest", 59)
			p.Until(fmt.Sprintf(`%s[0].text === "newest"`, seenRows))
			scrollList(p, "300")
			say(t, w, "b", "newer still", 0)
			listed(p, 104)
			p.Until(fmt.Sprintf(`%s.scrollTop === 300 + document.querySelector("#all-rows .line").offsetHeight`, listView))
			reads(p, "all-back", "Back to the newest")
			p.Click("#all-back")
			p.Until(fmt.Sprintf(`%s[0].text === "newer still"`, seenRows))
			p.Click("[data-order=likes]")
			p.Until(fmt.Sprintf(`%s[2].text === "danmu 1"`, seenRows)) // nobody likes any: in playing order
			p.Click("[data-order=time]")

			block(p, "words", "spoiler")
			tab(p, "all")
			listed(p, 102)
			reads(p, "all-hidden", "2 hidden")
			p.Click("#all-hidden")
			listed(p, 104)
			require.Equal(t, "true", browsertest.Eval[string](p, `document.getElementById("all-hidden").ariaPressed`))
			p.Type("#all-find", "spoiler")
			listed(p, 2)
			require.Equal(t, 2, browsertest.Eval[int](p, `document.querySelectorAll("#all-rows .hides").length`))
			p.Click("#all-hidden")
			listed(p, 0)
			say(t, w, "c", "spoiler 3", 1)
			reads(p, "all-hidden", "3 hidden")
			listed(p, 0)
		},
		"texts and names in the list are no markup": func(t *testing.T, b browsertest.Browser) {
			const script = `<script>alert(1)</script><img src=x onerror="alert(2)">`
			name := `"]'><b>` + strings.Repeat("x", 10)
			p := open(t, b, newWorld(t, said{name, script, 3}, said{name, "\u202eright to left\u2066", 3.1}, said{name, "line\nbreak", 3.2}))
			p.Choose("#me", name)
			listed(p, 3)
			p.Until(fmt.Sprintf(`document.querySelector("#all-rows .text").textContent === %q`, script))
			p.Until(`document.querySelectorAll("#all-rows .own").length === 3 && document.querySelectorAll("#mine li").length === 3`)
			require.Zero(t, browsertest.Eval[int](p, `document.querySelectorAll("aside :is(script, img, b)").length`))
			require.Equal(t, 1, browsertest.Eval[int](p, `new Set([...document.querySelectorAll("#all-rows .line")].map((row) => row.offsetHeight)).size`), "rows have one height")
		},
		"the list is read when it is looked at": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			numbered(t, w, 10)
			p := b.Window(t)
			p.Size(390, 380)
			load(p, w.url)
			stop(p, 0)
			p.Do(`{
				const { fetch } = window;
				window.reads = 0;
				window.fetch = (path, ...rest) => {
					if (String(path).includes("/segments/0")) window.reads++;
					return fetch(path, ...rest);
				};
			}`)
			say(t, w, "a", "live", 20)
			seek(p, 21)
			shows(p, "live")
			wait(p, 20)
			before := browsertest.Eval[int](p, `window.reads`)
			require.Empty(t, browsertest.Eval[string](p, textOf("all-listed")), "it is below what is in view")
			tab(p, "all")
			p.Do(`document.getElementById("panel-all").scrollIntoView()`)
			listed(p, 11)
			tab(p, "mine")
			say(t, w, "a", "live too", 20)
			shows(p, "live too")
			tab(p, "all")
			listed(p, 12)
			require.Equal(t, before+1, browsertest.Eval[int](p, `window.reads`), "what was read stays")
		},
	}
}

// Scripts about the list.
const (
	listView  = `document.getElementById("all-rows")`
	listCount = `document.getElementById("all").ariaRowCount - 1`

	// seenRows are the texts of the rows in view, from the top, with their places.
	seenRows = `(() => {
		const view = document.getElementById("all-rows").getBoundingClientRect();
		return [...document.querySelectorAll("#all-rows .line")]
			.map((row) => ({ row, box: row.getBoundingClientRect() }))
			.filter(({ box }) => box.bottom > view.top + 1 && box.top < view.bottom - 1)
			.sort((a, b) => a.box.top - b.box.top)
			.map(({ row, box }) => ({ text: row.querySelector(".text").textContent, top: Math.round(box.top - view.top), index: row.ariaRowIndex - 2 }));
	})()`
)

type seenRow struct {
	Text       string
	Top, Index int
}

// listed waits until n danmu are listed.
func listed(p browsertest.Window, n int) {
	p.Until(fmt.Sprintf(`%s === %d && document.getElementById("all").ariaBusy === "false"`, listCount, n))
}

// scrollList scrolls as a viewer does, and waits until the rows are there.
func scrollList(p browsertest.Window, top string) {
	browsertest.Eval[bool](p, fmt.Sprintf(`new Promise((done) => {
		const view = %s;
		view.addEventListener("scroll", () => requestAnimationFrame(() => done(true)), { once: true });
		view.scrollTop = %s;
	})`, listView, top))
}

// numbered imports n danmu that are spread over the video and named after their places.
func numbered(t *testing.T, w world, n int) {
	t.Helper()
	importAll(t, w, n, func(i int) danmu.Comment {
		return danmu.Comment{
			Text: fmt.Sprint("danmu ", i), User: fmt.Sprint("user", i%10),
			Progress: time.Duration(i) * 59 * time.Second / time.Duration(n),
			Sent:     time.UnixMilli(1_600_000_000_000).Add(time.Duration(i*7919%n) * time.Hour),
		}
	})
}

// numberedList opens a page with n numbered danmu and those that the world has.
func numberedList(t *testing.T, b browsertest.Browser, w world, n int) browsertest.Window {
	t.Helper()
	numbered(t, w, n)
	p := still(t, b, w, 0)
	listed(p, n+len(w.sent))
	return p
}

// seen returns the rows in view.
func seen(p browsertest.Window) []seenRow { return browsertest.Eval[[]seenRow](p, seenRows) }

// currentRow is the text of the row that is marked, if it is in view.
const currentRow = `(() => {
	const view = document.getElementById("all-rows").getBoundingClientRect();
	const row = document.querySelector("#all-rows [aria-current]");
	const box = row?.getBoundingClientRect();
	return box && box.top >= view.top - 1 && box.bottom <= view.bottom + 1 ? row.querySelector(".text").textContent : "";
})()`

// recallAs recalls a danmu for its sender.
func recallAs(t *testing.T, w world, m message) {
	t.Helper()
	require.True(t, call[struct{ Removed bool }](t, w, http.MethodDelete, about(m.ID, "", url.QueryEscape(m.UserID)), "").Removed)
}
