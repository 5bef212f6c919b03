package videos

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

func mountTests() pages {
	return pages{
		"below a path everything works":              belowAPath,
		"below a path ArtPlayer works":               artPlayerBelowAPath,
		"the address chooses the video":              secondVideo,
		"the address names the viewer":               fixedViewer,
		"the way back is to a page of this origin":   wayBack,
		"the link back leads there":                  linkBack,
		"a viewer that is not known is told so":      unknownViewer,
		"a page whose videos cannot be read says so": noVideos,
	}
}

// mounted is a world whose service is served below /clips/ by another server.
type mounted struct {
	world

	mu      sync.Mutex
	answers map[string]int // status by method and path
}

func mount(t *testing.T, opts *Options) *mounted {
	t.Helper()
	m := &mounted{world: newWorldOf(t, opts), answers: map[string]int{}}
	mux := http.NewServeMux()
	mux.Handle("/clips/", http.StripPrefix("/clips", m.service))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &kept{ResponseWriter: w}
		mux.ServeHTTP(answer, r)
		m.mu.Lock()
		defer m.mu.Unlock()
		m.answers[r.Method+" "+r.URL.Path] = answer.status
	}))
	t.Cleanup(server.Close)
	t.Cleanup(m.service.EndStreams)
	m.url, m.client = server.URL, server.Client()
	return m
}

// noneFailed checks that all requests so far were below the path and had their answers.
func (m *mounted) noneFailed(t *testing.T) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	require.NotEmpty(t, m.answers)
	for what, status := range m.answers {
		assert.Contains(t, what, " /clips/")
		assert.Less(t, status, 400, what)
	}
}

// at opens the page below the path, as a new viewer.
func (m *mounted) at(t *testing.T, b browsertest.Browser, query string, tolerated ...string) browsertest.Window {
	t.Helper()
	p := b.Window(t, tolerated...)
	p.Open(m.url + "/clips/" + query)
	p.Until(`window.danmu && document.getElementById("present").textContent`)
	return p
}

func belowAPath(t *testing.T, b browsertest.Browser) {
	m := mount(t, nil)
	other := `{"objectId":"1","userId":"b","content":{"text":"a joke","time":20}}`
	joke := call[message](t, m.world, "POST", "/clips/danmu/send", other)
	p := m.at(t, b, "?user=ann")
	p.Until(`window.danmu.medium.currentTime > 0.2 && window.danmu.medium.src.endsWith("/clips/hills.webm")`)
	require.True(t, browsertest.Eval[bool](p, `document.getElementById("me").readOnly`))
	p.Do(`window.danmu.medium.playbackRate = 0.1`) // nothing leaves the screen, however long this takes
	p.Type("#text", "from below 🎉")
	p.Until(`document.getElementById("letters").textContent === "12/100"`)
	p.Click("#send .primary")
	flies(p, "from below 🎉")

	p.Do(`window.danmu.medium.pause()`)
	seek(p, 22)
	holdUp(p, "a joke")
	p.Click("#touched .like")
	likesAre(p, "1", true)
	require.Eventually(t, func() bool {
		c, err := m.service.danmu.Get(t.Context(), "1", joke.ID)
		return err == nil && c.Likes == 1
	}, 10*time.Second, time.Millisecond)

	tab(p, "display")
	p.Choose("#kind", "patterns") // which a worker tests
	p.Type("#word", "jo.e")
	p.Click("#filter button")
	p.Until(count("a joke") + ` === 0`)
	tab(p, "mine")
	p.Click("#mine .undo")
	p.Until(`document.querySelectorAll("#mine li").length === 0`)
	require.Equal(t, []string{"a joke"}, texts(call[list](t, m.world, "GET", "/clips/danmu/pull/1", "").Data))
	m.noneFailed(t)

	require.Equal(t, m.url+"/clips/?video=2", redirected(t, m, "/clips?video=2"))
}

