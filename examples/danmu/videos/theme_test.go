package videos

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

func lookTests() pages {
	return pages{
		"the theme is the system's or the viewer's": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			p := open(t, b, w)
			const back = `getComputedStyle(document.body).backgroundColor`
			light := browsertest.Eval[string](p, back)
			p.Dark()
			p.Until(back + ` !== ` + fmt.Sprintf("%q", light))
			dark := browsertest.Eval[string](p, back)
			for _, c := range []struct{ label, back string }{
				{"Theme: light. Change to dark", light},
				{"Theme: dark. Change to system", dark},
				{"Theme: system. Change to light", dark},
				{"Theme: light. Change to dark", light},
			} {
				p.Click("#theme")
				require.Equal(t, c.label, browsertest.Eval[string](p, `document.getElementById("theme").ariaLabel`))
				require.Equal(t, c.back, browsertest.Eval[string](p, back))
			}

			// The first paint has the choice: the script of the head runs before the body is there.
			load(p, w.url)
			require.Equal(t, light, browsertest.Eval[string](p, back))
			index, err := static.ReadFile("static/index.html")
			require.NoError(t, err)
			require.Contains(t, string(index), "<script src=\"theme.js\"></script>\n<link rel=\"stylesheet\"")
			p.Do(`localStorage.setItem("plaza.theme", "<damaged>")`)
			p.Open(w.url)
			p.Until(`window.danmu && document.documentElement.dataset.theme === "system"`)
		},
		// On every width the stage is in the window, nothing is wider than the page, and the
		// choice of a look covers no button.
		"every width has its layout": func(t *testing.T, b browsertest.Browser) {
			p := open(t, b, newWorldOf(t, nil)) // with two videos
			p.Click("#style")
			type place struct{ Left, Top, Right, Bottom float64 }
			rect := func(selector string) place {
				return browsertest.Eval[place](p, fmt.Sprintf(`(({ left, top, right, bottom }) => ({ left, top, right, bottom }))(document.querySelector(%q).getBoundingClientRect())`, selector))
			}
			for _, size := range [][2]int64{{390, 844}, {844, 390}, {768, 1024}, {1440, 900}, {1920, 1080}, {2560, 1440}, {3440, 1440}, {1280, 420}} {
				width, height := size[0], size[1]
				p.Size(width, height)
				p.Until(fmt.Sprintf(`innerWidth === %d`, width))
				require.Equal(t, width, browsertest.Eval[int64](p, `document.documentElement.scrollWidth`), size)
				picture, side, player := rect(".picture"), rect("#side"), rect("#player")
				require.LessOrEqual(t, picture.Bottom-picture.Top, float64(height), size)
				if width > 920 {
					require.GreaterOrEqual(t, side.Right-side.Left, 300.0, size)
					require.LessOrEqual(t, side.Right-side.Left, 460.0, size)
					require.GreaterOrEqual(t, side.Left, player.Right, size)
				}
				look := rect("#look")
				for _, button := range []string{"#play", "#full", "#text", "#send .primary", "#seek", ".me"} {
					r := rect(button)
					require.True(t, r.Bottom <= look.Top || r.Top >= look.Bottom, "%v %s", size, button)
					require.True(t, r.Left >= 0 && r.Right <= float64(width), "%v %s", size, button)
					require.True(t, browsertest.Eval[bool](p, fmt.Sprintf(`(() => {
						const e = document.querySelector(%q);
						e.scrollIntoView({ block: "center" });
						const { left, top, width, height } = e.getBoundingClientRect();
						return e.contains(document.elementFromPoint(left + width / 2, top + height / 2));
					})()`, button)), "%v %s", size, button)
				}
				p.Do(`scrollTo(0, 0)`)
			}
		},
	}
}
