package videos

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
	"github.com/plaza-sdk/plaza/internal/faults"
)

// pages are tests in Chromium.
type pages map[string]func(*testing.T, browsertest.Browser)

// always run without CI too. The first uses most parts of the page.
var always = []string{
	"below a path everything works", "keys play, never for one who writes", "the way back is to a page of this origin",
	"what happened live stays, whatever a read that began before has",
}

// TestPage shares a browser among all tests of the page.
func TestPage(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t)
	for topic, tests := range map[string]pages{
		"flight": flightTests(), "player": playerTests(), "display": displayTests(), "blocks": blockTests(), "list": listTests(),
		"collection": collectionTests(), "touch": touchTests(), "offline": offlineTests(), "mount": mountTests(), "words": wordTests(),
	} {
		t.Run(topic, func(t *testing.T) {
			sideBySide(t)
			for name, test := range tests {
				if !faults.Full() && !slices.Contains(always, name) {
					continue
				}
				t.Run(name, func(t *testing.T) {
					sideBySide(t)
					test(t, b)
				})
			}
		})
	}
}

// sideBySide lets tests of the page run at once in CI. Otherwise each has the windows of the
// one before.
func sideBySide(t *testing.T) {
	t.Helper()
	if faults.Full() {
		t.Parallel()
	}
}

func flightTests() pages {
	return pages{
		"a danmu sent in one window flies in both until it is recalled": twoWindows,
		"a seek shows what flies at that moment":                        seekAndPause,
		"the viewer chooses what is shown":                              choices,
		"a page that was cut off misses nothing":                        cutOff,
		"no two danmu of a crowd touch":                                 crowd,
		"lanes hold however danmu come":                                 lanes,
		"after a jump there flies what flies then":                      jumps,
		"live danmu do not remove each other":                           liveCrowd,
		"for a live danmu goes as little as can":                        fewestGo,
		"one's own flies whatever is in the air":                        ownOne,
		"a comment is drawn whole":                                      sprites,
		"a clock pauses at its end":                                     clockEnds,
		"a page that is gone back to goes on":                           goneBackTo,
		"what came live stays, within bounds":                           bounds,
		"a long danmu at the top is on the stage with both ends":        longTop,
		"a text is as long as the service allows":                       longTexts,
		"an unknown video is said to be none":                           unknownVideo,
		"the list is that of the last user":                             lastUser,
		"a stream that was refused is asked for again":                  refusedStream,
		"another site's page stores, reads and frames nothing":          otherSite,
		"a site that is rebound to this address is not served":          rebound,
	}
}

func twoWindows(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	one, two := open(t, b, w), open(t, b, w)
	for _, p := range []browsertest.Window{one, two} {
		p.Do(`window.danmu.medium.playbackRate = 0.1`) // nothing leaves the screen, however long this takes
	}
	const script, party = "<script>alert(1)</script>", "弹幕 🎉 on two screens"
	for _, text := range []string{script, party} {
		one.Type("#text", text)
		one.Click("#send .primary")
		for _, p := range []browsertest.Window{one, two} {
			flies(p, text)
			require.Equal(t, 1, browsertest.Eval[int](p, count(text)))
		}
		one.Until(fmt.Sprintf(`document.querySelector("#mine .text").textContent === %q`, text))
	}
	require.Zero(t, browsertest.Eval[int](one, `document.querySelectorAll("#mine script").length`))
	require.Zero(t, browsertest.Eval[int](two, `document.querySelectorAll("#mine li").length`), "another viewer")

	tab(one, "mine")
	one.Click("#mine .undo")
	for _, p := range []browsertest.Window{one, two} {
		p.Until(count(party) + ` === 0`)
		require.Equal(t, 1, browsertest.Eval[int](p, count(script)))
	}
	one.Until(`document.querySelectorAll("#mine li").length === 1`)
}

func seekAndPause(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	say(t, w, "a", "early", 3)
	say(t, w, "b", "late", 40)
	p := open(t, b, w)
	p.Do(`window.danmu.medium.playbackRate = 0.1`) // on a slow machine they would have flown by
	seek(p, 42)
	flies(p, "late")
	require.Zero(t, browsertest.Eval[int](p, count("early")))
	seek(p, 4)
	flies(p, "early")
	require.Zero(t, browsertest.Eval[int](p, count("late")))

	const left = `window.danmu.onScreen()[0].left`
	p.Do(`window.danmu.medium.pause()`)
	browsertest.Eval[bool](p, frames(60, ""))
	held := browsertest.Eval[float64](p, left)
	browsertest.Eval[bool](p, frames(10, ""))
	require.Equal(t, held, browsertest.Eval[float64](p, left), "a pause holds everything")
	p.Do(`window.danmu.medium.play()`)
	flies(p, "early")
}

