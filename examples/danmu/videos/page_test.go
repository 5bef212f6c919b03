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
		"flight": flightTests(), "air": airTests(), "sprites": spriteTests(), "recent": recentTests(), "looks": lookTests(),
		"player": playerTests(), "display": displayTests(), "blocks": blockTests(), "list": listTests(), "collection": collectionTests(),
		"touch": touchTests(), "offline": offlineTests(), "mount": mountTests(), "words": wordTests(), "attacks": attackTests(),
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
		"a danmu sent in one window flies in both until it is recalled": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			one, two := open(t, b, w), open(t, b, w)
			slow(one)
			slow(two)
			const script, party = "<script>alert(1)</script>", "弹幕 🎉 on two screens"
			for _, text := range []string{script, party} {
				write(one, text)
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
				hides(p, party)
				require.Equal(t, 1, browsertest.Eval[int](p, count(script)))
			}
			one.Until(`document.querySelectorAll("#mine li").length === 1`)
		},
		"a seek shows what flies at that moment": func(t *testing.T, b browsertest.Browser) {
			p := open(t, b, newWorld(t, said{"a", "early", 3}, said{"b", "late", 40}))
			slow(p)
			seek(p, 42)
			flies(p, "late")
			require.Zero(t, browsertest.Eval[int](p, count("early")))
			seek(p, 4)
			flies(p, "early")
			require.Zero(t, browsertest.Eval[int](p, count("late")))

			const left = `window.danmu.onScreen()[0].left`
			p.Do(`window.danmu.medium.pause()`)
			wait(p, 60)
			held := browsertest.Eval[float64](p, left)
			wait(p, 10)
			require.Equal(t, held, browsertest.Eval[float64](p, left), "a pause holds everything")
			p.Do(`window.danmu.medium.play()`)
			flies(p, "early")
		},
		"the viewer chooses what is shown": func(t *testing.T, b browsertest.Browser) {
			const laugh, spoiler = "哈哈哈", "a Spoiler"
			w := newWorld(t, said{"a", spoiler, 20.5})
			for i := range 12 {
				say(t, w, fmt.Sprint("u", i), laugh, 20+float64(i)/10)
			}
			p := still(t, b, w, 21.5)
			p.Until(count(laugh) + ` === 12 && ` + count(spoiler) + ` === 1`)
			p.Until(`document.querySelector("#heat path").getAttribute("d").includes(" 1.00")`)

			block(p, "words", "spoiler")
			hides(p, spoiler)
			p.Click("#words button")
			shows(p, spoiler)

			for _, c := range []struct{ density, then string }{{"0,3", ` <= 6`}, {"0,0", ` === 12`}} {
				p.Choose("#density", c.density)
				p.Until(count(laugh) + c.then)
			}
			p.Click("#merge")
			shows(p, laugh)

			p.Choose("#opacity", "0.3")
			p.Until(`(() => {
				const { width, height } = document.getElementById("stage");
				const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
				copy.drawImage(document.getElementById("stage"), 0, 0);
				const most = copy.getImageData(0, 0, width, height).data.reduce((most, byte, i) => i % 4 === 3 ? Math.max(most, byte) : most, 0);
				return most > 0 && most < 90;
			})()`)
		},
		"a page that was cut off misses nothing": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			p := still(t, b, w, 0, "net::ERR_")
			for i := range 4 {
				text := fmt.Sprint("danmu ", i)
				say(t, w, fmt.Sprint("user", i), text, 0)
				shows(p, text)
				w.server.CloseClientConnections()
				w.client.CloseIdleConnections()
			}
		},
		"no two danmu of a crowd touch, whatever changes": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			importCrowd(t, w, 2000)
			p := open(t, b, w)
			p.Do(`window.seen = { pairs: 0, boxes: 0, frame: 0 }; window.danmu.medium.playbackRate = 2`)
			const look = `const boxes = window.danmu.onScreen(); window.seen.boxes += boxes.length; window.seen.pairs += ` + touching + `(boxes);`
			for _, width := range []int64{1280, 700, 390} {
				p.Size(width, 800)
				seek(p, 10)
				browsertest.Eval[bool](p, frames(60, look))
				p.Until(textOf("count") + `.startsWith("Busy moment: showing ")`)
				require.Positive(t, browsertest.Eval[int](p, `window.danmu.dropped()`))
				require.Equal(t, width, browsertest.Eval[int64](p, `document.documentElement.scrollWidth`), "nothing is wider than the page")
			}
			p.Size(1280, 860)
			browsertest.Eval[bool](p, frames(120, look+`
				const now = ++window.seen.frame, set = (id, value) => { const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event("input")); };
				if (now % 5 === 0) set("speed", 1 + now / 5 % 5);
				if (now % 31 === 0) set("font", 0.5 + now % 4 / 2);
				if (now % 37 === 0) set("area", ["quarter", "half", "full"][now % 3]);
			`))
			require.Zero(t, browsertest.Eval[int](p, `window.seen.pairs`))
			require.Greater(t, browsertest.Eval[int](p, `window.seen.boxes`), 3_000)
		},
		"an unknown video is said to be none": func(t *testing.T, b browsertest.Browser) {
			p := b.Window(t, "404")
			p.Open(newWorld(t).url + "/?video=2")
			reads(p, "refusal", "There is no video 2.")
		},
		// The answer for the first user arrives after the one for the second.
		"the list is that of the last user": func(t *testing.T, b browsertest.Browser) {
			p := open(t, b, newWorld(t, said{"first", "of the first", 1}, said{"second", "of the second", 1}))
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
			require.Equal(t, []string{"of the second"}, browsertest.Eval[[]string](p, ownTexts))
		},
		"a stream that was refused is asked for again": refusedStream,
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
