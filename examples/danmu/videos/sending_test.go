package videos

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

func sendBox(t *testing.T, b browsertest.Browser) {
	w := newWorld(t)
	p := atRest(t, b, w)
	const letters = `document.getElementById("letters")`
	type counted struct{ Letters, Class, Left, Invalid string }
	for _, c := range []struct {
		text string
		counted
	}{
		{"", counted{"", "letters", "", "false"}},
		{"🎉", counted{"1/100", "letters", "", "false"}},
		{strings.Repeat("🎉", 80), counted{"80/100", "letters near", "20 characters left", "false"}},
		{strings.Repeat("弹", 100), counted{"100/100", "letters near", "0 characters left", "false"}},
		{strings.Repeat("🎉", 103), counted{"103/100", "letters over", "3 too many", "true"}},
		{strings.Repeat("🎉", 101), counted{"101/100", "letters over", "1 too many", "true"}},
	} {
		p.Choose("#text", c.text)
		require.Equal(t, c.counted, browsertest.Eval[counted](p, `({ letters: `+letters+`.textContent, class: `+letters+`.className, left: document.getElementById("left").textContent, invalid: document.getElementById("text").ariaInvalid })`), c.text)
	}

	p.Click("#send .primary")
	p.Until(textOf("refusal") + `.includes("101")`)
	again := strings.Repeat("🎉", 100)
	p.Choose("#text", again)

	p.Click("#style")
	p.Until(`document.getElementById("style").ariaExpanded === "true" && document.querySelector("#preview canvas")`)
	p.Choose("#free", "#12ab9f")
	p.Click("#send .primary")
	shows(p, again)
	stored := w.stored(t)
	require.Equal(t, []string{again}, texts(stored))
	require.Equal(t, "#12ab9f", stored[0].Content.Color)
	p.Do(`document.getElementById("free").focus()`)
	p.Press(kb.Escape)
	p.Until(`document.getElementById("look").hidden && document.activeElement.id === "style"`)

	load(p, w.url)
	p.Until(`document.getElementById("own").checked && document.getElementById("free").value === "#12ab9f"`)
	p.Do(`localStorage.setItem("plaza.danmu.look", '{"color":"red;x","size":{},"position":9}')`)
	load(p, w.url)
	p.Until(`document.querySelector("[name=color]").checked`)
	write(p, "usual")
	shows(p, "usual")
	looks := map[string]style{}
	for _, m := range w.stored(t) {
		looks[m.Content.Text] = m.Content.style
	}
	require.Equal(t, style{Color: "#ffffff", Size: "25px"}, looks["usual"])
}
