package videos

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

func mountTests() pages {
	return pages{
		"below a path everything works": func(t *testing.T, b browsertest.Browser) {
			m := mount(t, nil)
			call[message](t, m, "POST", "/clips/danmu/send", `{"objectId":"1","userId":"b","content":{"text":"a joke","time":20}}`)
			p := clips(t, b, m, "?user=ann")
			p.Until(`window.danmu.medium.currentTime > 0.2 && window.danmu.medium.src.endsWith("/clips/hills.webm")`)
			require.True(t, browsertest.Eval[bool](p, `document.getElementById("me").readOnly`))
			slow(p)
			p.Type("#text", "from below 🎉")
			reads(p, "letters", "12/100")
			p.Press(kb.Enter)
			flies(p, "from below 🎉")

			stop(p, 22)
			holdUp(p, "a joke")
			p.Click("#touched .like")
			likesAre(p, "1", true)
			block(p, "patterns", "jo.e") // which a worker tests
			hides(p, "a joke")
			tab(p, "mine")
			p.Click("#mine .undo")
			p.Until(`document.querySelectorAll("#mine li").length === 0`)
			stored := func() []message { return call[list](t, m, "GET", "/clips/danmu/pull/1", "").Data }
			require.Equal(t, []string{"a joke"}, texts(stored()))
			require.Eventually(t, func() bool { return stored()[0].Likes == 1 }, 10*time.Second, time.Millisecond)
			noneFailed(t, p)

			res, _ := m.get(t, "/clips?video=2")
			require.Equal(t, m.url+"/clips/?video=2", res.Request.URL.String())
		},
		"below a path ArtPlayer works": func(t *testing.T, b browsertest.Browser) {
			if _, err := static.Open("static/artplayer/artplayer.mjs"); err != nil {
				t.Skip("no ArtPlayer: sh examples/danmu/videos/artplayer/fetch.sh")
			}
			m := mount(t, nil)
			p := b.Window(t)
			p.Open(m.url + "/clips/artplayer.html?video=2&user=ann")
			p.Until(`window.art?.isReady && art.video.src.endsWith("/clips/lighthouse.webm")`)
			reads(p, "present", "1 watching")
			p.Type(".apd-input", "from ArtPlayer")
			p.Click(".apd-send")
			p.Until(`document.querySelector(".apd-input").value === ""`)
			require.Eventually(t, func() bool {
				sent := call[list](t, m, "GET", "/clips/danmu/pull/2", "").Data
				return len(sent) == 1 && sent[0].UserID == "ann"
			}, 10*time.Second, time.Millisecond)
			require.Equal(t, m.url+"/clips/", browsertest.Eval[string](p, `document.querySelector("main > p a").href`))
			noneFailed(t, p)
		},
		"the address chooses the video": func(t *testing.T, b browsertest.Browser) {
			m := mount(t, nil)
			_, err := m.service.Import(t.Context(), "2", Crowd(Lighthouse(), nil))
			require.NoError(t, err)
			p := clips(t, b, m, "?video=2&user=ann&back=%2F")
			p.Until(`window.danmu.medium.src.endsWith("/clips/lighthouse.webm") && window.danmu.medium.duration === 48`)
			require.Equal(t, "The lighthouse at night · Plaza", browsertest.Eval[string](p, `document.title`))
			seek(p, 13)
			p.Until(`window.danmu.onScreen().length > 10`)

			const current = `document.querySelector("#videos [aria-current=page]").textContent`
			require.Equal(t, "The lighthouse at night", browsertest.Eval[string](p, current))
			noneFailed(t, p)
			p.Click("#videos a:not([aria-current])")
			p.Visible(`#videos [aria-current][href*="video=1"]`)
			p.Until(`window.danmu?.medium.src.endsWith("/clips/hills.webm")`)
			require.Equal(t, "A day over the hills", browsertest.Eval[string](p, current))
			require.Equal(t, "ann", me(p))
			require.Equal(t, m.url+"/", browsertest.Eval[string](p, `document.getElementById("back").href`))
			noneFailed(t, p)
		},
		"the address names the viewer": func(t *testing.T, b browsertest.Browser) {
			m := mount(t, nil)
			p := clips(t, b, m, "")
			own := me(p)
			require.Contains(t, own, "guest-")
			require.False(t, browsertest.Eval[bool](p, `document.getElementById("me").readOnly`))

			load(p, m.url+"/clips/?user=ann")
			require.Equal(t, "ann", me(p))
			require.True(t, browsertest.Eval[bool](p, `document.getElementById("me").readOnly`))
			p.Type("#me", "eric")
			write(p, "hello")
			p.Until(`document.querySelectorAll("#mine li").length === 1`)
			require.Equal(t, "ann", call[list](t, m, "GET", "/clips/danmu/pull/1", "").Data[0].UserID)

			load(p, m.url+"/clips/?user=%20")
			require.Equal(t, own, me(p))
			noneFailed(t, p)
		},
		"the way back is to a page of this origin": func(t *testing.T, b browsertest.Browser) {
			p, origin := bare(t, b)
			for back, href := range map[string]string{
				"/":             origin + "/",
				"/#/clips":      origin + "/#/clips",
				"/a?b=c&d=e":    origin + "/a?b=c&d=e",
				"/.//evil.test": origin + "//evil.test", // a path
			} {
				require.Equal(t, href, browsertest.Eval[string](p, backOf(back)), back)
			}
			for _, back := range []string{
				"", "x", "//evil.test", `/\evil.test`, "/\t/evil.test", "/\n/evil.test", "//", "///evil.test", " //evil.test", " /a",
				"https://evil.test/", "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", origin + "/", "?x", "#x",
			} {
				require.Empty(t, browsertest.Eval[string](p, backOf(back)), "%q", back)
			}
		},
		"the link back leads there": func(t *testing.T, b browsertest.Browser) {
			p := clips(t, b, mount(t, nil), "?back=%2Fclips%2F%3Fvideo%3D2")
			p.Click("#back")
			p.Visible(`#videos [aria-current][href*="video=2"]`)
			p.Until(`location.search === "?video=2" && window.danmu?.medium.src.endsWith("/lighthouse.webm")`)
			load(p, browsertest.Eval[string](p, `location.origin`)+"/clips/?back=%2F%2Fevil.test")
			require.True(t, browsertest.Eval[bool](p, `document.getElementById("back").hidden && !document.getElementById("back").hasAttribute("href")`))
		},
		"a viewer that is not known is told so": func(t *testing.T, b browsertest.Browser) {
			m := mount(t, &Options{Known: func(user string) bool { return user == "ann" }})
			p := clips(t, b, m, "?user=eve", "status of 403")
			write(p, "hello")
			reads(p, "refusal", "userId is not known here")
			p.Until(`document.getElementById("text").value === "hello"`)
		},
		"a page whose videos cannot be read says so": func(t *testing.T, b browsertest.Browser) {
			m := mount(t, nil)
			m.service.requests = frozen(0)
			p := b.Window(t, "status of 429")
			p.Open(m.url + "/clips/")
			reads(p, "refusal", "The video could not be read: too many requests")
		},
	}
}

