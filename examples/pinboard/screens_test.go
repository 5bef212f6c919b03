package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// pages are tests in Chromium. Each has a world of its own.
type pages map[string]func(*testing.T, *world, browsertest.Browser)

// byDefault is the page test that runs without CI too.
const byDefault = "a tour"

// TestPages shares a Chromium.
func TestPages(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t)
	for _, of := range []struct {
		world func(*testing.T) *world
		pages
	}{{newWorld, pages{"a tour": tour}}, {newWorld, pinPages()}, {newPriced, drawerPages()}, {newPriced, clipPages()}, {newBell, livePages()}} {
		for name, page := range of.pages {
			if name != byDefault && !faults.Full() {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				page(t, of.world(t), b)
			})
		}
	}
}

// pinPages are the tests of the screens of pins.
func pinPages() pages {
	return pages{
		"home offers what is new, and keeps it grouped":   homeScreen,
		"home goes on while one scrolls":                  endlessHome,
		"nothing moves while home comes slowly":           slowHome,
		"a like that fails is taken back":                 failedLike,
		"a picture is drawn, named and published":         makingScreen,
		"a pin is liked, saved, renamed and removed":      pinScreen,
		"comments are written, quoted, edited and hidden": commentsOnScreen,
		"a profile is followed and shows its boards":      profileScreen,
		"a board is renamed by its owner":                 boardScreen,
		"what is not there is said":                       missingThings,
		"no link changes who somebody is":                 noLinkSignsIn,
		"the greeting has the reader's language":          greeting,
	}
}

// visit opens an address as a person.
func (w *world) visit(t *testing.T, b browsertest.Browser, person, path string, tolerated ...string) browsertest.Window {
	t.Helper()
	p := b.Window(t, tolerated...)
	openAs(p, w.server.URL, person, path)
	p.Visible("#tools button")
	return p
}

// openAs signs a window in and opens a path in it. No address says who somebody is.
func openAs(p browsertest.Window, server, person, path string) {
	p.OpenAfter(fmt.Sprintf(`sessionStorage.setItem("pinboard.me", %q)`, person), server+path)
}

// says waits for an element whose text contains a text.
func says(p browsertest.Window, selector, text string) {
	p.Until(fmt.Sprintf(`[...document.querySelectorAll(%q)].some((e) => e.innerText.includes(%q))`, selector, text))
}

// press clicks the first button or link with a text or label.
func press(p browsertest.Window, within, text string) {
	p.Until(fmt.Sprintf(`(() => {
		const e = [...document.querySelectorAll(%q)].flatMap((e) => [...e.querySelectorAll("a, button")]).find((e) => (e.ariaLabel ?? e.innerText).trim() === %q && e.offsetParent);
		e?.click();
		return Boolean(e);
	})()`, within, text))
}

// likedBy waits until the service has n likes of a picture: the page shows them before.
func likedBy(p browsertest.Window, picture string, n int) {
	p.Until(fmt.Sprintf(`fetch("/api/pins/%s", { headers: { "Pinboard-User": "lin" } }).then((r) => r.json()).then((pin) => pin.likes === %d)`, picture, n))
}

// fits fails if the page can be scrolled sideways, on a phone or a wide screen.
func fits(t *testing.T, p browsertest.Window) {
	t.Helper()
	for _, width := range []int64{390, 1000, 3440, 1280} {
		p.Size(width, 860)
		require.True(t, browsertest.Eval[bool](p, `document.documentElement.scrollWidth <= innerWidth`), "%d wide", width)
	}
}

func homeScreen(t *testing.T, w *world, b browsertest.Browser) {
	ann, eric := w.as(t, "ann"), w.as(t, "eric")
	p := w.visit(t, b, "ann", "/")
	says(p, ".empty", "Your home is empty")
	ann.follow("eric")
	eric.pin("Dawn")
	p.Do(`dispatchEvent(new Event("focus"))`)
	press(p, ".shownpins", "1 new pin")
	says(p, ".pincard", "Dawn")
	require.False(t, browsertest.Eval[bool](p, `!!document.querySelector(".empty")`))

	eric.pin(hostile)
	eric.pin("Dusk")
	p.Do(`dispatchEvent(new Event("focus"))`)
	press(p, ".shownpins", "2 new pins")
	p.Until(`[...document.querySelectorAll(".pincard .title")].map((e) => e.innerText).join("|") === ` + fmt.Sprintf("%q", "Dusk|"+hostile+"|Dawn"))

	press(p, ".homebar", "Grouped")
	says(p, ".groupcard", "Eric Lam pinned 3 pictures to Places")
	eric.pin("Night")
	p.Do(`dispatchEvent(new Event("focus"))`)
	press(p, ".shownpins", "1 new pin")
	says(p, ".groupcard", "Eric Lam pinned 4 pictures to Places")
	require.Equal(t, 1, browsertest.Eval[int](p, `document.querySelectorAll(".pincard").length`))
	p.Open(w.server.URL)
	says(p, ".groupcard", "Eric Lam pinned 4 pictures to Places")
}

