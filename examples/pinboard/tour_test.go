package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/examples/internal/axe"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// program is Pinboard as main runs it, on the tables of a world. It can be stopped and
// started again.
type program struct {
	*world
	addr string
	stop func() error
}

func newProgram(t *testing.T, w *world) *program {
	t.Helper()
	p := &program{world: w, addr: "127.0.0.1:0"}
	require.NoError(t, w.switchOnStreams(t.Context()))
	p.start(t)
	t.Cleanup(func() { require.NoError(t, p.stop()) })
	return p
}

func (p *program) start(t *testing.T) {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", p.addr)
	require.NoError(t, err)
	p.addr = l.Addr().String()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- serve(ctx, l, p.app, nil) }()
	p.stop = func() error {
		cancel()
		return <-done
	}
}

// again starts another program on the tables of one that was stopped, at its address.
func (p *program) again(t *testing.T) {
	t.Helper()
	require.NoError(t, p.close())
	var err error
	p.app, err = newApp(t.Context(), p.db, p.log)
	require.NoError(t, err)
	p.start(t)
}

// open opens an address in a window of a person.
func (p *program) open(w browsertest.Window, person, path string) {
	openAs(w, "http://"+p.addr, person, path)
	w.Visible("#tools button")
}

// to goes to a screen by a link of the bar.
func to(w browsertest.Window, place string) {
	w.Click(fmt.Sprintf(`[data-place=%q]`, place))
	w.Visible(".screen-" + place)
}

// scores waits until the week's board shows people with their points, such as "ann 2". It
// asks the page to look five times a second: more often would be refused.
func scores(t *testing.T, w browsertest.Window, want string) {
	t.Helper()
	require.Eventually(t, func() bool {
		w.Do(`document.dispatchEvent(new Event("visibilitychange"))`)
		return want == browsertest.Eval[string](w, `[...document.querySelectorAll(".weekly [data-player]")].map((e) => e.dataset.player + " " + e.dataset.score).join()`)
	}, bellPatience, 200*time.Millisecond)
}

// tour writes hostile texts, which stay text. By default it leaves out the clip, and one
// person looks at what the program has after its restart.
func tour(t *testing.T, w *world, b browsertest.Browser) {
	const dawn, where, sea = "Dawn " + hostile, "Where is this? " + hostile, "By the sea " + hostile
	p := newProgram(t, w)
	w.bellLike(t, "lin", "picture:"+w.as(t, "chris").pin("Harbour"))
	second := w.as(t, "ann").pin("Dusk")
	// The lost answer and the time without a server are network errors. The server's
	// refusals are not.
	ann, eric := b.Window(t, "ERR_"), b.Window(t, "ERR_")
	p.open(ann, "ann", "/")
	p.open(eric, "eric", "/people/ann")

	press(eric, "main", "Follow "+nameOf("ann"))
	says(eric, ".count", "1 follower")
	badged(ann, "bell", "1")
	to(eric, "home")

	press(ann, "#tools", "Make a picture")
	ann.Visible(".easel img")
	ann.Visible(".boardfield select, .boardfield input")
	ann.Choose(`.makeform input[aria-label="Title"]`, dawn)
	press(ann, ".makeform", "Publish")
	says(ann, ".pinpage h1", dawn)
	picture := browsertest.Eval[string](ann, `decodeURIComponent(location.pathname.split("/")[2])`)

	require.Eventually(t, func() bool {
		return slices.Contains(titles(get[cursor.Page[card]](w.as(t, "eric"), "/api/home")), dawn)
	}, bellPatience, bellTick)
	eric.Do(`dispatchEvent(new Event("focus"))`)
	press(eric, ".shownpins", "1 new pin")
	press(eric, ".pincard", dawn)
	says(eric, ".pinpage h1", dawn)
	eric.Click(".actions .heart")
	badged(ann, "bell", "2")
	eric.Type(".composer textarea", where)
	press(eric, ".composer", "Send")
	says(eric, ".comment .text", where)
	badged(ann, "bell", "3")
	to(ann, "bell")
	for _, line := range []string{"@eric commented on your picture “" + dawn + "”", "@eric liked your picture “" + dawn + "”", "@eric followed you"} {
		says(ann, ".notice.unread", named(line))
	}
	badged(ann, "bell", "")

	stayText(t, ann, "the bell")
	stayText(t, eric, "a pin")
	p.open(ann, "ann", "/messages/eric")
	ann.Type(".writer textarea", sea+kb.Enter)
	badged(eric, "messages", "1")
	to(eric, "messages")
	eric.Click(".chat")
	bubbles(eric, sea)
	stayText(t, eric, "a conversation")
	says(ann, ".receipt.seen", "Seen")

	to(ann, "weekly")
	scores(t, ann, "chris 1,ann 1")
	p.open(eric, "eric", "/pins/"+second)
	eric.Visible(".actions .heart")
	press(eric, "#tools", "What clicks cost")
	eric.Click(".switch")
	eric.Until(`document.querySelector(".switch").ariaChecked === "true"`)
	eric.Click(".actions .heart")
	says(eric, ".was-lost", "Applied, answer lost")
	says(eric, ".was-again", "Repeated: nothing doubled")
	scores(t, ann, "ann 2,chris 1")
	press(eric, ".panel", "Close")

	if faults.Full() {
		p.watchTogether(ann, eric)
	}
	to(ann, "clips")
	ann.Visible(".screen-clips .watch")

	require.NoError(t, p.stop())
	p.again(t)
	windows := map[string]browsertest.Window{"ann": ann, "eric": eric}
	for _, person := range faults.Some(1, "eric", "ann") {
		page := windows[person]
		p.open(page, person, "/pins/"+picture)
		says(page, ".pinpage h1", dawn)
		says(page, ".actions", "1 like")
		says(page, ".comment .text", where)
		says(page, ".talkabout h2", "1 comment")
		to(page, "weekly")
		scores(t, page, "ann 2,chris 1")
		to(page, "messages")
		page.Click(".chat")
		bubbles(page, sea)
	}
	to(eric, "home")
	says(eric, ".pincard", dawn)
	if !faults.Full() {
		return
	}
	to(ann, "bell")
	says(ann, ".notice", named("@eric commented on your picture “"+dawn+"”"))
	eric.Open("http://" + p.addr + clipPath)
	eric.Until(`(() => {
		if (window.danmu?.medium.currentTime > 5) window.danmu.seek(0); // it has flown by
		return window.danmu?.onScreen().some((box) => box.text === "What a hill");
	})()`)
}

