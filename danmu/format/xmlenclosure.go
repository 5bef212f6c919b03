package format

import (
	"errors"
	"strings"
)

// enclosure is what any "<" may stand in.
type enclosure struct{ begin, end string }

var (
	cdata       = enclosure{"<![CDATA[", "]]>"}
	note        = enclosure{"<!--", "-->"}
	instruction = enclosure{"<?", "?>"}
)

const rootEnd = "</i"

// enclosed finds the position behind the enclosure at i. One that does not end
// within a record's length, or in a file that has its </i> all the same, is
// none: it would swallow the comments behind it. Otherwise a file that ends in
// one was cut.
func (w *window) enclosed(i int, e enclosure) (next int, ok bool, err error) {
	end, err := w.ahead(i+len(e.begin), e.end)
	next = end + len(e.end)
	if errors.Is(err, errOpen) {
		if _, none := w.ahead(i, rootEnd); none != nil || w.failed() != nil {
			return end, false, err
		}
	}
	return next, err == nil && next <= w.max, nil
}

// behind is the position behind the CDATA or the note at i, else behind the "<"
// there.
func (w *window) behind(i int) (int, error) {
	for _, e := range [...]enclosure{cdata, note} {
		if w.has(i, e.begin) {
			if next, ok, err := w.enclosed(i, e); ok || err != nil {
				return next, err
			}
		}
	}
	return i + 1, nil
}

// opened is an enclosure in a text; once it has no end, no later one has.
type opened struct {
	enclosure
	endless bool
}

// cut parts s, if it begins with the enclosure, into what is inside and behind.
func (o *opened) cut(s string) (inside, behind string, ok bool) {
	if o.endless || !strings.HasPrefix(s, o.begin) {
		return "", s, false
	}
	inside, behind, ok = strings.Cut(s[len(o.begin):], o.end)
	o.endless = !ok
	return inside, behind, ok
}