func endlessHome(t *testing.T, w *world, b browsertest.Browser) {
	ann := w.as(t, "ann")
	const n = 2*pageSize + 3
	ann.pins(n)
	p := w.visit(t, b, "ann", "/")
	says(p, ".pincard", fmt.Sprint("Picture ", n-1))
	p.Until(fmt.Sprintf(`(scrollTo(0, document.body.scrollHeight), document.querySelectorAll(".pincard").length === %d)`, n))
	require.True(t, browsertest.Eval[bool](p, `(() => {
		const boxes = [...document.querySelectorAll(".pincard")].map((e) => e.getBoundingClientRect());
		const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
		return boxes.every((a, i) => boxes.slice(i + 1).every((b) => apart(a, b))) && boxes.every((a, i) => i === 0 || a.top >= boxes[i - 1].top);
	})()`), "cards neither overlap nor leave their order")

	// Who goes back finds the place, and what was done meanwhile.
	press(p, ".masonry > li:last-child", "Picture 0")
	says(p, ".pinpage h1", "Picture 0")
	p.Click(".actions .heart")
	p.Do(`history.back()`)
	p.Until(fmt.Sprintf(`document.querySelectorAll(".pincard").length === %d && scrollY > 1000`, n))
	p.Until(`document.querySelector(".masonry > li:last-child .heart").getAttribute("aria-pressed") === "true"`)
}

func slowHome(t *testing.T, w *world, b browsertest.Browser) {
	w.as(t, "ann").pins(pageSize + 3)
	answer := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/home" {
			<-answer
		}
		w.api.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(w.api.endStreams)
	defer close(answer)
	p := b.Window(t)
	p.Size(1280, 3000) // so that one page is not enough
	p.OpenAfter(`window.moved = 0; new PerformanceObserver((list) => { for (const e of list.getEntries()) moved += e.value; }).observe({ type: "layout-shift", buffered: true })`, server.URL)
	const painted = `new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))`
	for shown := range 2 {
		p.Until(fmt.Sprintf(`document.querySelectorAll(".pincard").length === %d && document.querySelector(".skeleton")`, shown*pageSize))
		browsertest.Eval[any](p, painted)
		answer <- struct{}{}
	}
	says(p, ".state", "That is all.")
	browsertest.Eval[any](p, painted)
	require.Less(t, browsertest.Eval[float64](p, `window.moved`), 0.05) // at 0.1 readers notice
}

func failedLike(t *testing.T, w *world, b browsertest.Browser) {
	ann := w.as(t, "ann")
	picture := ann.pin("Dawn")
	p := w.visit(t, b, "ann", "/", "404")
	p.Click(".heart")
	p.Until(`document.querySelector(".heart").getAttribute("aria-pressed") === "true"`)
	likedBy(p, picture, 1)
	p.Click(".heart")
	p.Until(`document.querySelector(".heart").getAttribute("aria-pressed") === "false"`)
	likedBy(p, picture, 0)
	call[changed](ann, http.MethodDelete, "/api/pins/"+picture, nothing{})
	p.Click(".heart")
	says(p, ".toast", "there is none")
	require.Equal(t, "false", browsertest.Eval[string](p, `document.querySelector(".heart").getAttribute("aria-pressed")`))
	require.Empty(t, browsertest.Eval[string](p, `document.querySelector(".heart").innerText`))
}

func makingScreen(t *testing.T, w *world, b browsertest.Browser) {
	w.as(t, "eric").follow("ann")
	p := w.visit(t, b, "ann", "/")
	press(p, "#tools", "Make a picture")
	p.Visible(".easel img")
	first := browsertest.Eval[string](p, `document.querySelector(".easel img").src`)
	for width, height := range map[int64]int{390: 450, 1280: 700} { // of the window, of the picture
		var other drawn
		for other.Height != height {
			other = call[drawn](w.as(t, "ann"), http.MethodPost, "/api/pictures", nothing{})
		}
		p.Size(width, 1000)
		p.Until(fmt.Sprintf(`(() => { // all of it is seen, in its shape
			const image = document.querySelector(".easel img"), [src, width, height] = [%q, %d, %d];
			if (!image.src.endsWith(src)) Object.assign(image, { src, width, height }).style.aspectRatio = width + " / " + height;
			const box = image.getBoundingClientRect(), around = image.parentElement.getBoundingClientRect();
			return image.complete && box.height > 100 && Math.abs(box.width / box.height - width / height) < 0.01 && box.width <= around.width && box.height <= around.height;
		})()`, "/pictures/"+other.Picture+".svg", other.Width, other.Height))
	}
	p.Size(1280, 860)
	press(p, ".makeform", "Another one")
	p.Until(fmt.Sprintf(`document.querySelector(".easel img").src !== %q`, first))
	p.Visible(".boardfield input")
	p.Choose(`.makeform input[aria-label="Title"]`, hostile)
	p.Choose(`.makeform .boardfield input`, "Places to Visit")
	press(p, ".makeform", "Publish")
	says(p, ".pinpage h1", hostile)
	says(p, ".byline", "Places to Visit")
	require.Equal(t, []string{hostile}, titles(get[cursor.Page[card]](w.as(t, "eric"), "/api/home")))
}

