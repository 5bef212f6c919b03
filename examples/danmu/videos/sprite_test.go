package videos

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/examples/internal/browsertest"
)

func spriteTests() pages {
	return pages{
		"a comment is drawn whole": func(t *testing.T, b browsertest.Browser) {
			p := open(t, b, newWorld(t))
			const inked = `const { imageOf, sprite } = await import("/sprite.js");
				const inked = (text, options, size = "25px") => {
					const s = sprite({ content: { text, color: "#00ff00", size } }, { scale: 1, ratio: 1, ...options });
					const image = imageOf(s), { width, height } = image;
					const data = image.getContext("2d").getImageData(0, 0, width, height).data;
					let left = width, right = -1, red = 0, green = 0;
					for (let i = 0; i < data.length; i += 4) {
						if (data[i + 3] < 100) continue;
						const x = (i / 4) % width;
						left = Math.min(left, x);
						right = Math.max(right, x);
						if (data[i] > 200) red++;
						if (data[i + 1] > 200 && data[i] < 50) green++;
					}
					return { width: s.width, height: s.height, left, right, red, green, image: { width, height } };
				};`
			type ink struct {
				Width, Height, Left, Right, Red, Green int
				Image                                  struct{ Width, Height int }
			}
			one := browsertest.Eval[map[string]ink](p, `(async () => {`+inked+`
				return {
					fits: inked("弹幕", { fit: 500 }), smaller: inked("弹".repeat(40), { fit: 500 }),
					wrapped: inked("弹".repeat(200), { fit: 390 }), huge: inked("弹".repeat(200), { scale: 1.6, ratio: 3 }, "64px"),
					face: inked("😂😭", {}), digits: inked("0123456789", {}), star: inked("★♪", {}),
				};
			})()`)
			require.Less(t, one["fits"].Width, 100)
			for _, name := range []string{"smaller", "wrapped"} {
				require.LessOrEqual(t, one[name].Width, map[string]int{"smaller": 500, "wrapped": 390}[name])
				require.Positive(t, one[name].Left, "not cut")
				require.Less(t, one[name].Right, one[name].Width-1, "not cut")
			}
			require.Less(t, one["smaller"].Height, one["fits"].Height, "one line")
			require.Greater(t, one["wrapped"].Height, 3*12, "several lines of 12 px")

			huge := one["huge"]
			require.LessOrEqual(t, huge.Image.Width, 8192)
			require.Greater(t, huge.Width, 8192)
			require.InDelta(t, float64(huge.Image.Width)/float64(huge.Width), float64(huge.Image.Height)/float64(huge.Height), 0.02, "not stretched")
			require.Greater(t, huge.Right, huge.Image.Width*95/100)
			require.Less(t, huge.Right, huge.Image.Width-1)

			for _, text := range []string{"digits", "star"} {
				require.Zero(t, one[text].Red, "a text has the sender's")
				require.Positive(t, one[text].Green)
			}
			emoji := browsertest.Eval[bool](p, `document.fonts.load("20px Emoji", "😂").then((found) => found.length > 0, () => false)`)
			if !emoji && os.Getenv("CI") == "" {
				t.Skip("no font of emoji: apt-get install fonts-noto-color-emoji, or the like")
			}
			require.Positive(t, one["face"].Red, "an emoji has its own colours")
		},
		"a long danmu at the top is on the stage with both ends": func(t *testing.T, b browsertest.Browser) {
			w := newWorld(t)
			text := strings.Repeat("弹", 100)
			importAll(t, w, 1, func(int) danmu.Comment { return danmu.Comment{Text: text, Progress: second(20), Mode: danmu.Top} })
			p := open(t, b, w)
			p.Do(`window.danmu.medium.pause()`)
			for _, width := range []int64{1280, 390} {
				p.Size(width, 800)
				seek(p, 21)
				p.Until(fmt.Sprintf(`window.danmu.onScreen().some((box) => box.left >= 0 && box.left + box.width <= document.getElementById("stage").clientWidth && document.getElementById("stage").clientWidth <= %d)`, width))
			}
		},
	}
}
