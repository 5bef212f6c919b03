package videos

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

func blockTests() pages {
	return pages{
		"senders, modes, colours and expressions are blocked": func(t *testing.T, b browsertest.Browser) {
			const quoted = `<b>"eve" & 'co'`
			w := newWorld(t, said{quoted, "of eve", 20}, said{"c", "Ends with 2333", 20})
			styled(t, w, "scrolls", "", 0)
			styled(t, w, "stands on top", "", 1)
			styled(t, w, "stands below", "#FFFFFF", 2)
			styled(t, w, "goes back", "white", 3)
			styled(t, w, "is red", "#ff0000", 0)
			p := still(t, b, w, 21)
			tab(p, "display")
			p.Until(`window.danmu.onScreen().length === 7`)
			for mode, gone := range map[string]string{"top": "stands on top", "bottom": "stands below", "reverse": "goes back", "colored": "is red"} {
				selector := fmt.Sprintf(`#modes [data-mode=%s]`, mode)
				p.Click(selector)
				p.Until(count(gone) + ` === 0 && window.danmu.onScreen().length === 6`)
				p.Until(fmt.Sprintf(`document.querySelector(%q).getAttribute("aria-pressed") === "true"`, selector))
				p.Click(selector)
				p.Until(`window.danmu.onScreen().length === 7`)
			}
			p.Click(`#modes [data-mode=scroll]`)
			p.Until(`window.danmu.onScreen().length === 3`)
			p.Click(`#modes [data-mode=scroll]`)

			block(p, "users", quoted)
			hides(p, "of eve")
			say(t, w, quoted, "eve again", 20)
			block(p, "patterns", `^ends.*\d{3}$`)
			hides(p, "Ends with 2333")
			say(t, w, "d", "ends 666", 20)
			say(t, w, "d", "is the last", 20)
			shows(p, "is the last")
			require.Zero(t, browsertest.Eval[int](p, count("eve again")+"+"+count("ends 666")), "live ones neither")
			reads(p, "blocked", "2")

			block(p, "patterns", "(")
			p.Until(textOf("block-note") + `.includes("regular expression")`)
			require.Equal(t, "(", browsertest.Eval[string](p, `document.getElementById("word").value`), "to be mended")

			p.Do(`document.querySelector("#words button").focus()`)
			p.Press(kb.Enter)
			p.Until(`document.activeElement.closest("#words li") !== null`)
			p.Press(kb.Enter)
			p.Until(`document.activeElement.id === "word" && window.danmu.onScreen().length === 10`)

			p.Choose("#word", "")
			block(p, "words", "mine")
			write(p, "Mine is blocked")
			p.Until(textOf("refusal") + `.includes("you block it")`)
			require.Zero(t, browsertest.Eval[int](p, count("Mine is blocked")))
		},
		"an expression that takes years does not stop a page": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			p := still(t, b, w, 21)
			for _, pattern := range []string{"^spoil", endless, "er$"} {
				block(p, "patterns", pattern)
			}
			for _, text := range []string{trap, "spoils it", "a spoiler", "is fine"} {
				say(t, w, "a", text, 20)
			}
			p.Until(`document.querySelector("#words li.slow .rule")?.textContent === "` + endless + `"`)
			p.Until(count("is fine") + ` === 1 && ` + count(trap) + ` === 1`)
			require.Equal(t, 2, browsertest.Eval[int](p, `window.danmu.onScreen().length`), "the others still block")
			load(p, w.url)
			p.Until(`document.querySelectorAll("#words li.slow").length === 1`)
			stop(p, 21)
			p.Until(count("is fine") + ` === 1 && window.danmu.onScreen().length === 2`)
		},
		"many of them do not either": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			for i := range 20 {
				say(t, w, fmt.Sprint("u", i), fmt.Sprint(trap, i), 20)
			}
			p := still(t, b, w, 21)
			tab(p, "display")
			var patterns []string
			for i := range 500 {
				patterns = append(patterns, fmt.Sprintf("(a+){%d,}b", i+1), fmt.Sprintf("(x|aa?)+%d?$", i))
			}
			choose(t, p, "evil.json", map[string]any{"format": "plaza-danmu-blocks", "version": 1, "patterns": patterns})
			p.Until(`document.querySelectorAll("#words li").length === 500`)
			wait(p, 30) // frames go on
			p.Until(note + `.includes("are off") && window.danmu.onScreen().length > 5`)
			p.Click("#clear")
			p.Click("#clear")
			p.Until(`document.querySelectorAll("#words li").length === 0`)
		},
		"lists are read and written": func(t *testing.T, b browsertest.Browser) {
			p := open(t, b, newWorld(t))
			tab(p, "display")
			choose(t, p, "bilibili.json", `[{"type":0,"filter":"剧透","opened":true,"id":1},{"type":1,"filter":"/^哈+$/","opened":true,"id":2},
				{"type":2,"filter":"bc28c067","opened":true,"id":3},{"type":0,"filter":"off","opened":false,"id":4},{"type":1,"filter":"(","opened":true,"id":5},{"type":9,"filter":"x"},null,7]`)
			require.Equal(t, "w=剧透\np=^哈+$\nu=bc28c067", browsertest.Eval[string](p, rules))
			require.Equal(t, "3 rules were added · 1 is switched off in the file · 1 left out: no regular expressions · 3 left out: of an unknown kind.", browsertest.Eval[string](p, note))

			choose(t, p, "tv.bilibili.player.xml", "\ufeff<?xml version=\"1.0\"?>\n"+`<filters><item enabled="true">t=剧透</item><item enabled="true">t=a=b &amp; &lt;i&gt;</item><item enabled="true">r=\d{5}</item><item enabled="true">u=eve</item><item enabled="false">t=off</item><item enabled="true">c=16711680</item></filters>`)
			require.Equal(t, "3 rules were added · 1 was there already · 1 is switched off in the file · 1 left out: of an unknown kind.", browsertest.Eval[string](p, note))

			p.Click(`#modes [data-mode=top]`)
			p.Click(`#modes [data-mode=colored]`)
			text := browsertest.Eval[string](p, `(async () => {
				const { createObjectURL } = URL, { click } = HTMLAnchorElement.prototype;
				let written, name;
				URL.createObjectURL = (blob) => { written = blob; return "blob:"; };
				HTMLAnchorElement.prototype.click = function () { name = this.download; };
				document.getElementById("export").click();
				Object.assign(URL, { createObjectURL });
				HTMLAnchorElement.prototype.click = click;
				return name === "danmu-blocks.json" ? written.text() : name;
			})()`)
			before := browsertest.Eval[string](p, rules)
			p.Click("#clear")
			p.Click("#clear")
			require.Empty(t, browsertest.Eval[string](p, rules))
			choose(t, p, "ours.json", text)
			require.Equal(t, "8 rules were added.", browsertest.Eval[string](p, note))
			require.ElementsMatch(t, strings.Split(before, "\n"), strings.Split(browsertest.Eval[string](p, rules), "\n"))
			require.Equal(t, "top colored", browsertest.Eval[string](p, `[...document.querySelectorAll("#modes [aria-pressed=true]")].map((b) => b.dataset.mode).join(" ")`))

			for name, text := range map[string]string{
				"damaged":           `{"format":"plaza-danmu-blocks"`,
				"another":           `{"words":["x"]}`,
				"null":              `null`,
				"empty":             ``,
				"of danmu":          `<i><d p="1">x</d></i>`,
				"open":              `<filters><item>t=x`,
				"of entities":       `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>`,
				"of another kind":   "\x89PNG\r\n",
				"of a newer player": `{"format":"plaza-danmu-blocks","version":2,"words":["x"]}`,
			} {
				choose(t, p, name, text)
				require.Contains(t, browsertest.Eval[string](p, note), "lock list", name)
				require.Equal(t, "6", browsertest.Eval[string](p, textOf("blocked")), name)
			}
			choose(t, p, "strange.json", `{"format":"plaza-danmu-blocks","version":1,"words":"abc","patterns":{"length":5},"users":[null,"  ",{"a":1}],"modes":["__proto__"],"colored":"yes"}`)
			require.Equal(t, "0 rules were added · 3 left out: empty · 1 left out: unknown.", browsertest.Eval[string](p, note))
		},
		"a list of 100,000 is bounded": func(t *testing.T, b browsertest.Browser) {
			p := still(t, b, newWorld(t, said{"a", "word 7", 20}, said{"a", "is fine", 20}), 21)
			tab(p, "display")
			entries := make([]map[string]any, 100_000)
			for i := range entries {
				entries[i] = map[string]any{"type": 0, "filter": fmt.Sprint("word ", i)}
			}
			choose(t, p, "huge.json", entries)
			require.Equal(t, "500 rules were added · 99500 left out: more than 500 words.", browsertest.Eval[string](p, note))
			p.Until(count("word 7") + ` === 0 && ` + count("is fine") + ` === 1`)
			block(p, "words", "x")
			p.Until(note + `.includes("more than 500 words") && !` + note + `.includes("99500")`)
			choose(t, p, "long.json", []map[string]any{{"type": 2, "filter": strings.Repeat("x", 201)}, {"type": 2, "filter": strings.Repeat("🎉", 200)}})
			require.Equal(t, "1 rule was added · 1 left out: longer than 200 characters.", browsertest.Eval[string](p, note))
			choose(t, p, "large.json", "["+strings.Repeat(" ", 5<<20)+"]")
			require.Contains(t, browsertest.Eval[string](p, note), "4 MB")
		},
		"another tab's blocks hold here too": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t, said{"a", "a spoiler", 20})
			one := open(t, b, w)
			two := one.Tab(t)
			load(two, w.url)
			stop(two, 21)
			shows(two, "a spoiler")
			one.Choose("#word", "spoil")
			one.Do(`document.querySelector("#filter button").click()`)
			hides(two, "a spoiler")
			two.Until(`document.querySelectorAll("#words li").length === 1`)
		},
	}
}