// mount serves a service below /clips/ of another server.
func mount(t *testing.T, opts *Options) world {
	t.Helper()
	w := newWorldOf(t, opts)
	mux := http.NewServeMux()
	mux.Handle("/clips/", http.StripPrefix("/clips", w.service))
	return w.behind(t, func(out http.ResponseWriter, r *http.Request) bool {
		mux.ServeHTTP(out, r)
		return true
	})
}

// noneFailed checks that the page's requests were all below the path and had their answers.
func noneFailed(t *testing.T, p browsertest.Window) {
	t.Helper()
	require.Empty(t, browsertest.Eval[[]string](p, `performance.getEntriesByType("resource")
		.filter((e) => !e.name.startsWith(location.origin + "/clips/") || e.responseStatus >= 400).map((e) => e.name + " " + e.responseStatus)`))
	require.True(t, browsertest.Eval[bool](p, `performance.getEntriesByType("resource").some((e) => e.responseStatus === 200)`))
}

// clips opens the page below the path, as a new viewer.
func clips(t *testing.T, b browsertest.Browser, w world, query string, tolerated ...string) browsertest.Window {
	t.Helper()
	p := b.Window(t, tolerated...)
	load(p, w.url+"/clips/"+query)
	return p
}

// backOf is an expression for where the page's link back leads, or "".
func backOf(path string) string {
	return fmt.Sprintf(`import("/address.js").then(({ own }) => own(%q) ?? "")`, path)
}

func TestRequestsInUnknownNamesAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorldOf(t, &Options{Videos: []Video{Hills()}, Known: func(user string) bool { return user == "ann" }})
	id := say(t, w, "ann", "hello", 1).ID
	before := w.items(t)
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/danmu/send", sendOf("1", "eve")},
		{"POST", "/v3/", `{"id":"1","author":"eve","time":1,"text":"x","color":16777215,"type":0}`},
		{"PUT", about(id, "/like", "eve"), ""},
		{"DELETE", about(id, "/like", "eve"), ""},
		{"PUT", about(id, "/report", "eve"), ""},
		{"DELETE", about(id, "", "eve"), ""},
		{"GET", "/users/eve/danmu", ""},
		{"GET", "/videos/1/segments/0/reactions?user=eve", ""},
	} {
		text := w.answer(t, http.StatusForbidden, c.method, c.path, c.body)
		require.JSONEq(t, `{"error":"Forbidden","field":"userId","reason":"is not known here"}`, text)
	}
	require.Equal(t, before, w.items(t))
	call[any](t, w, "PUT", about(id, "/like", "ann"), "")
}

func TestItTakesTheIDsOfItsProgram(t *testing.T) {
	t.Parallel()
	env := plazatest.Start(t, &plazatest.Options{Tables: tables.Names{Danmu: "danmu"}}) // no table of machines
	source, err := ids.New(1, nil)
	require.NoError(t, err)
	s, err := New(t.Context(), env.DB, env.Tables, &Options{IDs: source})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	_, err = New(t.Context(), env.DB, env.Tables, nil)
	require.Error(t, err)
}

func TestWrongVideosAreRefused(t *testing.T) {
	t.Parallel()
	nameless, endless := Hills(), Hills()
	nameless.ID, endless.Duration = "", 0
	for _, videos := range [][]Video{{nameless}, {endless}, {Hills(), Lighthouse(), Hills()}} {
		_, err := New(t.Context(), nil, tables.Names{}, &Options{Videos: videos})
		require.ErrorIs(t, err, plaza.ErrInvalid)
	}
}
