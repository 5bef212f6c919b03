package mail_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/digest/mail"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

// faint lists the texts whose contrast to what is behind them is under 4.5 to 1, which is
// level AA of WCAG 2.2.
const faint = `(() => {
	const light = (color) => {
		const [x, y, z] = color.match(/[\d.]+/g).map(Number).map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
		return 0.2126 * x + 0.7152 * y + 0.0722 * z;
	};
	const behind = (e) => {
		const back = getComputedStyle(e).backgroundColor;
		return back === "rgba(0, 0, 0, 0)" ? behind(e.parentElement) : back;
	};
	return [...document.querySelectorAll("h1, li, a")].filter((e) => {
		const [one, two] = [light(getComputedStyle(e).color), light(behind(e))];
		return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05) < 4.5;
	}).map((e) => e.textContent);
})()`

func TestTheHTMLPartIsLegibleOnAnyScreen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, nil)
	w.letter.Lines = append(w.letter.Lines,
		mail.Line{Text: "عائشة علقت على صورتك", Link: "https://plaza.test/pictures/11"},
		mail.Line{Text: "<script>document.title = 'owned'</script> " + strings.Repeat("long", 100)},
		mail.Line{Text: "小林 和另外 2 人赞了你的照片 🐦", Link: "javascript:document.title='owned'"},
	)
	m := w.sent(t, today)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, m.html)
	}))
	t.Cleanup(page.Close)
	p := browsertest.New(t).Window(t)
	for _, dark := range []bool{false, true} {
		if dark {
			p.Dark()
		}
		p.Open(page.URL)
		require.Equal(t, dark, browsertest.Eval[string](p, `getComputedStyle(document.body).backgroundColor`) == "rgb(24, 24, 27)")
		for _, width := range []int64{1280, 320} {
			p.Size(width, 740)
			require.Empty(t, browsertest.Eval[[]string](p, faint))
			require.LessOrEqual(t, browsertest.Eval[int64](p, `document.documentElement.scrollWidth`), width, "nothing is wider than the page")
		}
		require.Equal(t, "2 things happened", browsertest.Eval[string](p, `document.title`))
		require.Equal(t, []string{"https://plaza.test/pictures/10", "https://plaza.test/pictures/11", "https://plaza.test/unsubscribe/t0ken"},
			browsertest.Eval[[]string](p, `[...document.links].map((a) => a.href)`))
		require.Equal(t, "rtl", browsertest.Eval[string](p, `getComputedStyle(document.querySelectorAll("li")[2]).direction`))
	}
}
