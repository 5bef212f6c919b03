package videos

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/format"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

func TestAVideoIsAFileForOtherPlayers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, position := range []int{0, 1, 2, 3} {
		call[message](t, w, "POST", "/danmu/send", fmt.Sprintf(`{"objectId":"1","userId":"a","key":"secret","content":{"text":"<%d>","time":%d.5,"position":%d,"color":"#00f","size":"36px"}}`, i, i, position))
	}
	_, err := w.service.Import(t.Context(), "1", []danmu.Comment{{Key: "secret", Text: "<4>", Progress: second(4) + 500*time.Millisecond, Color: danmu.RGB(0xFF)}})
	require.NoError(t, err)
	gone := say(t, w, "a", "taken back", 9)
	recallAs(t, w, gone)

	for path, f := range map[string]format.Format{
		"/videos/1/danmu/artplayer": format.ArtPlayer, "/videos/1/danmu/bilibili": format.Bilibili, "/videos/1/danmu/dandanplay": format.Dandanplay,
		"/videos/1/danmu/dplayer": format.DPlayer, "/videos/1/danmu/niconico": format.Niconico, "/videos/1/danmu/niconicoxml": format.NiconicoXML,
		"/v3/?id=1&max=1000": format.DPlayer,
	} {
		res, text := w.get(t, path)
		require.Equal(t, http.StatusOK, res.StatusCode, text)
		require.Equal(t, contentTypes[f], res.Header.Get("Content-Type"))
		require.NotContains(t, text, "secret")
		r, err := format.NewReader(strings.NewReader(text), f, nil)
		require.NoError(t, err)
		var got []danmu.Comment
		for c, err := range r.All() {
			require.NoError(t, err)
			got = append(got, c)
		}
		require.Len(t, got, 5, path)
		for i, mode := range []danmu.Mode{danmu.Scroll, danmu.Top, danmu.Bottom, danmu.Scroll, danmu.Scroll} {
			if f == format.Bilibili && i == 3 {
				mode = danmu.Reverse
			}
			require.Equal(t, fmt.Sprintf("<%d>", i), got[i].Text)
			require.Equal(t, mode, got[i].Mode, path)
			require.Equal(t, second(i)+500*time.Millisecond, got[i].Progress)
			require.Equal(t, danmu.RGB(0xFF), got[i].Color)
		}
	}
	_, text := w.get(t, "/videos/1/danmu/artplayer")
	require.Regexp(t, `"id":"[0-9A-Z]{20}".*"style":\{"fontSize":"36px"\}`, text)

	for _, path := range []string{"/videos/1/danmu/ndjson", "/videos/1/danmu/x", "/videos/3/danmu/artplayer", "/v3/?id=3", "/v3/"} {
		w.answer(t, http.StatusNotFound, "GET", path, "")
	}
	_, text = w.get(t, "/videos/2/danmu/artplayer")
	require.JSONEq(t, `[]`, text)
}

func TestDPlayerSends(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := w.answer(t, http.StatusOK, "POST", "/v3/", `{"token":"","id":"1","author":"DIYgod","time":3.25,"text":"<b>","color":16711680,"type":1}`)
	require.Contains(t, text, `"code":0`)
	_, text = w.get(t, "/v3/?id=1")
	require.JSONEq(t, `{"code":0,"data":[[3.25,1,16711680,"DIYgod","&lt;b&gt;"]]}`, text)
	for _, bad := range []string{
		`{"id":"1","author":"a","time":1,"text":"a","color":16777216,"type":0}`, `{"id":"1","author":"a","time":1,"text":"a","color":0,"type":4}`,
		`{"id":"1","author":"a","time":61,"text":"a","color":0,"type":0}`, `{"id":"1","author":"","time":1,"text":"a","color":0,"type":0}`,
		`{"id":"1","author":"a","text":"a","color":0,"type":0}`, `{"id":"1","author":"a","time":1,"text":"","color":0,"type":0}`, `{"id":1}`,
	} {
		w.answer(t, http.StatusBadRequest, "POST", "/v3/", bad)
	}
	w.answer(t, http.StatusNotFound, "POST", "/v3/", `{"id":"3","author":"a","time":1,"text":"a","color":0,"type":0}`)
}

