package pagetest

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
)

// genuine returns a cursor down and one up.
func (p probe[T]) genuine() []cursor.Cursor {
	p.fill(3)
	_, first := p.page("", 2)
	require.NotEmpty(p.t, first.Next)
	return []cursor.Cursor{first.Next, first.Prev}
}

func alteredCursorIsRefused[T any](p probe[T]) {
	for _, c := range p.genuine() {
		for i := range len(c) {
			for _, b := range []byte{c[i] ^ 1, c[i] ^ 2, c[i] ^ 0x20, c[i] ^ 0x80, 'A', 'z', '_', '!', '\n'} {
				if b != c[i] {
					p.refuses(c[:i]+cursor.Cursor([]byte{b})+c[i+1:], fmt.Sprintf("byte %d is %#x", i, b))
				}
			}
		}
		for _, more := range []string{"\n", "\r\n", " ", "=", "==", "A", "AA", "AAA", "AAAA", "\x00"} {
			p.refuses(c+cursor.Cursor(more), fmt.Sprintf("%q after it", more))
			p.refuses(cursor.Cursor(more)+c, fmt.Sprintf("%q before it", more))
			p.refuses(c[:4]+cursor.Cursor(more)+c[4:], fmt.Sprintf("%q in it", more))
		}
		p.page(c, 2)
	}
}

func truncatedCursorIsRefused[T any](p probe[T]) {
	for _, c := range p.genuine() {
		for i := 1; i < len(c); i++ {
			p.refuses(c[:i], fmt.Sprintf("the first %d bytes", i))
			p.refuses(c[i:], fmt.Sprintf("without the first %d bytes", i))
		}
		p.page(c, 2)
	}
}

func garbageCursorIsRefused[T any](p probe[T]) {
	p.fill(3)
	_, first := p.page("", 1)
	for name, c := range map[string]cursor.Cursor{
		"a letter":    "A",
		"a number":    "1",
		"an object":   `{"pk":"user","sk":"0"}`,
		"base64":      "bm90IGEgY3Vyc29y",
		"not UTF-8":   "\xff\xfe\xfd",
		"zero bytes":  "\x00\x00\x00\x00",
		"spaces":      "   ",
		"line breaks": "\n\n\n\n",
		"5,000 bytes": cursor.Cursor(strings.Repeat("A", 5000)),
		"1 MiB":       cursor.Cursor(strings.Repeat("A", 1<<20)),
		"an item":     cursor.Cursor(p.ID(first.Items[0])),
		"two cursors": first.Next + first.Prev,
	} {
		p.refuses(c, name)
	}
}

func foreignCursorIsRefused[T any](p probe[T]) {
	mine := p.genuine()
	for _, other := range p.Others {
		page, err := other.page(p.ctx, cursor.PageRequest{Limit: 1})
		require.NoError(p.t, err, other.name)
		require.NotEmpty(p.t, page.Next, "%s must hold two items", other.name)
		require.NotEmpty(p.t, page.Prev, other.name)
		for _, c := range []cursor.Cursor{page.Next, page.Prev} {
			p.refuses(c, "a cursor of "+other.name)
		}
		for _, c := range mine {
			p.withoutRequests(func() {
				page, err := other.page(p.ctx, cursor.PageRequest{Cursor: c, Limit: 5})
				require.ErrorIs(p.t, err, cursor.ErrInvalid, "given to %s", other.name)
				require.Zero(p.t, len(page.Items), "given to %s", other.name)
			})
		}
	}
}
