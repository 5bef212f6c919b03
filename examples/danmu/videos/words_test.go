package videos

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

func wordTests() pages {
	return pages{
		"in Chinese nothing is English":   chinesePage,
		"the viewer chooses the language": chosenLanguage,
		"refusals have Chinese reasons":   chineseRefusals,
	}
}

// openChinese opens the page in Chinese, in which Latin words are noted.
func openChinese(t *testing.T, b browsertest.Browser, w world, tolerated ...string) (p browsertest.Window, latin string) {
	t.Helper()
	p = b.Window(t, tolerated...)
	p.Open(w.url + "/no-artplayer.html") // where nothing plays
	p.Do(`localStorage.setItem("plaza.language", "zh")`)
	p.Open(w.url + "/?user=ann")
	p.Until(`window.danmu && document.getElementById("present").textContent`)
	// Of danmu, titles, names and the language to change to, letters are theirs.
	latin = browsertest.Latin(p, "title, #videos, #language, kbd, .text, [lang=en]", "Plaza", "ann", "eve", "funny")
	return p, latin
}

// chinesePage does everything once.
func chinesePage(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	say(t, w, "eve", "一个笑话", 20)
	p, latin := openChinese(t, b, w)
	browsertest.CheckWords(t, p, static)
	require.Equal(t, "zh-CN", browsertest.Eval[string](p, `document.documentElement.lang`))
	require.Equal(t, "发送", browsertest.Eval[string](p, `document.querySelector("#send .primary").textContent`))
	p.Do(`window.danmu.medium.pause()`)
	seek(p, 21)
	p.Until(count("一个笑话") + ` === 1`)

	p.Click("#style")
	p.Type("#text", strings.Repeat("好", 101))
	p.Press(kb.Enter)
	p.Until(`document.getElementById("refusal").textContent === "共 101 个字，最多 100 个字。"`)
	p.Choose("#text", "第一条")
	p.Click("#send .primary")
	p.Until(`document.getElementById("notice").textContent === "已发送"`)
	tab(p, "mine")
	p.Until(`document.querySelector("#mine .undo").textContent === "撤回"`)
	tab(p, "all")
	p.Until(`document.getElementById("all-listed").textContent === "2 条弹幕"`)
	p.Type("#all-find", "无")
	p.Until(`document.getElementById("all-none").textContent === "没有包含这些文字的弹幕。"`)

	holdUp(p, "一个笑话")
	p.Click("#touched .like")
	likesAre(p, "1", true)
	p.Click("#touched .report")
	p.Visible("#touched .yes")
	p.Click("#touched .no")
	p.Click("#touched .hide")
	p.Until(`document.getElementById("notice").textContent === "已屏蔽 eve 的弹幕。"`)
	tab(p, "display")
	for kind, rule := range map[string]string{"patterns": "(", "words": "funny", "users": "eve"} {
		p.Choose("#kind", kind)
		p.Choose("#word", rule)
		p.Click("#filter button")
	}
	for _, id := range []string{"clear", "theatre", "mute", "theme", "visible", "play"} {
		p.Do(fmt.Sprintf(`document.getElementById(%q).click()`, id))
	}
	p.Press("?")
	p.Until(`document.getElementById("keys").open`)
	require.Empty(t, browsertest.Eval[[]string](p, latin))
	require.Regexp(t, ` · Plaza$`, browsertest.Eval[string](p, `document.title`))
}

func chosenLanguage(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
	p := open(t, b, w)
	require.Equal(t, "en", browsertest.Eval[string](p, `document.documentElement.lang`))
	p.Click("#language")
	p.Visible("#language[lang=en]")
	p.Open(w.url)
	p.Until(`document.querySelector("#send .primary").textContent === "发送" && window.danmu`)
	p.Click("#language")
	p.Visible("#language[lang=zh]")
	p.Until(`document.querySelector("#send .primary").textContent === "Send" && window.danmu`)
	p.Do(`localStorage.setItem("plaza.language", "toString")`)
	p.Open(w.url)
	p.Until(`document.querySelector("#send .primary").textContent === "Send"`)
}

func chineseRefusals(t *testing.T, b browsertest.Browser) {
	w := newWorldOf(t, &Options{Videos: []Video{Hills()}, Known: func(user string) bool { return user != "ann" }})
	p, latin := openChinese(t, b, w, "status of", "ERR_")
	p.Type("#text", "你好")
	p.Click("#send .primary")
	p.Until(`document.getElementById("refusal").textContent === "这里没有这个用户。"`)
	p.Do(`import("./api.js").then((api) => api.segment("1", -1, 0)).catch((e) => { document.getElementById("refusal").textContent = e.message; })`)
	p.Until(fmt.Sprintf(`document.getElementById("refusal").textContent === "请求被拒绝（%d）"`, http.StatusBadRequest))
	w.service.requests = frozen(0)
	p.Do(`import("./api.js").then((api) => api.videos()).catch((e) => { document.getElementById("refusal").textContent = e.message; })`)
	p.Until(`document.getElementById("refusal").textContent === "操作太频繁，请稍后再试。"`)
	w.server.CloseClientConnections()
	w.server.Listener.Close()
	p.Until(`document.getElementById("connection").textContent`)
	require.Empty(t, browsertest.Eval[[]string](p, latin))
}
