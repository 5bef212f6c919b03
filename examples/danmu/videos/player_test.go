package videos

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

func playerTests() pages {
	return pages{
		"the player fills the screen": func(t *testing.T, b browsertest.Browser) {
			p := open(t, b, newWorld(t))
			p.Click("#full")
			p.Until(`document.fullscreenElement?.id === "player"`)
			p.Until(`document.getElementById("stage").clientWidth === innerWidth && document.getElementById("stage").clientHeight === innerHeight`)
			const idle, controls = `document.getElementById("player").classList.contains("idle")`, `getComputedStyle(document.querySelector(".controls"))`
			p.Until(idle + ` && ` + controls + `.opacity === "0"`)
			require.Equal(t, "none", browsertest.Eval[string](p, controls+`.pointerEvents`), "a tap presses nothing that is hidden")
			for name, sign := range map[string]string{
				"a move":  `document.getElementById("stage").dispatchEvent(new PointerEvent("pointermove", { bubbles: true, screenX: 7 }))`,
				"a touch": `document.querySelector(".picture").dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, pointerType: "touch" }))`,
				"a key":   `document.body.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, key: "x" }))`,
			} {
				require.True(t, browsertest.Eval[bool](p, `{ document.getElementById("player").classList.add("idle"); `+sign+`; !`+idle+` }`), name)
			}

			p.Press("\t")
			write(p, "on the whole screen")
			flies(p, "on the whole screen")
			p.Click("#full")
			p.Until(`!document.fullscreenElement && !document.querySelector(".full")`)
			p.Until(`document.getElementById("stage").clientWidth < innerWidth`)
		},
		// fullWindow is for browsers that refuse the screen.
		"it fills the window where there is no screen": func(t *testing.T, b browsertest.Browser) {
			p := atRest(t, b, newWorld(t))
			p.Do(`document.getElementById("player").requestFullscreen = undefined`)
			p.Press("f")
			p.Until(`document.getElementById("stage").clientWidth === innerWidth && document.getElementById("stage").clientHeight === innerHeight`)
			p.Press(kb.Escape)
			p.Until(`document.getElementById("stage").clientWidth < innerWidth`)
		},
		"keys play, never for one who writes": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			p := atRest(t, b, w)
			const at, paused, rate, shown = `window.danmu.medium.currentTime`, `window.danmu.medium.paused`, `window.danmu.medium.playbackRate`, `document.getElementById("visible").checked`
			for _, press := range []struct{ keys, then string }{
				{"5", at + ` === 30`},
				{kb.ArrowLeft, at + ` === 25`},
				{kb.ArrowRight + kb.ArrowRight, at + ` === 35`},
				{kb.Home + kb.ArrowLeft, at + ` === 0`},
				{"9", at + ` === 54`},
				{" ", `!` + paused},
				{"k", paused},
				{">>", rate + ` === 1.5`},
				{"<", rate + ` === 1.25`},
				{">>>>>>", rate + ` === 2`},
				{"d", `!` + shown},
				{"D", shown},
				{"t", `document.querySelector("main.theatre")`},
				{"t", `!document.querySelector("main.theatre")`},
				{"9", at + ` === 54`},
				{"?", `document.getElementById("keys").open`},
				{"5" + kb.Escape, `!document.getElementById("keys").open && ` + at + ` === 54`},
			} {
				p.Press(press.keys)
				p.Until(press.then)
			}

			state := func() string {
				return browsertest.Eval[string](p, `[`+at+`, `+paused+`, `+rate+`, `+shown+`, document.fullscreenElement].join()`)
			}
			before := state()
			p.Type("#text", "5 d f k <> m")
			require.Equal(t, before, state(), "a text that is written")
			require.Equal(t, "5 d f k <> m", browsertest.Eval[string](p, `document.getElementById("text").value`))
			p.Do(`document.activeElement.blur()`)
			for _, with := range []string{"ctrlKey", "altKey", "metaKey", "isComposing"} {
				for _, key := range []string{" ", "5", "d", "f", "ArrowLeft", "<"} {
					require.True(t, browsertest.Eval[bool](p, fmt.Sprintf(`document.body.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, key: %q, %s: true }))`, key, with)), "the browser's own")
				}
			}
			require.Equal(t, before, state())
			tab(p, "display")
			p.Press(kb.ArrowLeft + " " + kb.End + kb.Home)
			require.Equal(t, before, state(), "keys that move between tabs")
			p.Do(`document.getElementById("help").focus()`)
			p.Press(kb.Enter)
			p.Until(`document.getElementById("keys").open`)
			p.Click("#using")
			p.Click("#keys .primary")
			p.Press("5d")
			require.Equal(t, before, state(), "turned off")
			load(p, w.url)
			require.False(t, browsertest.Eval[bool](p, `document.getElementById("using").checked`))
		},
		"clicks and taps on the picture play, jump and fill": func(t *testing.T, b browsertest.Browser) {
			p := atRest(t, b, newWorld(t))
			p.Do(`window.tap = (type, x, times) => {
				const stage = document.getElementById("stage"), { left, top, width, height } = stage.getBoundingClientRect();
				const at = { bubbles: true, clientX: left + x * width, clientY: top + height / 2, pointerType: type };
				for (let i = 0; i < times; i++) {
					stage.dispatchEvent(new PointerEvent("pointerdown", at));
					stage.dispatchEvent(new PointerEvent("click", at));
				}
			}`)
			p.Do(`tap("mouse", 0.1, 1)`)
			p.Until(`!window.danmu.medium.paused`)
			p.Do(`document.getElementById("player").requestFullscreen = undefined; window.danmu.medium.pause()`)
			wait(p, 30)
			p.Do(`window.danmu.medium.pause(); tap("mouse", 0.1, 2)`)
			p.Until(`document.querySelector(".full") && window.danmu.medium.paused`)
			seek(p, 30)
			for _, c := range []struct{ tap, then string }{
				{`tap("touch", 0.9, 2)`, `window.danmu.medium.currentTime === 40`},
				{`tap("touch", 0.1, 2)`, `window.danmu.medium.currentTime === 30 && window.danmu.medium.paused`}, // a tap on the full screen shows the controls
				{`tap("touch", 0.5, 2)`, `!document.querySelector(".full")`},
			} {
				p.Do(c.tap)
				p.Until(c.then)
			}
		},
		"the volume is remembered": func(t *testing.T, b browsertest.Browser) {
			shown := Hills()
			shown.Src = "tone.wav"
			w := newWorldOf(t, &Options{Videos: []Video{shown}}).behind(t, func(out http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/"+shown.Src {
					return false
				}
				http.ServeContent(out, r, shown.Src, time.Time{}, bytes.NewReader(tone(60)))
				return true
			})
			p := open(t, b, w)
			type heard struct {
				Level         float64
				Muted         bool
				Pressed, Text string
			}
			hears := func(want heard) {
				t.Helper()
				p.Until(fmt.Sprintf(`document.getElementById("volume").ariaValueText === %q`, want.Text))
				require.Equal(t, want, browsertest.Eval[heard](p, `({ level: window.danmu.medium.volume, muted: window.danmu.medium.muted, pressed: document.getElementById("mute").ariaPressed, text: document.getElementById("volume").ariaValueText })`))
			}
			p.Until(`!document.getElementById("mute").disabled && !document.getElementById("volume").hidden`)
			p.Choose("#volume", "0.8")
			hears(heard{0.8, false, "false", "80 %"})
			p.Do(`document.activeElement.blur()`)
			for _, press := range []struct {
				keys string
				then heard
			}{
				{"m", heard{0.8, true, "true", "muted"}},
				{"m" + kb.ArrowDown, heard{0.7, false, "false", "70 %"}},
				{strings.Repeat(kb.ArrowUp, 5), heard{1, false, "false", "100 %"}},
				{kb.ArrowDown, heard{0.9, false, "false", "90 %"}},
			} {
				p.Press(press.keys)
				hears(press.then)
			}
			load(p, w.url)
			p.Until(`window.danmu.medium.volume === 0.9`)
			p.Do(`localStorage.setItem("plaza.danmu.volume", '{"level":"loud"}')`)
			load(p, w.url)
			p.Until(`window.danmu.medium.volume === 1`)
		},
		// A video without sound, and a clock, have no volume.
		"what is silent has no volume": func(t *testing.T, b browsertest.Browser) {
			p := atRest(t, b, newWorld(t))
			require.True(t, browsertest.Eval[bool](p, `document.getElementById("mute").disabled && document.getElementById("volume").hidden`))
			p.Press("m" + kb.ArrowDown)
			require.Equal(t, 1.0, browsertest.Eval[float64](p, `window.danmu.medium.volume`))

			shown := Hills()
			shown.Src = ""
			p = open(t, b, newWorldOf(t, &Options{Videos: []Video{shown}}))
			for _, id := range []string{"mute", "volume", "pip"} {
				require.True(t, browsertest.Eval[bool](p, fmt.Sprintf(`document.getElementById(%q).hidden`, id)), id)
			}
			p.Click("h1")
			p.Press("m" + kb.ArrowDown + kb.ArrowUp + "5k")
			p.Until(`window.danmu.medium.paused && window.danmu.medium.currentTime >= 30`)
		},
		// The law that no two touch holds for those that stand, too.
		"danmu stand where less motion is wanted": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			importAll(t, w, 300, func(i int) danmu.Comment {
				return danmu.Comment{
					Text:     strings.Repeat(fmt.Sprint("danmu ", i, " "), 1+i%9),
					Progress: time.Duration(i*100) * time.Millisecond,
					Mode:     modes[i%4],
				}
			})
			p := b.Window(t)
			p.Calm()
			load(p, w.url)
			seek(p, 10)
			p.Do(`window.danmu.medium.playbackRate = 0.3`) // so that a late frame does not look like a seek
			p.Until(`window.danmu.onScreen().length > 5`)
			seen := browsertest.Eval[struct{ Pairs, Boxes, Moved, Outside int }](p, `(async () => {
				const seen = { pairs: 0, boxes: 0, moved: 0, outside: 0 }, places = new Map();
				await `+frames(60, `
					const boxes = window.danmu.onScreen();
					seen.boxes += boxes.length;
					seen.pairs += `+touching+`(boxes);
					for (const { id, left, top, width } of boxes) {
						const place = left + "," + top;
						if ((places.get(id) ?? place) !== place) seen.moved++;
						places.set(id, place);
						if (left < 0 || left + width > document.getElementById("stage").clientWidth) seen.outside++;
					}`)+`;
				return seen;
			})()`)
			require.Greater(t, seen.Boxes, 60*5)
			require.Zero(t, seen.Pairs)
			require.Zero(t, seen.Moved, "%v", seen)
			require.Zero(t, seen.Outside, "it has both ends on the stage")
		},
		"the strip says when and how many": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t, said{"a", "elsewhere", 10.3})
			for i := range 5 {
				say(t, w, fmt.Sprint("u", i), "peak", 30.1)
			}
			p := atRest(t, b, w)
			reads(p, "peak", "Most danmu 0:30")
			p.Do(`{
				const seek = document.getElementById("seek"), { left, width } = seek.getBoundingClientRect();
				seek.dispatchEvent(new PointerEvent("pointermove", { clientX: left + 7 + (width - 14) * 0.1725 }));
			}`)
			p.Until(`!document.getElementById("tip").hidden && document.getElementById("tip").textContent === "0:10 · 1 danmu"`)
			p.Do(`document.getElementById("seek").dispatchEvent(new PointerEvent("pointerleave"))`)
			require.True(t, browsertest.Eval[bool](p, `document.getElementById("tip").hidden`))
			p.Click("#peak")
			p.Until(`window.danmu.medium.currentTime === 30`)
			p.Press("\t") // to the progress
			p.Until(`document.activeElement.id === "seek" && document.getElementById("tip").textContent === "0:30 · 5 danmu"`)
			require.Equal(t, "0:30 of 1:00", browsertest.Eval[string](p, `document.activeElement.ariaValueText`))
			p.Press(kb.ArrowRight)
			p.Until(`document.activeElement.ariaValueText === "0:35 of 1:00" && document.getElementById("tip").textContent === "0:35 · 0 danmu"`)
		},
		"the box counts as the service does, and has any colour": sendBox,
	}
}

// atRest opens the page with a video that is paused at its beginning.
func atRest(t *testing.T, b browsertest.Browser, w world) browsertest.Window {
	t.Helper()
	p := still(t, b, w, 0)
	p.Click("h1") // keys go to a window that has the focus
	return p
}

// tone is a WAV file of a low sound.
func tone(seconds int) []byte {
	const rate = 8000
	samples := make([]byte, seconds*rate)
	for i := range samples {
		samples[i] = byte(128 + 20*math.Sin(float64(i)/20))
	}
	var file bytes.Buffer
	size := uint32(len(samples))
	for _, part := range []any{
		[]byte("RIFF"), 36 + size, []byte("WAVEfmt "), uint32(16), uint16(1), uint16(1),
		uint32(rate), uint32(rate), uint16(1), uint16(8), []byte("data"), size, samples,
	} {
		_ = binary.Write(&file, binary.LittleEndian, part)
	}
	return file.Bytes()
}
