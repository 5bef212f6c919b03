package format

import "bytes"

// byteAt is the byte at i, 0 where the file ends before it.
func (w *window) byteAt(i int) byte {
	for i >= len(w.rest()) {
		if !w.more() {
			return 0
		}
	}
	return w.rest()[i]
}

func nameStart(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == ':' || c >= 0x80
}

func nameByte(c byte) bool {
	return nameStart(c) || c >= '0' && c <= '9' || c == '-' || c == '.'
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// is tells whether a tag of this name begins at i: "<d", "</i".
func (w *window) is(i int, tag string) bool {
	return w.has(i, tag) && !nameByte(w.byteAt(i+len(tag)))
}

// tagEnd is the position behind the ">" of a tag, which i lies in. A "<" in
// it, even in quotes, is no XML.
func (w *window) tagEnd(i int) (int, error) {
	const usual = 256 // bytes, in which it most often ends
	if b := w.rest(); i < len(b) {
		b = b[i:min(len(b), i+usual)]
		if n := bytes.IndexByte(b, '>'); n >= 0 && bytes.IndexByte(b[:n], '<') < 0 && bytes.IndexByte(b[:n], '\'') < 0 && bytes.Count(b[:n], []byte{'"'})%2 == 0 {
			return i + n + 1, nil
		}
	}
	for quote := byte(0); ; {
		b := w.rest()
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
		if err := w.grow(i); err != nil {
			return i, err
		}
	}
}

// textEnd finds the </d> for the text at i. A stray "<" belongs to the text, and
// so does a </i>, unless no </d> follows.
func (w *window) textEnd(i int) (end, next int, err error) {
	root := 0 // where the first </i> is
	for err == nil {
		if i, err = w.index(i, "<"); err != nil {
			break
		}
		switch {
		case w.is(i, "</d"):
			next, err = w.tagEnd(i + 3)
			return i, next, err
		case w.is(i, "<d"):
			err = errCut
		case root == 0 && w.is(i, rootEnd):
			root = i
			i++
		default:
			i, err = w.behind(i)
		}
	}
	if root > 0 && i <= w.max && w.failed() == nil {
		return root, root, errCut
	}
	return i, i, err
}

// contentEnd finds the end tag for the content at i, other elements in it
// included.
func (w *window) contentEnd(i int) (end, next int, err error) {
	for depth := 1; ; {
		if i, err = w.index(i, "<"); err != nil {
			return i, i, err
		}
		switch {
		case w.is(i, "<d"), w.is(i, rootEnd):
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
			if i, err = w.behind(i); err != nil {
				return i, i, err
			}
		}
	}
}