func pinScreen(t *testing.T, w *world, b browsertest.Browser) {
	ann, eric := w.as(t, "ann"), w.as(t, "eric")
	eric.makeBoard("Saved")
	picture := ann.pin("Dawn")
	p := w.visit(t, b, "eric", "/pins/"+picture)
	p.Click(".actions .heart")
	likedBy(p, picture, 1)
	press(p, ".actions", "1 like")
	says(p, ".likers", "Eric Lam")
	press(p, "dialog", "Close")
	press(p, ".actions", "Save")
	press(p, "dialog", "Save")
	says(p, ".toast", "Saved to Saved.")
	require.Equal(t, []string{"Dawn"}, titles(get[cursor.Page[card]](ann, "/api/boards/eric.saved/pins")))

	p = w.visit(t, b, "ann", "/pins/"+picture)
	press(p, ".actions", "Edit the title")
	p.Choose("dialog input", "Dusk")
	press(p, "dialog", "Done")
	says(p, ".pinpage h1", "Dusk")
	press(p, ".actions", "Remove the pin")
	press(p, "dialog form", "Remove the pin")
	says(p, ".empty", "Your home is empty")
	eric.refused(http.StatusNotFound, http.MethodGet, "/api/pins/"+picture, nil)
}

func commentsOnScreen(t *testing.T, w *world, b browsertest.Browser) {
	ann := w.as(t, "ann")
	picture := ann.pin("Dawn")
	p := w.visit(t, b, "eric", "/pins/"+picture)
	says(p, ".talkabout", "No comments yet")
	p.Choose(".composer textarea", "Where is this, @ann? "+hostile)
	press(p, ".composer", "Send")
	says(p, ".comment .text", hostile)
	require.Equal(t, "/people/ann", browsertest.Eval[string](p, `document.querySelector(".comment .text a").getAttribute("href")`))
	press(p, ".comment", "Reply")
	p.Choose(".comment .composer textarea", "A reply")
	press(p, ".comment .composer", "Send")
	says(p, ".replies .text", "A reply")
	press(p, ".comment", "Quote")
	p.Until(`document.querySelector(".composer .note")`)
	p.Choose(".composer textarea", "A quote")
	press(p, ".composer", "Send")
	says(p, ".comment blockquote", "Where is this")
	says(p, ".talkabout h2", "3 comments")

	// An edit shows in the quote too.
	p.Do(`document.querySelectorAll(".comments > .comment")[1].querySelector("[aria-expanded]").click()`)
	press(p, ".comments > .comment:nth-child(2) > .said", "Edit")
	p.Choose("dialog textarea", "Which sea is this?")
	press(p, "dialog", "Save")
	says(p, ".comment blockquote", "Which sea is this?")
	says(p, ".comment .meta", "edited")
	p.Choose(".order", "oldest")
	p.Until(`document.querySelector(".comment .text")?.innerText === "Which sea is this?"`)

	// The picture's owner pins one and hides the other.
	p = w.visit(t, b, "ann", "/pins/"+picture)
	p.Visible(".comments > .comment:nth-child(2)")
	p.Do(`document.querySelectorAll(".comments > .comment")[1].querySelector("[aria-expanded]").click()`)
	press(p, ".comments > .comment:nth-child(2) > .said", "Pin")
	says(p, ".comments > .comment:first-child .mark", "Pinned by the owner")
	p.Do(`document.querySelectorAll(".comments > .comment")[1].querySelector("[aria-expanded]").click()`)
	press(p, ".comments > .comment:nth-child(2) > .said", "Hide")
	says(p, ".comment .mark", "Hidden")
	says(p, ".talkabout h2", "2 comments")
	page := get[remarks](w.as(t, "lin"), "/api/pins/"+picture+"/comments")
	require.Equal(t, []string{"Which sea is this?", "\tA reply"}, outline(page))
	require.Equal(t, "Which sea is this?", page.Pinned.Text)
}

