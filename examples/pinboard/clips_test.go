package main

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/examples/internal/axe"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

// clipPages are the tests of the page of a clip.
func clipPages() pages {
	return pages{
		"a clip has the drawer, whose lost answers double nothing": clipDrawer,
		"a clip has the language of Pinboard":                      clipLanguage,
		"a clip with the drawer is accessible":                     clipAccess,
	}
}

// flies sends a danmu at the beginning of a clip and returns its id.
func (c caller) flies(text string) string {
	c.t.Helper()
	return call[struct {
		ID string `json:"id"`
	}](c, http.MethodPost, watching+"/danmu/send", danmuOf(c.id, text)).ID
}

func danmuOf(user, text string) any {
	return map[string]any{"objectId": "hills", "userId": user, "key": text, "content": map[string]any{"text": text, "time": 1}}
}

// danmu returns the danmu of the clip that viewers see.
func (w *world) danmu(t *testing.T) []danmu.Comment {
	t.Helper()
	repository, err := danmu.New(w.env.DB, w.env.Tables.Danmu, w.ids, nil)
	require.NoError(t, err)
	page, err := repository.ByObject(free(t.Context()), "hills", 0, cursor.PageRequest{})
	require.NoError(t, err)
	return page.Items
}

const clipPath = watching + "/?video=hills&back=/clips"

// toClip opens a clip as a person.
func (w *world) toClip(p browsertest.Window, person string) {
	openAs(p, w.server.URL, person, clipPath)
	p.Visible("#tools button")
	p.Until(`window.danmu && document.getElementById("present").textContent`)
	p.Do(`window.danmu.medium.pause()`)
}

// inDrawer is an expression for the elements of the drawer of a clip.
func inDrawer(selector string) string {
	return fmt.Sprintf(`[...document.getElementById("drawer").shadowRoot.querySelectorAll(%q)]`, selector)
}

func drawerSays(p browsertest.Window, selector, text string) {
	p.Until(fmt.Sprintf(`%s.some((e) => e.innerText.includes(%q))`, inDrawer(selector), text))
}

func clipDrawer(t *testing.T, w *world, b browsertest.Browser) {
	other := w.as(t, "ann").flies("a joke")
	p := b.Window(t, "ERR_")
	w.toClip(p, "eric")
	press(p, "#tools", "What clicks cost")
	drawerSays(p, ".clicks", "Open a clip")
	p.Do(inDrawer("header .button") + `[0].click()`)
	p.Until(inDrawer(".clicks .click") + `.length === 0`)
	p.Type("#text", "What a hill")
	p.Click("#send .primary")
	drawerSays(p, ".click", "Send a danmu")
	drawerSays(p, ".click tbody", "danmu/live.Hub.Send")
	clicks := w.costs.spentBy("eric", 0).Clicks
	i := slices.IndexFunc(clicks, func(c click) bool { return c.Route == "POST /watch/danmu/send" })
	require.Positive(t, clicks[i].Thousand)

	lose := func(route string, write func()) {
		t.Helper()
		p.Do(inDrawer(".switch") + `[0].click()`)
		write()
		for mark, text := range map[string]string{".was-lost": "Applied, answer lost", ".was-again": "Repeated: nothing doubled"} {
			p.Until(fmt.Sprintf(`%s.some((e) => e.innerText.includes(%q) && e.innerText.includes(%q))`, inDrawer(mark), route, text))
		}
	}
	lose("Send a danmu", func() {
		p.Type("#text", "once")
		p.Click("#send .primary")
	})
	all := w.danmu(t)
	require.Len(t, all, 3)
	p.Until(`document.querySelectorAll("#all-rows .line").length === 3 && document.getElementById("waiting").hidden`)
	lose("Like a danmu", func() {
		p.Do(`{ const more = [...document.querySelectorAll("#all-rows .line")].find((e) => e.innerText.includes("a joke")).querySelector(".acts button"); more.scrollIntoView({ block: "center" }); more.click(); }`)
		p.Click("#touched .like")
	})
	all = w.danmu(t)
	require.EqualValues(t, 1, all[slices.IndexFunc(all, func(c danmu.Comment) bool { return c.ID.String() == other })].Likes)
	p.Click("#tab-mine")
	lose("Recall a danmu", func() { p.Do(`document.querySelector("#mine .undo").click()`) })
	require.Len(t, w.danmu(t), 2)
	p.Until(`document.querySelectorAll("#mine li").length === 1`)
	require.Empty(t, browsertest.Eval[string](p, `document.getElementById("refusal").textContent`))
}

func clipLanguage(t *testing.T, w *world, b browsertest.Browser) {
	p := w.visit(t, b, "eric", "/clips")
	p.Do(`localStorage.setItem("plaza.language", "zh")`)
	w.toClip(p, "eric")
	latin := browsertest.Latin(p, "title, #videos, #language, kbd, .text, code, tbody th, [lang=en]", "Plaza", "eric", "RCU", "WCU", "US", "AWS", "DynamoDB", "us", "east")
	press(p, "#tools", "点击的成本")
	p.Type("#text", "你好")
	p.Click("#send .primary")
	drawerSays(p, ".click", "发送弹幕")
	require.Empty(t, browsertest.Eval[[]string](p, latin))
	press(p, "header", "English")
	p.Visible("#language[lang=zh]")
	p.Click("#back")
	p.Visible(".screen-clips .watch")
	says(p, "h1", "Clips")
	browsertest.CheckWords(t, p, static)
}

func clipAccess(t *testing.T, w *world, b browsertest.Browser) {
	w.as(t, "ann").flies("a joke")
	p := b.Window(t, "Applying inline style") // axe copies the sheets of shadow trees
	w.toClip(p, "eric")
	p.Calm()
	press(p, "#tools", "What clicks cost")
	drawerSays(p, ".clicks", "Open a clip")
	fits(t, p)
	axe.Check(t, p)
	p.Do(`document.documentElement.dataset.theme = "dark"`)
	axe.CheckColors(t, p)
}
