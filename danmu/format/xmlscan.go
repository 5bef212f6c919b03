package format

import (
	"bytes"
	"errors"
	"strings"
)

// byteAt returns the byte at i, or 0 if the file ends before it.
func (in *input) byteAt(i int) byte {
	for i >= len(in.rest()) {
		if !in.more() {
			return 0
		}
	}
	return in.rest()[i]
}

func nameStart(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == ':' || c >= 0x80
}

func nameByte(c byte) bool {
	return nameStart(c) || c >= '0' && c <= '9' || c == '-' || c == '.'
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// is reports whether a tag of this name begins at i: "<d", "</i".
func (in *input) is(i int, tag string) bool {
	return in.has(i, tag) && !nameByte(in.byteAt(i+len(tag)))
}

// tagEnd returns the position after the ">" of the tag around i. A "<" in a tag, even
// in quotes, is not XML.
func (in *input) tagEnd(i int) (int, error) {
	const usual = 256 // bytes; most tags are shorter
	if b := in.rest(); i < len(b) {
		b = b[i:min(len(b), i+usual)]
		if n := bytes.IndexByte(b, '>'); n >= 0 && bytes.IndexByte(b[:n], '<') < 0 && bytes.IndexByte(b[:n], '\'') < 0 && bytes.Count(b[:n], []byte{'"'})%2 == 0 {
			return i + n + 1, nil
		}
	}
	for quote := byte(0); ; {
		b := in.rest()
		for ; i < len(b); i++ {
			switch c := b[i]; {
			case c == '<':
				return i, errCut
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '"' || c == '\'':
				quote = c
			case c == '>':
				return i + 1, nil
			}
		}
		if err := in.grow(i); err != nil {
			return i, err
		}
	}
}

// textEnd finds the record's end tag for the text at i. A stray "<" belongs to the text,
// and so does the root's end tag, unless no end tag of a record follows.
func (w *xmlWalk) textEnd(i int) (end, next int, err error) {
	root := 0 // where the root's first end tag is
	for err == nil {
		if i, err = w.index(i, "<"); err != nil {
			break
		}
		switch {
		case w.is(i, w.close):
			next, err = w.tagEnd(i + len(w.close))
			return i, next, err
		case w.is(i, w.open):
			err = errCut
		case root == 0 && w.is(i, w.rootClose):
			root = i
			i++
		default:
			i, err = w.skipOpen(i)
		}
	}
	if root > 0 && i <= w.max && w.failed() == nil {
		return root, root, errCut
	}
	return i, i, err
}

// contentEnd finds the end tag for the content at i. The content may have other elements.
func (w *xmlWalk) contentEnd(i int) (end, next int, err error) {
	for depth := 1; ; {
		if i, err = w.index(i, "<"); err != nil {
			return i, i, err
		}
		switch {
		case w.is(i, w.open), w.is(i, w.rootClose):
			return i, i, errCut
		case w.has(i, "</"):
			next, err = w.tagEnd(i + 2)
			if depth--; depth == 0 || err != nil {
				return i, next, err
			}
			i = next
		case nameStart(w.byteAt(i + 1)):
			if i, err = w.tagEnd(i + 1); err != nil {
				return i, i, err
			}
			if w.rest()[i-2] != '/' {
				depth++
			}
		default:
			if i, err = w.skipOpen(i); err != nil {
				return i, i, err
			}
		}
	}
}

// enclosure is XML that may contain any "<": CDATA or a comment.
type enclosure struct{ begin, end string }

var (
	cdata       = enclosure{"<![CDATA[", "]]>"}
	note        = enclosure{"<!--", "-->"}
	instruction = enclosure{"<?", "?>"}
)

// enclosed finds the position after the enclosure at i. ok is false if the enclosure
// would hide danmu: if it does not end within the length of a record, or not before the
// root of a complete file does. Any other file that ends inside an enclosure was cut.
func (w *xmlWalk) enclosed(i int, e enclosure) (next int, ok bool, err error) {
	end, err := w.indexOnce(i+len(e.begin), e.end)
	next = end + len(e.end)
	if errors.Is(err, errOpen) {
		if _, none := w.indexOnce(i, w.rootClose); none != nil || w.failed() != nil {
			return end, false, err
		}
	}
	return next, err == nil && next <= w.max, nil
}

// skipOpen returns the position after the CDATA or the comment at i, otherwise after the
// "<" at i.
func (w *xmlWalk) skipOpen(i int) (int, error) {
	for _, e := range [...]enclosure{cdata, note} {
		if w.has(i, e.begin) {
			if next, ok, err := w.enclosed(i, e); ok || err != nil {
				return next, err
			}
		}
	}
	return i + 1, nil
}

// opened is an enclosure in a text. If one has no end, later ones have none either.
type opened struct {
	enclosure
	endless bool
}

// cut splits s, if it begins with the enclosure, into its inside and the rest.
func (o *opened) cut(s string) (inside, rest string, ok bool) {
	if o.endless || !strings.HasPrefix(s, o.begin) {
		return "", s, false
	}
	inside, rest, ok = strings.Cut(s[len(o.begin):], o.end)
	o.endless = !ok
	return inside, rest, ok
}