func choices(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	const laugh, spoiler = "哈哈哈", "a Spoiler"
	for i := range 12 {
		say(t, w, fmt.Sprint("u", i), laugh, 20+float64(i)/10)
	}
	say(t, w, "a", spoiler, 20.5)
	p := open(t, b, w)
	p.Do(`window.danmu.medium.pause()`)
	seek(p, 21.5)
	p.Until(count(laugh) + ` === 12`)
	p.Until(count(spoiler) + ` === 1`)
	p.Until(`document.querySelector("#heat path").getAttribute("d").includes(" 1.00")`)

	tab(p, "display")
	p.Type("#word", "spoiler")
	p.Click("#filter button")
	p.Until(count(spoiler) + ` === 0`)
	p.Type("#text", "no spoiler please")
	p.Click("#send .primary")
	p.Until(`document.querySelectorAll("#mine li").length === 1`)
	p.Do(`window.danmu.medium.playbackRate = 0.1; window.danmu.medium.play()`)
	browsertest.Eval[bool](p, frames(10, ""))
	require.Zero(t, browsertest.Eval[int](p, count("no spoiler please")), "live ones neither")
	p.Click("#words button")
	p.Until(count(spoiler) + ` === 1`)

	p.Do(`window.danmu.medium.pause()`)
	seek(p, 21.5)
	p.Choose("#density", "0,3")
	p.Until(count(laugh) + ` <= 6`)
	p.Choose("#density", "0,0")
	p.Until(count(laugh) + ` === 12`)
	p.Click("#merge")
	p.Until(count(laugh) + ` === 1`)

	p.Choose("#opacity", "0.3")
	p.Until(`(() => {
		const { width, height } = document.getElementById("stage");
		const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
		copy.drawImage(document.getElementById("stage"), 0, 0);
		const ink = copy.getImageData(0, 0, width, height).data;
		let most = 0;
		for (let i = 3; i < ink.length; i += 4) most = Math.max(most, ink[i]);
		return most > 0 && most < 90;
	})()`)
}

func cutOff(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	p := open(t, b, w, "net::ERR_")
	p.Do(`window.danmu.medium.pause()`)
	for i := range 4 {
		text := fmt.Sprint("danmu ", i)
		say(t, w, fmt.Sprint("user", i), text, 0)
		p.Until(count(text) + ` === 1`)
		w.server.CloseClientConnections()
		w.client.CloseIdleConnections()
	}
}

// touching counts the pairs of boxes that overlap.
const touching = `((boxes) => {
	let pairs = 0;
	boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
		if (a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height) pairs++;
	}));
	return pairs;
})`

func crowd(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	importCrowd(t, w, 2000)
	p := open(t, b, w)
	p.Do(`window.seen = { pairs: 0, boxes: 0 }; window.danmu.medium.playbackRate = 2`)
	const n = 60
	for _, width := range []int64{1280, 700, 390} {
		p.Size(width, 800)
		seek(p, 10)
		browsertest.Eval[bool](p, frames(n, `const boxes = window.danmu.onScreen(); window.seen.boxes += boxes.length; window.seen.pairs += `+touching+`(boxes)`))
		p.Until(`document.getElementById("count").textContent.startsWith("Busy moment: showing ")`)
		require.Positive(t, browsertest.Eval[int](p, `window.danmu.dropped()`))
		require.Equal(t, width, browsertest.Eval[int64](p, `document.documentElement.scrollWidth`), "nothing is wider than the page")
	}
	require.Zero(t, browsertest.Eval[int](p, `window.seen.pairs`))
	require.Greater(t, browsertest.Eval[int](p, `window.seen.boxes`), 3*n*10)
}

// importCrowd imports n danmu of many lengths, modes and sizes, at any moment.
func importCrowd(t *testing.T, w world, n int) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	importAll(t, w, n, func(i int) danmu.Comment {
		return danmu.Comment{
			Text:     fmt.Sprint(i, strings.Repeat("弹幕", random.IntN(12))),
			Progress: time.Duration(random.IntN(60_000)) * time.Millisecond,
			Mode:     modes[max(random.IntN(8)-4, 0)],
			Size:     []int{0, 18, 36}[random.IntN(3)],
		}
	})
}

// importAll imports n danmu into the page's video.
func importAll(t *testing.T, w world, n int, nth func(int) danmu.Comment) {
	t.Helper()
	comments := make([]danmu.Comment, n)
	for i := range comments {
		comments[i] = nth(i)
	}
	result, err := w.service.Import(t.Context(), "1", comments)
	require.NoError(t, err)
	require.Equal(t, n, result.Written)
}

func longTexts(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	p := open(t, b, w)
	p.Type("#text", strings.Repeat("🎉", 101))
	p.Click("#send .primary")
	p.Until(`document.getElementById("refusal").textContent.includes("101")`)
	p.Do(`{ const text = document.getElementById("text"); text.value = "🎉".repeat(100); }`)
	p.Click("#send .primary")
	p.Until(`document.querySelectorAll("#mine li").length === 1`)
	require.Equal(t, []string{strings.Repeat("🎉", 100)}, texts(call[list](t, w, "GET", "/danmu/pull/1", "").Data))
}

func unknownVideo(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	p := open(t, b, w, "404")
	p.Open(w.url + "/?video=2")
	p.Until(`document.getElementById("refusal").textContent === "There is no video 2."`)
}

// The answer for the first user arrives after the one for the second.
func lastUser(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	say(t, w, "first", "of the first", 1)
	say(t, w, "second", "of the second", 1)
	p := open(t, b, w)
	browsertest.Eval[bool](p, `(async () => {
		const { fetch } = window, me = document.getElementById("me");
		let go;
		window.fetch = async (path, ...rest) => {
			const answer = await fetch(path, ...rest);
			if (!path.startsWith("users/first/")) return answer;
			const json = await answer.json();
			await new Promise((done) => { go = done; });
			return { ok: true, json: async () => json };
		};
		const become = (name) => { me.value = name; me.dispatchEvent(new Event("change")); };
		const until = async (done) => { while (!done()) await new Promise(requestAnimationFrame); };
		become("first");
		await until(() => go);
		become("second");
		await until(() => document.querySelector("#mine .text"));
		go();
		await new Promise((done) => setTimeout(done)); // once it is read
		return true;
	})()`)
	require.Equal(t, "of the second", browsertest.Eval[string](p, `[...document.querySelectorAll("#mine .text")].map((e) => e.textContent).join()`))
}