func redirected(t *testing.T, m *mounted, path string) string {
	t.Helper()
	res, err := m.client.Get(m.url + path)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusOK, res.StatusCode)
	return res.Request.URL.String()
}

func artPlayerBelowAPath(t *testing.T, b browsertest.Browser) {
	if _, err := static.Open("static/artplayer/artplayer.mjs"); err != nil {
		t.Skip("no ArtPlayer: sh examples/danmu/videos/artplayer/fetch.sh")
	}
	m := mount(t, nil)
	p := b.Window(t)
	p.Open(m.url + "/clips/artplayer.html?video=2&user=ann")
	p.Until(`window.art?.isReady && art.video.src.endsWith("/clips/lighthouse.webm")`)
	p.Until(`document.getElementById("present").textContent === "1 watching"`)
	p.Type(".apd-input", "from ArtPlayer")
	p.Click(".apd-send")
	p.Until(`document.querySelector(".apd-input").value === ""`)
	require.Eventually(t, func() bool {
		sent := call[list](t, m.world, "GET", "/clips/danmu/pull/2", "").Data
		return len(sent) == 1 && sent[0].UserID == "ann"
	}, 10*time.Second, time.Millisecond)
	require.Equal(t, m.url+"/clips/", browsertest.Eval[string](p, `document.querySelector("main > p a").href`))
	m.noneFailed(t)
}

func secondVideo(t *testing.T, b browsertest.Browser) {
	m := mount(t, nil)
	_, err := m.service.Import(t.Context(), "2", Crowd(Lighthouse(), nil))
	require.NoError(t, err)
	p := m.at(t, b, "?video=2&user=ann&back=%2F")
	p.Until(`window.danmu.medium.src.endsWith("/clips/lighthouse.webm") && window.danmu.medium.duration === 48`)
	require.Equal(t, "The lighthouse at night · Plaza", browsertest.Eval[string](p, `document.title`))
	seek(p, 13)
	p.Until(`window.danmu.onScreen().length > 10`)

	const current = `document.querySelector("#videos [aria-current=page]").textContent`
	require.Equal(t, "The lighthouse at night", browsertest.Eval[string](p, current))
	for _, width := range []int64{1280, 900, 600, 390} {
		p.Size(width, 800)
		require.LessOrEqual(t, browsertest.Eval[int64](p, `document.documentElement.scrollWidth`), width, "nothing is wider than the page")
		require.LessOrEqual(t, browsertest.Eval[float64](p, `document.querySelector(".me").getBoundingClientRect().right`), float64(width))
	}
	p.Click("#videos a:not([aria-current])")
	p.Visible(`#videos [aria-current][href*="video=1"]`)
	p.Until(`window.danmu?.medium.src.endsWith("/clips/hills.webm")`)
	require.Equal(t, "A day over the hills", browsertest.Eval[string](p, current))
	require.Equal(t, "ann", browsertest.Eval[string](p, `document.getElementById("me").value`))
	require.Equal(t, m.url+"/", browsertest.Eval[string](p, `document.getElementById("back").href`))
	m.noneFailed(t)
}

func fixedViewer(t *testing.T, b browsertest.Browser) {
	m := mount(t, nil)
	p := m.at(t, b, "")
	own := browsertest.Eval[string](p, `document.getElementById("me").value`)
	require.Contains(t, own, "guest-")
	require.False(t, browsertest.Eval[bool](p, `document.getElementById("me").readOnly`))

	p.Open(m.url + "/clips/?user=ann")
	p.Until(`document.getElementById("me").value === "ann" && window.danmu`)
	require.True(t, browsertest.Eval[bool](p, `document.getElementById("me").readOnly`))
	p.Type("#me", "eric")
	p.Type("#text", "hello")
	p.Click("#send .primary")
	p.Until(`document.querySelectorAll("#mine li").length === 1`)
	require.Equal(t, "ann", call[list](t, m.world, "GET", "/clips/danmu/pull/1", "").Data[0].UserID)

	p.Open(m.url + "/clips/?user=%20")
	p.Until(fmt.Sprintf(`document.getElementById("me").value === %q && window.danmu`, own))
	m.noneFailed(t)
}

