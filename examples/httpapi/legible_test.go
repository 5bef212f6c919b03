package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

// faint lists the texts whose contrast to what is behind them is under 4.5 to 1, which is
// level AA of WCAG 2.2.
const faint = `(() => {
	const rgba = (color) => { const [r, g, b, a = 1] = color.match(/[\d.]+/g).map(Number); return { r, g, b, a }; };
	const light = ({ r, g, b }) => {
		const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
		return 0.2126 * x + 0.7152 * y + 0.0722 * z;
	};
	const behind = (e) => {
		for (; e; e = e.parentElement) {
			const back = rgba(getComputedStyle(e).backgroundColor);
			if (back.a === 1) return back;
		}
		throw new Error("nothing is behind it");
	};
	const contrast = (color, e) => {
		const [one, two] = [light(rgba(color)), light(behind(e))];
		return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
	};
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), bad = [];
	let n = 0;
	while (walker.nextNode()) {
		const e = walker.currentNode.parentElement;
		if (!walker.currentNode.data.trim() || !e.checkVisibility() || e.closest("script")) continue;
		n++;
		const got = contrast(getComputedStyle(e).color, e);
		if (got < 4.5) bad.push(e.textContent.trim() + " " + got.toFixed(2));
	}
	for (const e of document.querySelectorAll("[placeholder]")) {
		if (!e.checkVisibility()) continue;
		const got = contrast(getComputedStyle(e, "::placeholder").color, e);
		if (got < 4.5) bad.push(e.placeholder + " " + got.toFixed(2));
	}
	return n < 20 ? ["only " + n + " texts"] : bad;
})()`

func legible(t *testing.T, b browsertest.Browser) {
	w := busy(t)
	w.announced(t, "Maintenance", "On Sunday")
	for _, dark := range []bool{false, true} {
		p := open(t, b, w, "bob")
		if dark {
			p.Dark()
		}
		ground := browsertest.Eval[string](p, `getComputedStyle(document.body).backgroundColor`)
		require.Equal(t, dark, ground == "rgb(15, 17, 23)", ground)
		p.Click("#bell")
		p.Until(rows + `.length === 4`)
		for _, view := range []string{"settings", "inbox"} {
			p.Click(`[data-view=` + view + `]`)
			p.Until(map[string]string{"settings": `document.querySelector("#settings td")`, "inbox": rows + `.length === 4`}[view])
			for _, width := range []int64{1280, 700, 360} {
				p.Size(width, 740)
				require.Empty(t, browsertest.Eval[[]string](p, faint), "%s, %d wide", view, width)
				require.LessOrEqual(t, browsertest.Eval[int64](p, `document.documentElement.scrollWidth`), width, "nothing is wider than the page")
				require.LessOrEqual(t, browsertest.Eval[int64](p, `document.getElementById("panel").scrollWidth`), width)
			}
		}
	}
}
