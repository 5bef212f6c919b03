package videos

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

func displayTests() pages {
	return pages{
		// 70 danmu of three seconds arrive live, where the viewer wants three a second.
		"what came live is thinned with the rest": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			p := still(t, b, w, 40)
			p.Choose("#density", "0,3")
			for i := range 70 {
				say(t, w, fmt.Sprint("u", i), fmt.Sprint("n", i), 20+float64(i)/24)
			}
			say(t, w, me(p), "my own", 20.1)
			shows(p, "my own")
			require.LessOrEqual(t, browsertest.Eval[int](p, `window.danmu.onScreen().length`), 4, "at once fly no more than the viewer wants")

			seek(p, 24)
			p.Until(count("my own") + ` === 1 && window.danmu.onScreen().length >= 9`)
			wait(p, 5)
			live := browsertest.Eval[string](p, flying)
			require.Len(t, strings.Split(live, ","), 9, live)

			load(p, w.url)
			p.Until(`document.getElementById("density").value === "0,3"`)
			stop(p, 24)
			p.Until(flying + fmt.Sprintf(` === %q`, live))
			p.Choose("#density", "0,0")
			p.Until(`window.danmu.onScreen().length > 30`)

			p.Do(`document.getElementById("merge").click()`)
			seek(p, 50)
			for i, text := range []string{"the same", "the same", "the same", "the same", "the same", "another"} {
				say(t, w, fmt.Sprint("v", i), text, 30)
			}
			shows(p, "another")
			require.Equal(t, 1, browsertest.Eval[int](p, count("the same")), "repeats do not fly at once either")
			seek(p, 31)
			shows(p, "another")
			require.Equal(t, 1, browsertest.Eval[int](p, count("the same")))
		},
		"a page thins as the service does": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			random := rand.New(rand.NewPCG(3, 4))
			importAll(t, w, 1500, func(i int) danmu.Comment {
				return danmu.Comment{
					Text:     []string{" 哈哈 ", "哈哈", "666", fmt.Sprint("n", i)}[random.IntN(4)],
					User:     []string{"", "1", "a"}[random.IntN(3)],
					Progress: time.Duration(random.IntN(20_000)) * time.Millisecond,
					Mode:     modes[random.IntN(4)],
					Weight:   random.IntN(3),
				}
			})
			p := open(t, b, w)
			for _, chosen := range []string{"cap=3", "merge=5", "cap=10&merge=5", "sample=3", "sample=1&cap=10", "cap=1&sample=2&merge=5"} {
				seen := browsertest.Eval[struct{ Service, Page []string }](p, fmt.Sprintf(`import("/density.js").then(async ({ inSample, thin }) => {
					const read = async (query) => (await (await fetch("/videos/1/segments/0?" + query)).json()).data;
					const { cap = 0, merge = 0, sample = 0 } = Object.fromEntries(new URLSearchParams(%[1]q));
					const all = (await read("")).filter((c) => inSample(c.id, Number(sample)));
					const names = (list) => list.map((c) => c.id + " " + (c.repeats ?? 0));
					return { service: names(await read(%[1]q)), page: names(thin(all, { cap: Number(cap), merge: Number(merge) > 0 }, (c) => c.userId === "1")) };
				})`, chosen))
				require.NotEmpty(t, seen.Service)
				require.Less(t, len(seen.Service), 1500)
				require.Equal(t, seen.Service, seen.Page, chosen)
			}
		},
		"the viewer's own stay in a sample": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			importAll(t, w, 60, func(i int) danmu.Comment {
				user := []string{"me", "other"}[i%2]
				return danmu.Comment{User: user, Text: fmt.Sprint(user, i), Progress: 20*time.Second + time.Duration(i)*50*time.Millisecond}
			})
			p := still(t, b, w, 24)
			p.Choose("#me", "me")
			p.Choose("#density", "3,0")
			p.Until(`window.danmu.onScreen().filter((box) => box.text.startsWith("me")).length + window.danmu.dropped() >= 28`)
			require.Less(t, browsertest.Eval[int](p, `window.danmu.onScreen().filter((box) => box.text.startsWith("other")).length`), 15)
		},
		"size, area and speed change what flies": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t, said{"a", "over the picture", 20})
			importAll(t, w, 40, func(i int) danmu.Comment {
				return danmu.Comment{Text: fmt.Sprint("n", i), Progress: 40*time.Second + time.Duration(i)*25*time.Millisecond}
			})
			p := still(t, b, w, 21)
			flew := `window.danmu.onScreen()[0]`
			p.Until(flew + ` !== undefined`)
			before := browsertest.Eval[struct{ Left, Width, Height float64 }](p, flew)
			p.Choose("#font", "2")
			p.Until(flew + fmt.Sprintf(`?.height > %g`, 1.8*before.Height))
			reads(p, "font-value", "200 %")
			p.Choose("#font", "0.5")
			p.Until(flew + fmt.Sprintf(`?.height < %g`, 0.6*before.Height))
			p.Choose("#font", "1")
			p.Until(flew + fmt.Sprintf(`?.height === %g`, before.Height))

			p.Choose("#speed", "5")
			seek(p, 30)
			seek(p, 21)
			p.Until(flew + fmt.Sprintf(`?.left < %g`, before.Left-100))

			p.Choose("#speed", "1")
			seek(p, 42)
			p.Until(`(window.full = window.danmu.onScreen().length) > 10`)
			p.Choose("#area", "quarter")
			p.Until(`window.danmu.onScreen().length < window.full`)
			require.True(t, browsertest.Eval[bool](p, `window.danmu.onScreen().length > 0 && window.danmu.onScreen().every((box) => box.top + box.height <= document.getElementById("stage").clientHeight / 4)`))
			p.Choose("#area", "full")
			p.Until(`window.danmu.onScreen().length >= window.full`)
		},
		"settings stay, and damaged ones fall back": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			p := open(t, b, w)
			stored := func(text string) {
				p.Do(fmt.Sprintf(`localStorage.setItem("plaza.danmu.display", %q)`, text))
				load(p, w.url)
			}
			shown := func() string {
				return browsertest.Eval[string](p, `["density", "area", "font", "speed", "opacity"].map((id) => document.getElementById(id).value).join(" ") +
					" " + document.getElementById("merge").checked + " " + [...document.querySelectorAll("#words .rule")].map((e) => e.textContent).join()`)
			}
			const usual = "0,0 full 1 3 0.9 false "
			for _, text := range []string{
				`{`, `null`, `7`, `"x"`, `[1,2]`, `{"version":2}`,
				`{"version":9,"density":"9,9","area":"toString","font":"1","speed":2.5,"opacity":-1,"merge":1,"blocks":7}`,
				`{"version":2,"density":{"a":1},"area":null,"font":1e999,"speed":99,"opacity":"","blocks":{"words":"abc","patterns":["(",7,""],"users":{"length":9},"modes":["x","constructor"],"slow":["y"]}}`,
			} {
				stored(text)
				require.Equal(t, usual, shown(), text)
			}
			stored(`{"version":2,"density":"0,3","area":"half","font":1.5,"speed":9,"opacity":0.5,"merge":true,"blocks":{"words":["a",7,"` + strings.Repeat("x", 201) + `"],"patterns":["^b$"],"users":["<b>c"]}}`)
			require.Equal(t, "0,3 half 1.5 3 0.5 true a,^b$,<b>c", shown(), "one value that is damaged is the only one that falls back")
			stored(`{"density":"0,10","opacity":0.4,"merge":true,"words":["old"]}`)
			require.Equal(t, "0,10 full 1 3 0.4 true old", shown(), "of the page before this one")
			p.Choose("#speed", "5")
			load(p, w.url)
			require.Equal(t, "0,10 full 1 5 0.4 true old", shown())
		},
		// noStorage makes the browser refuse to read, and to write, what a page keeps.
		"without storage the page works": func(t *testing.T, b browsertest.Browser) {
			for _, refusal := range []string{
				`Object.defineProperty(window, "localStorage", { get() { throw new DOMException("no", "SecurityError"); } });`,
				`Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };`,
			} {
				p := b.Window(t)
				p.OpenAfter(refusal, newWorld(t).url)
				p.Until(`window.danmu && document.getElementById("present").textContent`)
				slow(p)
				p.Choose("#font", "2")
				p.Until(textOf("unkept") + ` !== ""`)
				block(p, "words", "spoiler")
				p.Until(`document.querySelectorAll("#words li").length === 1`)
				write(p, "it works")
				flies(p, "it works")
				p.Until(`document.querySelector("#mine .text")?.textContent === "it works"`)
			}
		},
		"a busy moment has words": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			importAll(t, w, 800, func(i int) danmu.Comment {
				return danmu.Comment{Text: fmt.Sprint("number ", i), Progress: 20*time.Second + time.Duration(i)*time.Millisecond}
			})
			p := still(t, b, w, 10)
			reads(p, "count", "0 flying")
			require.True(t, browsertest.Eval[bool](p, `document.getElementById("why").hidden`))
			seek(p, 21)
			p.Until(`(() => {
				const [, showing, all] = document.getElementById("count").textContent.match(/^Busy moment: showing (\d+) of (\d+)$/) ?? [];
				return all === "800" && Number(showing) === window.danmu.onScreen().length;
			})()`)
			p.Click("#why")
			p.Until(`document.activeElement.id === "density" && !document.getElementById("busy").hidden`)
			p.Do(`document.getElementById("visible").click()`)
			reads(p, "count", "Danmu are off")
		},
	}
}

const flying = `window.danmu.onScreen().map((box) => box.text).sort().join()`