func TestThePageOfArtPlayerSaysHowToFetchIt(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"artplayer.html": {Data: []byte("plays")}, "no-artplayer.html": {Data: []byte("fetch it")}}
	for _, want := range []string{"fetch it", "plays"} {
		w := httptest.NewRecorder()
		artplayer(files).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/artplayer.html", http.NoBody))
		require.Equal(t, want, w.Body.String())
		require.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'self'")
		require.Equal(t, http.StatusOK, w.Code)
		files["artplayer/artplayer.mjs"] = &fstest.MapFile{}
	}
}

// Without what artplayer/fetch.sh fetches there is nothing to test. .ci/run fetches it.
func TestArtPlayer(t *testing.T) {
	t.Parallel()
	if _, err := static.Open("static/artplayer/artplayer.mjs"); err != nil {
		t.Skip("no ArtPlayer: sh examples/danmu/videos/artplayer/fetch.sh")
	}
	w := newWorld(t)
	b := browsertest.New(t)
	call[message](t, w, "POST", "/danmu/send", `{"objectId":"1","userId":"a","content":{"text":"at the beginning","time":0,"position":1,"color":"#00f","size":"36px"}}`)
	gone := say(t, w, "a", "taken back", 0.5)

	ours := open(t, b, w)
	theirs := b.Window(t, "status of 400") // of the refused one
	theirs.Open(w.url + "/artplayer.html")
	theirs.Until(`window.art?.isReady`)
	for _, p := range []browsertest.Window{ours, theirs} { // nothing leaves the screen, however long this takes
		p.Do(`(window.danmu?.medium ?? window.art.video).playbackRate = 0.1`)
	}
	flying := func(text string) string {
		return fmt.Sprintf(`[...document.querySelectorAll(".art-danmuku > div")].find((e) => e.textContent === %q && e.style.visibility === "visible")`, text)
	}
	// It looks at each tenth of a second, and a busy machine may draw fewer frames. By the
	// next request the danmu may be gone again: its style is kept.
	again := func(text string) string {
		return fmt.Sprintf(`(() => {
			const e = %s;
			if (e) window.seen = [e.style.color, e.style.fontSize, e.dataset.mode].join(" ");
			else if (art.currentTime > 1) art.currentTime = 0;
			return Boolean(e);
		})()`, flying(text))
	}
	theirs.Until(again("at the beginning"))
	require.Equal(t, "rgb(0, 0, 255) 36px 1", browsertest.Eval[string](theirs, `window.seen`))
	theirs.Until(again("taken back"))
	recallAs(t, w, gone)
	theirs.Until(`!` + flying("taken back"))

	const script = "<script>alert(1)</script>"
	ours.Do(`window.danmu.seek(0)`)
	write(ours, script)
	theirs.Until(again(script))

	theirs.Type(".apd-input", "from ArtPlayer")
	theirs.Click(".apd-send")
	theirs.Until(flying("from ArtPlayer") + ` !== undefined`)
	ours.Until(`(() => { window.danmu.seek(0); return ` + count("from ArtPlayer") + ` === 1; })()`)
	require.Equal(t, 1, browsertest.Eval[int](theirs, `art.plugins.artplayerPluginDanmuku.load().then(() => 1)`), "read again")

	theirs.Do(`document.getElementById("me").value = ""`)
	theirs.Until(`!document.querySelector(".apd-send.apd-lock")`)
	theirs.Type(".apd-input", "refused")
	theirs.Click(".apd-send")
	theirs.Until(`document.getElementById("refusal").textContent.includes("userId")`)
	require.Equal(t, "refused", browsertest.Eval[string](theirs, `document.querySelector(".apd-input").value`))
}