func wayBack(t *testing.T, b browsertest.Browser) {
	m := mount(t, nil)
	p := b.Window(t, "404")            // no icon
	p.Open(m.url + "/clips/theme.css") // a page with nothing on it
	for back, href := range map[string]string{
		"/":             m.url + "/",
		"/#/clips":      m.url + "/#/clips",
		"/a?b=c&d=e":    m.url + "/a?b=c&d=e",
		"/.//evil.test": m.url + "//evil.test", // a path
	} {
		require.Equal(t, href, browsertest.Eval[string](p, backOf(back)), back)
	}
	for _, back := range []string{
		"", "x", "//evil.test", `/\evil.test`, "/\t/evil.test", "/\n/evil.test", "//", "///evil.test", " //evil.test", " /a",
		"https://evil.test/", "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", m.url + "/", "?x", "#x",
	} {
		require.Empty(t, browsertest.Eval[string](p, backOf(back)), "%q", back)
	}
}

func linkBack(t *testing.T, b browsertest.Browser) {
	m := mount(t, nil)
	p := b.Window(t)
	p.Open(m.url + "/clips/?back=%2Fclips%2F%3Fvideo%3D2")
	p.Until(`window.danmu`)
	p.Click("#back")
	p.Visible(`#videos [aria-current][href*="video=2"]`)
	p.Until(`location.search === "?video=2" && window.danmu?.medium.src.endsWith("/lighthouse.webm")`)
	p.Open(m.url + "/clips/?back=%2F%2Fevil.test")
	p.Until(`window.danmu && document.getElementById("back").hidden && !document.getElementById("back").hasAttribute("href")`)
}

// backOf is an expression for where the page's link back leads, or "".
func backOf(path string) string {
	return fmt.Sprintf(`import("/clips/address.js").then(({ own }) => own(%q) ?? "")`, path)
}

func unknownViewer(t *testing.T, b browsertest.Browser) {
	m := mount(t, &Options{Known: func(user string) bool { return user == "ann" }})
	p := m.at(t, b, "?user=eve", "status of 403")
	p.Type("#text", "hello")
	p.Click("#send .primary")
	p.Until(`document.getElementById("refusal").textContent === "userId is not known here"`)
	p.Until(`document.getElementById("text").value === "hello"`)
}

func noVideos(t *testing.T, b browsertest.Browser) {
	m := mount(t, nil)
	m.service.requests = frozen(0)
	p := b.Window(t, "status of 429")
	p.Open(m.url + "/clips/")
	p.Until(`document.getElementById("refusal").textContent === "The video could not be read: too many requests"`)
}

func TestRequestsInUnknownNamesAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorldOf(t, &Options{Videos: []Video{Hills()}, Known: func(user string) bool { return user == "ann" }})
	sent := say(t, w, "ann", "hello", 1)
	before := w.items(t)
	at := "/videos/1/danmu/" + sent.ID.String()
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/danmu/send", sendOf("1", "eve")},
		{"POST", "/v3/", `{"id":"1","author":"eve","time":1,"text":"x","color":16777215,"type":0}`},
		{"PUT", at + "/like?user=eve", ""},
		{"DELETE", at + "/like?user=eve", ""},
		{"PUT", at + "/report?user=eve", ""},
		{"DELETE", at + "?user=eve", ""},
		{"GET", "/users/eve/danmu", ""},
		{"GET", "/videos/1/segments/0/reactions?user=eve", ""},
	} {
		status, _, text := w.send(t, c.method, c.path, c.body)
		require.Equal(t, http.StatusForbidden, status, "%s %s: %s", c.method, c.path, text)
		require.JSONEq(t, `{"error":"Forbidden","field":"userId","reason":"is not known here"}`, text)
	}
	require.Equal(t, before, w.items(t))
	call[any](t, w, "PUT", at+"/like?user=ann", "")
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
