package videos

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

func sendBox(t *testing.T, b browsertest.Browser) {
	w := newWorld(t, Hills())
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
		{"again", counted{"5/100", "letters", "", "false"}},
	} {
		p.Choose("#text", c.text)
		require.Equal(t, c.counted, browsertest.Eval[counted](p, `({ letters: `+letters+`.textContent, class: `+letters+`.className, left: document.getElementById("left").textContent, invalid: document.getElementById("text").ariaInvalid })`), c.text)
	}

	p.Click("#style")
	p.Until(`document.getElementById("style").ariaExpanded === "true" && document.querySelector("#preview canvas")`)
	p.Choose("#free", "#12ab9f")
	p.Click("#send .primary")
	p.Until(count("again") + ` === 1`)
	require.Equal(t, "#12ab9f", call[list](t, w, "GET", "/danmu/pull/1", "").Data[0].Content.Color)
	p.Do(`document.getElementById("free").focus()`)
	p.Press(kb.Escape)
	p.Until(`document.getElementById("look").hidden && document.activeElement.id === "style"`)

	p.Open(w.url)
	p.Until(`window.danmu && document.getElementById("own").checked && document.getElementById("free").value === "#12ab9f"`)
	p.Do(`localStorage.setItem("plaza.danmu.look", '{"color":"red;x","size":{},"position":9}')`)
	p.Open(w.url)
	p.Until(`window.danmu && document.querySelector("[name=color]").checked`)
	p.Type("#text", "usual")
	p.Click("#send .primary")
	p.Until(count("usual") + ` === 1`)
	for _, m := range call[list](t, w, "GET", "/danmu/pull/1", "").Data {
		if m.Content.Text == "usual" {
			require.Equal(t, style{Color: "#ffffff", Size: "25px"}, m.Content.style)
		}
	}
}