func profileScreen(t *testing.T, w *world, b browsertest.Browser) {
	eric := w.as(t, "eric")
	eric.follow("ann")
	picture := eric.pin("Dawn")
	p := w.visit(t, b, "ann", "/people/eric")
	says(p, ".whois", "Follows you")
	says(p, ".pincard", "Dawn")
	press(p, ".whois", "Follow Eric Lam")
	says(p, ".whois .counts", "1 follower")
	p.Until(`!document.querySelector(".whois .follow").disabled`)
	p.Do(`document.querySelector(".counts button").click()`)
	says(p, ".neighbors", "Ann Whitfield")
	press(p, "dialog", "Close")
	press(p, ".tabs", "Boards")
	says(p, ".boards", "Places")
	require.Contains(t, browsertest.Eval[string](p, `document.querySelector(".boards img").src`), picture)
	press(p, ".whois", "Following: unfollow Eric Lam")
	says(p, ".whois .counts", "0 followers")

	p = w.visit(t, b, "ann", "/people/ann")
	press(p, ".tabs", "Boards")
	press(p, ".panel", "New board")
	p.Choose("dialog input", "Kitchen ideas")
	press(p, "dialog", "Create")
	says(p, "h1", "Kitchen ideas")
	says(p, ".empty", "This board is empty.")
}

func boardScreen(t *testing.T, w *world, b browsertest.Browser) {
	ann := w.as(t, "ann")
	ann.pin("Dawn")
	p := w.visit(t, b, "ann", "/boards/ann.places")
	says(p, ".pincard", "Dawn")
	press(p, ".headline", "Rename")
	p.Choose("dialog input", hostile)
	press(p, "dialog", "Save")
	says(p, "h1", hostile)
	p = w.visit(t, b, "eric", "/boards/ann.places")
	says(p, "h1", hostile)
	press(p, ".headline", "Follow "+hostile)
	says(p, ".headline", "1 follower")
	p.Until(`!document.querySelector(".follow").disabled`)
	require.Equal(t, []string{"Dawn"}, titles(get[cursor.Page[card]](w.as(t, "eric"), "/api/home")))
}

func missingThings(t *testing.T, w *world, b browsertest.Browser) {
	p := w.visit(t, b, "ann", "/", "404", "400")
	for path, text := range map[string]string{
		"/pins/ann.0E2M8GR3TC07V": "was removed", "/pins/x": "was removed", "/boards/ann.none": "no such board", "/tags/none": "no such tag", "/people/nobody": "nobody of this name",
		"/nowhere": "nothing at this address", "/pins/%FF": "nothing at this address", "/people/%E4%BD": "nothing at this address",
	} {
		p.Open(w.server.URL + path)
		says(p, ".empty", text)
	}
}

func noLinkSignsIn(t *testing.T, w *world, b browsertest.Browser) {
	signedIn := func(person string) string { return fmt.Sprintf(`.top .menu [src="/avatars/%s.svg"]`, person) }
	p := w.visit(t, b, "eric", "/")
	for _, path := range []string{"/?as=mia", "/?as=%E4%BD%A0", "/?user=mia"} {
		p.Open(w.server.URL + path)
		p.Visible(signedIn("eric"))
		says(p, ".empty", "Your home is empty")
	}
	p.Open(w.server.URL + watching + "/?video=hills&user=mia")
	p.Until(`window.danmu && document.getElementById("me").value === "eric"`)

	// The page itself signs in, here and in another window.
	p.Open(w.server.URL)
	choose := func(button, person string) {
		p.Click(".top .menu > button")
		press(p, ".top .menu", button)
		p.Choose("dialog input", nameOf(person))
		press(p, "dialog", nameOf(person))
	}
	choose("Sign in as …", "ann")
	p.Visible(signedIn("ann"))
	p.Do(`const real = open; open = (...address) => (window.opened = real(...address))`)
	choose("Another person in a new window", "lin")
	has := func(window, person string) string {
		return fmt.Sprintf(`!!%s.document.querySelector(%q)`, window, signedIn(person))
	}
	require.Eventually(t, func() bool { // what Until waits for does not come behind another window
		return browsertest.Eval[bool](p, has("opened", "lin"))
	}, bellPatience, bellTick)
	require.True(t, browsertest.Eval[bool](p, `opened.opener === null && (opened.close(), true) && `+has("window", "ann")))
}

func greeting(t *testing.T, w *world, b browsertest.Browser) {
	require.NoError(t, w.welcome(t.Context()))
	p := w.visit(t, b, "eric", "/bell")
	says(p, ".notice.said", "Welcome to Pinboard")
	p.Do(`localStorage.setItem("plaza.language", "zh")`)
	p.Open(w.server.URL + "/bell")
	says(p, ".notice.said", "欢迎来到 Pinboard")
	require.Empty(t, browsertest.Eval[[]string](p, browsertest.Latin(p, "title, .top, #drawer, noscript", "Pinboard")))
}
