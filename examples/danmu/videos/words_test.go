package videos

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

func wordTests() pages {
	return pages{
		// chinesePage does everything once.
		"in Chinese nothing is English": func(t *testing.T, b browsertest.Browser) {
			p, latin := openChinese(t, b, newWorld(t, said{"eve", "一个笑话", 20}))
			browsertest.CheckWords(t, p, static)
			require.Equal(t, "zh-CN", browsertest.Eval[string](p, `document.documentElement.lang`))
			require.Equal(t, "发送", browsertest.Eval[string](p, `document.querySelector("#send .primary").textContent`))
			stop(p, 21)
			shows(p, "一个笑话")

			p.Click("#style")
			write(p, strings.Repeat("好", 101))
			reads(p, "refusal", "共 101 个字，最多 100 个字。")
			p.Choose("#text", "第一条")
			p.Click("#send .primary")
			reads(p, "notice", "已发送")
			tab(p, "mine")
			p.Until(`document.querySelector("#mine .undo").textContent === "撤回"`)
			tab(p, "all")
			reads(p, "all-listed", "2 条弹幕")
			p.Type("#all-find", "无")
			reads(p, "all-none", "没有包含这些文字的弹幕。")

			holdUp(p, "一个笑话")
			p.Click("#touched .like")
			likesAre(p, "1", true)
			p.Click("#touched .report")
			p.Visible("#touched .yes")
			p.Click("#touched .no")
			p.Click("#touched .hide")
			reads(p, "notice", "已屏蔽 eve 的弹幕。")
			for kind, rule := range map[string]string{"patterns": "(", "words": "funny", "users": "eve"} {
				p.Choose("#word", "")
				block(p, kind, rule)
			}
			for _, id := range []string{"clear", "theatre", "mute", "theme", "visible", "play"} {
				p.Do(fmt.Sprintf(`document.getElementById(%q).click()`, id))
			}
			p.Do(`document.activeElement.blur()`)
			p.Press("?")
			p.Until(`document.getElementById("keys").open`)
			require.Empty(t, browsertest.Eval[[]string](p, latin))
			require.Regexp(t, ` · Plaza$`, browsertest.Eval[string](p, `document.title`))
		},
		"the viewer chooses the language": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			p := open(t, b, w)
			require.Equal(t, "en", browsertest.Eval[string](p, `document.documentElement.lang`))
			const sends = `document.querySelector("#send .primary").textContent`
			p.Click("#language")
			p.Visible("#language[lang=en]")
			load(p, w.url)
			p.Until(sends + ` === "发送"`)
			p.Click("#language")
			p.Visible("#language[lang=zh]")
			p.Until(sends + ` === "Send" && window.danmu`)
			p.Do(`localStorage.setItem("plaza.language", "toString")`)
			load(p, w.url)
			p.Until(sends + ` === "Send"`)
		},
		"refusals have Chinese reasons": func(t *testing.T, b browsertest.Browser) {
			w := newWorldOf(t, &Options{Videos: []Video{Hills()}, Known: func(user string) bool { return user != "ann" }})
			p, latin := openChinese(t, b, w, "status of", "ERR_")
			write(p, "你好")
			reads(p, "refusal", "这里没有这个用户。")
			p.Do(`import("./api.js").then((api) => api.segment("1", -1, 0)).catch((e) => { document.getElementById("refusal").textContent = e.message; })`)
			reads(p, "refusal", "请求被拒绝（400）")
			w.service.requests = frozen(0)
			p.Do(`import("./api.js").then((api) => api.videos()).catch((e) => { document.getElementById("refusal").textContent = e.message; })`)
			reads(p, "refusal", "操作太频繁，请稍后再试。")
			w.server.CloseClientConnections()
			w.server.Listener.Close()
			p.Until(textOf("connection"))
			require.Empty(t, browsertest.Eval[[]string](p, latin))
		},
	}
}

// openChinese opens the page in Chinese, in which Latin words are noted.
func openChinese(t *testing.T, b browsertest.Browser, w world, tolerated ...string) (p browsertest.Window, latin string) {
	t.Helper()
	p = b.Window(t, tolerated...)
	p.OpenAfter(`localStorage.setItem("plaza.language", "zh")`, w.url+"/?user=ann")
	p.Until(`window.danmu && document.getElementById("present").textContent`)
	// Of danmu, titles, names and the language to change to, letters are theirs.
	latin = browsertest.Latin(p, "title, #videos, #language, kbd, .text, [lang=en]", "Plaza", "ann", "eve", "funny")
	return p, latin
}
