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
		"all danmu are listed, and those in view are in the page":    longList,
		"the list follows the playing time until the viewer scrolls": listFollows,
		"what happens live is listed in its place and moves nobody":  listLive,
		"the keyboard suffices and the focus is kept":                listKeys,
		"a flood leaves the page quick":                              listFlood,
		"the viewer finds, sorts and sees what is hidden":            listChoices,
		"texts and names in the list are no markup":                  listMarkup,
		"the list is read when it is looked at":                      listOpened,
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

// rest pauses the video, once it plays: at first it is stopped and begins again muted.
func rest(p browsertest.Window) {
	p.Until(`window.danmu.medium.currentTime > 0`)
	p.Do(`window.danmu.medium.pause()`)
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

func longList(t *testing.T, b browsertest.Browser) {
	const n = 10_000
	w := newWorld(t, Hills())
	numbered(t, w, n)
	p := open(t, b, w)
	rest(p)
	listed(p, n)
	p.Until(fmt.Sprintf(`document.getElementById("all-listed").textContent === "%d,000 danmu"`, n/1000))
	p.Until(fmt.Sprintf(`document.getElementById("all-said").textContent === "%d,000 danmu are listed"`, n/1000))

	check := func(top string, first int) {
		t.Helper()
		scrollList(p, top)
		seen := browsertest.Eval[[]seenRow](p, seenRows)
		require.Greater(t, len(seen), 5)
		for i, row := range seen {
			require.Equal(t, fmt.Sprint("danmu ", row.Index), row.Text, "each at its place")
			require.Equal(t, seen[0].Index+i, row.Index, "without gaps")
		}
		if first >= 0 {
			require.Equal(t, first, seen[0].Index)
		} else {
			require.Equal(t, n-1, seen[len(seen)-1].Index)
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
}

// currentRow is the text of the row that is marked, if it is in view.
const currentRow = `(() => {
	const view = document.getElementById("all-rows").getBoundingClientRect();
	const row = document.querySelector("#all-rows [aria-current]");
	const box = row?.getBoundingClientRect();
	return box && box.top >= view.top - 1 && box.bottom <= view.bottom + 1 ? row.querySelector(".text").textContent : "";
})()`

func listFollows(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	numbered(t, w, 590) // ten a second
	p := open(t, b, w)
	rest(p)
	listed(p, 590)
	at := func(seconds float64, text string) {
		t.Helper()
		seek(p, seconds)
		p.Until(fmt.Sprintf(`%s === %q`, currentRow, text))
	}
	at(30.12, "danmu 303") // a fifth of a second ahead
	at(5.02, "danmu 52")
	p.Do(`window.danmu.medium.play()`)
	p.Until(fmt.Sprintf(`Number((%s).slice(6)) > 60`, currentRow))
	rest(p)
	require.True(t, browsertest.Eval[bool](p, `document.getElementById("all-back").hidden`))

	scrollList(p, "12000")
	p.Until(`!document.getElementById("all-back").hidden`)
	seek(p, 40)
	browsertest.Eval[bool](p, frames(5, ""))
	require.Equal(t, 12000, browsertest.Eval[int](p, listView+`.scrollTop`), "the viewer reads there")
	p.Click("#all-back")
	p.Until(fmt.Sprintf(`%s === "danmu 402"`, currentRow))
	require.True(t, browsertest.Eval[bool](p, `document.getElementById("all-back").hidden`))

	p.Click(`#all-rows [aria-rowindex="407"]`) // with the header
	p.Until(`Math.abs(window.danmu.medium.currentTime - 40.3) < 0.1`)
	p.Until(fmt.Sprintf(`%s === "danmu 405"`, currentRow))
	p.Until(count("danmu 400") + ` === 1`)

	p.Do(`document.querySelector("[data-order=sent]").click()`)
	p.Until(listView + `.scrollTop === 0`)
	seek(p, 10)
	browsertest.Eval[bool](p, frames(5, ""))
	require.Zero(t, browsertest.Eval[int](p, listView+`.scrollTop`), "this order has no place for the playing time")
}

func listLive(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	numbered(t, w, 590)
	p := open(t, b, w)
	rest(p)
	seek(p, 0)
	listed(p, 590)
	scrollList(p, "9613")
	before := browsertest.Eval[[]seenRow](p, seenRows)

	var sent []message
	for i := range 20 {
		sent = append(sent, say(t, w, fmt.Sprint("sender ", i), fmt.Sprint("early ", i), 1.05+float64(i)/10))
	}
	late := say(t, w, "me", "late", 58.95)
	listed(p, 611)
	after := browsertest.Eval[[]seenRow](p, seenRows)
	require.Len(t, after, len(before))
	for i := range before {
		require.Equal(t, seenRow{before[i].Text, before[i].Top, before[i].Index + 20}, after[i], "nothing has moved")
	}
	recallAs(t, w, sent[3])
	listed(p, 610)
	after = browsertest.Eval[[]seenRow](p, seenRows)
	require.Equal(t, seenRow{before[0].Text, before[0].Top, before[0].Index + 19}, after[0])

	scrollList(p, listView+`.scrollHeight`)
	seen := browsertest.Eval[[]seenRow](p, seenRows)
	require.Equal(t, []string{"danmu 589", "late"}, []string{seen[len(seen)-2].Text, seen[len(seen)-1].Text}, "in playing order")
	recallAs(t, w, late)
	listed(p, 609)
	p.Until(fmt.Sprintf(`%s.at(-1).text === "danmu 589"`, seenRows))

	scrollList(p, "0")
	p.Until(fmt.Sprintf(`%s.map((row) => row.text).slice(10, 13).join() === "danmu 10,early 0,danmu 11"`, seenRows))
}

// recallAs recalls a danmu for its sender.
func recallAs(t *testing.T, w world, m message) {
	t.Helper()
	path := "/videos/1/danmu/" + m.ID.String() + "?user=" + url.QueryEscape(m.UserID)
	require.True(t, call[struct{ Removed bool }](t, w, http.MethodDelete, path, "").Removed)
}

func listKeys(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	numbered(t, w, 295) // five a second
	own := say(t, w, "me", "my own", 10.01)
	p := open(t, b, w)
	rest(p)
	seek(p, 0)
	listed(p, 296)
	focused := func(text string) {
		t.Helper()
		p.Until(fmt.Sprintf(`document.activeElement.matches("#all-rows .line") && document.activeElement.querySelector(".text").textContent === %q`, text))
		require.Equal(t, 1, browsertest.Eval[int](p, `document.querySelectorAll("#all-rows .line[tabindex='0']").length`), "Tab leads to one row")
	}
	p.Do(`document.querySelector("[data-order=sent]").focus()`)
	p.Press(kb.Tab)
	focused("danmu 0")
	p.Do(`window.heard = []; addEventListener("keydown", (e) => window.heard.push(e.key))`)
	p.Press(kb.ArrowDown)
	p.Press(kb.ArrowDown)
	p.Press(kb.ArrowUp)
	focused("danmu 1")
	p.Press(kb.End)
	focused("danmu 294")
	require.Equal(t, "297", browsertest.Eval[string](p, `document.activeElement.ariaRowIndex`), "with the header")
	p.Press(kb.PageUp)
	p.Press(kb.PageDown)
	focused("danmu 294")
	p.Press(kb.Home)
	p.Press(kb.PageDown)
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
	require.Empty(t, browsertest.Eval[[]seenRow](p, fmt.Sprintf(`%s.filter((row) => row.text === "my own")`, seenRows)))
	p.Press(kb.ArrowDown)
	focused("danmu 51")
	p.Press(kb.ArrowUp)

	recallAs(t, w, own)
	listed(p, 295)
	focused("danmu 51")
}

func listFlood(t *testing.T, b browsertest.Browser) {
	p := open(t, b, newWorld(t, Hills()))
	rest(p)
	// 10,000 danmu in a list of 10,000, 500 at a time.
	got := browsertest.Eval[struct{ Rows, Count, Most, Writes int }](p, `import("/list.js").then(async ({ VirtualList }) => {
		const grid = document.createElement("div");
		grid.setAttribute("role", "grid");
		const view = document.createElement("div");
		view.style.cssText = "height: 600px; overflow: auto; --row: 30px; position: relative";
		view.append(document.createElement("div"));
		grid.append(view);
		document.body.append(grid);
		let writes = 0;
		const list = new VirtualList(view, { fill: (row, item) => { writes++; row.textContent = item.name; }, chosen: () => {}, scrolled: () => {} });
		let items = Array.from({ length: 10_000 }, (_, i) => ({ name: "old " + i }));
		list.show(items);
		view.scrollTop = 150_000;
		await new Promise(requestAnimationFrame);
		await new Promise(requestAnimationFrame);
		let most = 0;
		const first = () => view.firstElementChild.querySelector(".line").textContent;
		const before = first(), drawn = writes;
		for (let round = 0; round < 20; round++) {
			items = [...Array.from({ length: 500 }, (_, i) => ({ name: "new " + round + " " + i })), ...items];
			list.show(items);
			most = Math.max(most, view.querySelectorAll(".line").length);
			if (first() !== before) throw new Error(first() + " is not " + before);
		}
		return { rows: view.querySelectorAll(".line").length, count: grid.ariaRowCount - 1, most, writes: writes - drawn };
	})`)
	require.Equal(t, 20_000, got.Count)
	require.Less(t, got.Most, 40)
	require.Less(t, got.Writes, 5, "rows that stay are not written again")

	// A list of which every item is removed or replaced, at the bottom.
	require.Equal(t, "none", browsertest.Eval[string](p, `import("/list.js").then(async ({ VirtualList }) => {
		const grid = document.querySelector("body > [role=grid]"), view = grid.firstElementChild;
		view.replaceChildren(document.createElement("div"));
		const list = new VirtualList(view, { fill: (row, item) => { row.textContent = item.name; }, chosen: () => {}, scrolled: () => {} });
		const some = (name, n) => Array.from({ length: n }, (_, i) => ({ name: name + i }));
		for (const items of [some("a", 1000), some("b", 10), [], some("c", 3), some("d", 5000)]) {
			list.show(items);
			list.to(items.length - 1, { focus: true });
			if (items.length > 0 && view.scrollTop + view.clientHeight < items.length * 30 - 600) return "not at the end";
			if (items.length > 0 && document.activeElement.textContent !== items.at(-1).name) return "no focus";
		}
		list.show(some("e", 2));
		if (document.activeElement.textContent !== "e1") return "the focus is lost";
		list.show([]);
		return view.querySelectorAll(".line").length ? "rows are left" : "none";
	})`))
}

func listChoices(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	importAll(t, w, 100, func(i int) danmu.Comment {
		return danmu.Comment{Text: fmt.Sprint("danmu ", i), Progress: time.Duration(i) * 500 * time.Millisecond, Sent: time.UnixMilli(1_600_000_000_000).Add(time.Duration(i*37%100) * time.Hour)}
	})
	say(t, w, "a", "a Spoiler 1", 20)
	say(t, w, "a", "剧透 <Spoiler> \"2\"", 30)
	p := open(t, b, w)
	rest(p)
	listed(p, 102)

	p.Type("#all-find", "SPOILER")
	listed(p, 2)
	p.Until(`document.getElementById("all-listed").textContent === "2 of 102 danmu"`)
	p.Until(`document.getElementById("all-said").textContent === "2 found"`)
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
	p.Until(`document.getElementById("all-back").textContent === "Back to the newest"`)
	p.Click("#all-back")
	p.Until(fmt.Sprintf(`%s[0].text === "newer still"`, seenRows))
	p.Click("[data-order=likes]")
	p.Until(fmt.Sprintf(`%s[2].text === "danmu 1"`, seenRows)) // nobody likes any: in playing order
	p.Click("[data-order=time]")

	tab(p, "display")
	p.Type("#word", "spoiler")
	p.Click("#filter button")
	tab(p, "all")
	listed(p, 102)
	p.Until(`document.getElementById("all-hidden").textContent === "2 hidden"`)
	p.Click("#all-hidden")
	listed(p, 104)
	require.Equal(t, "true", browsertest.Eval[string](p, `document.getElementById("all-hidden").ariaPressed`))
	p.Type("#all-find", "spoiler")
	listed(p, 2)
	require.Equal(t, 2, browsertest.Eval[int](p, `document.querySelectorAll("#all-rows .hides").length`))
	p.Click("#all-hidden")
	listed(p, 0)
	say(t, w, "c", "spoiler 3", 1)
	p.Until(`document.getElementById("all-hidden").textContent === "3 hidden"`)
	listed(p, 0)
}

func listMarkup(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	const script = `<script>alert(1)</script><img src=x onerror="alert(2)">`
	name := `"]'><b>` + strings.Repeat("x", 10)
	p := open(t, b, w)
	p.Do(fmt.Sprintf(`{ const me = document.getElementById("me"); me.value = %q; me.dispatchEvent(new Event("change")); }`, name))
	say(t, w, name, script, 3)
	say(t, w, name, "\u202eright to left\u2066", 3.1)
	say(t, w, name, "line\nbreak", 3.2)
	listed(p, 3)
	p.Until(fmt.Sprintf(`document.querySelector("#all-rows .text").textContent === %q`, script))
	require.Equal(t, 3, browsertest.Eval[int](p, `document.querySelectorAll("#all-rows .own").length`))
	p.Until(`document.querySelectorAll("#mine li").length === 3`)
	require.Zero(t, browsertest.Eval[int](p, `document.querySelectorAll("aside :is(script, img, b)").length`))
	require.Equal(t, 1, browsertest.Eval[int](p, `new Set([...document.querySelectorAll("#all-rows .line")].map((row) => row.offsetHeight)).size`), "rows have one height")
}

func listOpened(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	numbered(t, w, 10)
	p := b.Window(t)
	p.Size(390, 380)
	p.Open(w.url)
	p.Until(`window.danmu && document.getElementById("present").textContent`)
	rest(p)
	p.Do(`{
		const { fetch } = window;
		window.reads = 0;
		window.fetch = (path, ...rest) => {
			if (String(path).includes("/segments/0")) window.reads++;
			return fetch(path, ...rest);
		};
	}`)
	const reads = `window.reads`
	say(t, w, "a", "live", 20)
	seek(p, 21)
	p.Until(count("live") + ` === 1`)
	browsertest.Eval[bool](p, frames(20, ""))
	before := browsertest.Eval[int](p, reads)
	require.Equal(t, "", browsertest.Eval[string](p, `document.getElementById("all-listed").textContent`), "it is below what is in view")
	tab(p, "all")
	p.Do(`document.getElementById("panel-all").scrollIntoView()`)
	listed(p, 11)
	require.Equal(t, before+1, browsertest.Eval[int](p, reads))
	tab(p, "mine")
	say(t, w, "a", "live too", 20)
	p.Until(count("live too") + ` === 1`)
	tab(p, "all")
	listed(p, 12)
	require.Equal(t, before+1, browsertest.Eval[int](p, reads), "what was read stays")
}
