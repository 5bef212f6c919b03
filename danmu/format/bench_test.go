package format_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu/format"
)

// madeUp returns a Bilibili file of n comments that resemble real ones.
func madeUp(n int) string {
	words := []string{"哈哈哈哈哈", "前方高能！！！", "awsl", "第一次这么前", "草", "2333333", "完结撒花", "　", "妙啊~~"}
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><i><chatserver>example</chatserver><chatid>1</chatid>`)
	for i := range n {
		if i%1000 == 0 {
			b.WriteString(`<d p="1,1,25,16777215,1604201789,0,0,0">1 &lt; 2</d>`)
			continue
		}
		fmt.Fprintf(&b, "<d p=\"%.5f,%d,25,%d,%d,0,%08x,%d\">%s%s</d>\n", r.Float64()*1440, 1+4*r.IntN(2), r.IntN(1<<24), 1604201789+i, r.Uint32(), 40403938723758085+i, words[r.IntN(len(words))], words[r.IntN(len(words))])
	}
	return b.String() + "</i>"
}

// BenchmarkBilibili compares the Reader with encoding/xml reading raw tokens.
func BenchmarkBilibili(b *testing.B) {
	text := madeUp(10_000)
	b.Run("scanner", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			r, err := format.NewReader(strings.NewReader(text), format.Bilibili, nil)
			require.NoError(b, err)
			for _, err := range r.All() {
				if err != nil {
					b.Fatal(err)
				}
			}
			require.EqualValues(b, 10_000, r.Stats().Read)
		}
	})
	b.Run("encoding-xml", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			n := 0
			for d := xml.NewDecoder(strings.NewReader(text)); ; {
				token, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					b.Fatal(err)
				}
				if start, ok := token.(xml.StartElement); ok && start.Name.Local == "d" {
					n++
				}
			}
			require.Equal(b, 10_000, n)
		}
	})
}