// styled sends a danmu at second 20.
func styled(t *testing.T, w world, text, color string, position danmu.Mode) {
	t.Helper()
	moment := 20.0
	body, err := json.Marshal(submission{ObjectID: "1", UserID: text, Content: content{Text: text, style: style{Color: color}, Position: position, Time: &moment}})
	require.NoError(t, err)
	call[message](t, w, "POST", "/danmu/send", string(body))
}

// Against some texts these take longer than the universe is old.
const endless = "(a+)+$"

var trap = strings.Repeat("a", 60) + "!"

// choose imports a file, of JSON if content is not a text.
func choose(t *testing.T, p browsertest.Window, name string, content any) {
	t.Helper()
	text, ok := content.(string)
	if !ok {
		encoded, err := json.Marshal(content)
		require.NoError(t, err)
		text = string(encoded)
	}
	p.Do(fmt.Sprintf(`{
		const files = new DataTransfer(), input = document.getElementById("import-file");
		files.items.add(new File([%q], %q));
		document.getElementById("block-note").textContent = "";
		input.files = files.files;
		input.dispatchEvent(new Event("change"));
	}`, text, name))
	p.Until(note + ` !== ""`)
}

var note = textOf("block-note")

const rules = `[...document.querySelectorAll("#words li")].map((li) => li.dataset.kind[0] + "=" + li.dataset.rule).join("\n")`