// watchTogether opens a clip in two windows: a danmu of one flies in the other.
func (p *program) watchTogether(ann, eric browsertest.Window) {
	for _, page := range []browsertest.Window{ann, eric} {
		page.Open("http://" + p.addr + clipPath)
		page.Until(`window.danmu && document.getElementById("present").textContent`)
		page.Do(`window.danmu.medium.playbackRate = 0.1`) // nothing leaves the screen meanwhile
	}
	eric.Type("#text", "What a hill"+kb.Enter)
	ann.Until(`window.danmu.onScreen().some((box) => box.text === "What a hill")`)
	ann.Click("#back")
	ann.Visible(".screen-clips .watch")
}

// screen is a screen with content, as somebody reads it.
type screen struct {
	name, person, path string
	shown              string // a selector of what comes last
	then               func(browsertest.Window)
}

func accessibleScreens(t *testing.T, w *world, b browsertest.Browser) {
	picture := w.fill(t)
	p := b.Window(t, "404")
	p.Calm()
	for _, s := range []screen{
		{"home", "ann", "/", ".pincard", nil},
		{"home in groups", "ann", "/", ".pincard", func(p browsertest.Window) {
			press(p, ".homebar", "Grouped")
			p.Visible(".groupcard")
		}},
		{"a tag", "ann", "/tags/sea", ".pincard", nil},
		{"a picture with comments", "ann", "/pins/" + picture, ".comment blockquote", nil},
		{"a comment's menu", "eric", "/pins/" + picture, ".comment [aria-expanded]", func(p browsertest.Window) {
			p.Click(".comment [aria-expanded]")
			p.Visible(".comment .extra button")
		}},
		{"a profile", "ann", "/people/eric", ".pincard", nil},
		{"a profile's boards", "eric", "/people/ann", ".pincard", func(p browsertest.Window) {
			press(p, ".tabs", "Boards")
			p.Visible(".boards strong")
		}},
		{"a board", "ann", "/boards/ann.places", ".pincard", nil},
		{"the bell", "ann", "/bell", ".notice", nil},
		{"a notice's menu", "ann", "/bell", ".notice .choices", func(p browsertest.Window) {
			p.Click(".notice .choices > button")
			p.Visible(".choices.opened .sheet button")
		}},
		{"the inbox", "eric", "/messages", ".chat", nil},
		{"a conversation", "ann", "/messages/eric", ".said", nil},
		{"the week", "lin", "/weekly", ".standings", nil},
		{"the clips", "ann", "/clips", ".watch", nil},
		{"the settings", "ann", "/settings", ".mail", nil},
		{"moderation", "mia", "/moderation", ".report", nil},
		{"making a picture", "ann", "/weekly", ".standings", func(p browsertest.Window) {
			press(p, "#tools", "Make a picture")
			p.Visible(".easel img")
			p.Visible(".boardfield select, .boardfield input")
		}},
		{"nothing", "ann", "/nowhere", ".empty", nil},
		{"no such board", "ann", "/boards/ann.none", ".empty", nil},
		{"the drawer", "ann", "/weekly", ".standings", func(p browsertest.Window) {
			press(p, "#tools", "What clicks cost")
			says(p, ".clicks", "Read the week's board")
		}},
	} {
		t.Run(s.name, func(t *testing.T) {
			p := p.Of(t)
			openAs(p, w.server.URL, s.person, s.path)
			p.Visible(s.shown)
			if s.then != nil {
				s.then(p)
			}
			fits(t, p)
			axe.Check(t, p)
			p.Do(`document.documentElement.dataset.theme = "dark"`)
			axe.CheckColors(t, p)
		})
	}
}

// fill puts something on every screen of ann's and returns a picture of hers.
func (w *world) fill(t *testing.T) string {
	t.Helper()
	ann, eric, lin := w.as(t, "ann"), w.as(t, "eric"), w.as(t, "lin")
	ann.follow("eric")
	ann.follow("tag:sea")
	eric.follow("ann")
	eric.pins(5)
	picture := ann.pin("Dawn " + hostile)
	first := eric.comment(picture, remarkBody{Text: "Where is this, @ann?"}).ID.String()
	ann.comment(picture, remarkBody{Text: "By the sea", Root: first})
	lin.comment(picture, remarkBody{Text: "Which sea?", Quote: first})
	call[changed](ann, http.MethodPut, "/api/pins/"+picture+"/comments/"+first+"/pinned", nothing{})
	lin.report("picture:"+picture, "It is mine")
	w.bellLike(t, "lin", "picture:"+picture)
	w.points(t, map[string]int64{"ann": 30, "eric": 20, "chris": 10, "mia": 5, "aiko": 4})
	eric.says("ann", "1", "Hello")
	call[json.RawMessage](ann, http.MethodPost, "/api/digests", map[string]string{"key": "1"})
	return picture
}
