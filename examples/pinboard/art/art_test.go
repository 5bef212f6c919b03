package art

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostile are ids that somebody made up to break the page.
var hostile = []string{"", `"><script>alert(1)</script>`, "]]>&amp;&lt;", "../../etc/passwd", "\x00\xff\xfe", "ann.'onload='x", "海.山"}

func TestEveryPictureIsSmallAndWellFormed(t *testing.T) {
	ids := hostile
	for i := range 120 {
		ids = append(ids, fmt.Sprintf("ann.%d", i))
	}
	for _, tag := range append(Tags(), "", "no such tag") {
		for _, id := range ids {
			svg := Picture(id, tag)
			assert.LessOrEqual(t, len(svg), 30<<10, "%s of %q", tag, id)
			isPlain(t, svg)
		}
	}
}

func TestEveryAvatarIsSmallAndWellFormed(t *testing.T) {
	for i := range 300 {
		svg := Avatar(fmt.Sprintf("person%d", i))
		assert.LessOrEqual(t, len(svg), 6<<10)
		isPlain(t, svg)
	}
	for _, id := range hostile {
		isPlain(t, Avatar(id))
	}
}

// isPlain fails unless the SVG consists of shapes alone and refers to nothing outside it.
func isPlain(t *testing.T, svg []byte) {
	t.Helper()
	allowed := map[string]bool{
		"svg": true, "defs": true, "g": true, "path": true, "rect": true, "circle": true, "ellipse": true, "use": true,
		"linearGradient": true, "radialGradient": true, "stop": true,
	}
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch e := token.(type) {
		case xml.CharData:
			assert.Empty(t, string(e))
		case xml.StartElement:
			assert.True(t, allowed[e.Name.Local], e.Name.Local)
			for _, a := range e.Attr {
				switch a.Name.Local {
				case "href":
					assert.Equal(t, "#", a.Value[:1])
				case "style", "onload", "onclick":
					assert.Fail(t, "a style or a handler", a.Name.Local)
				}
			}
		}
	}
	assert.NotContains(t, string(svg), "NaN")
	assert.NotContains(t, string(svg), "Inf")
}

func TestAnIDAloneDecides(t *testing.T) {
	for _, tag := range Tags() {
		assert.Equal(t, Picture("ann.1", tag), Picture("ann.1", tag))
		assert.NotEqual(t, Picture("ann.1", tag), Picture("ann.2", tag))
		assert.Equal(t, Title("ann.1", tag), Title("ann.1", tag))
	}
	assert.Equal(t, Picture("ann.1", TagOf("ann.1")), Picture("ann.1", "no such tag"))
	assert.Equal(t, Avatar("ann"), Avatar("ann"))
	assert.NotEqual(t, Avatar("ann"), Avatar("eric"))
}

func TestTagsSizesAndTitlesVary(t *testing.T) {
	tags, heights, titles := map[string]int{}, map[int]int{}, map[string]int{}
	const n = 2000
	for i := range n {
		id := fmt.Sprintf("ann.%d", i)
		tags[TagOf(id)]++
		w, h := Size(id)
		assert.Equal(t, 600, w)
		assert.True(t, h >= 450 && h <= 900)
		heights[h]++
		title := Title(id, TagOf(id))
		assert.NotContains(t, title, "{")
		titles[title]++
	}
	assert.Len(t, tags, len(Tags()))
	for tag, count := range tags {
		assert.Greater(t, count, n/len(Tags())/2, tag)
	}
	assert.Greater(t, len(heights), 4)
	assert.Greater(t, len(titles), n/5)
}
