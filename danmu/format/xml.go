package format

import (
	"bytes"
	"errors"
	"strings"

	"github.com/plaza-sdk/plaza/danmu"
)

// xmlFile is XML with the comments in a root.
type xmlFile struct {
	root, record string // names of elements
	rootless     bool   // also read from a file that begins with a record
	parse        func(r *Reader, attributes, content []byte) (danmu.Comment, error)
	assemble     func(dst []byte, c danmu.Comment) ([]byte, error)
}

// xmlWalk reads an xmlFile.
type xmlWalk struct {
	*Reader
	xmlFile

	rootOpen, rootClose, open, close string // beginnings of tags
}

// errCut refuses a record inside which another record begins or the file ends.
var errCut = errors.New("has no end")

// read reads the children of the root. It does not use encoding/xml, which stops at the
// first damaged byte and is slower. A comment begins at every "<d" or "<chat", so damage
// never reaches the next one. There are no entities but XML's own five, and no document
// types. Reading goes on after the root: its end may be stray, or another file may
// follow.
func (x xmlFile) read(r *Reader) error {
	w := &xmlWalk{Reader: r, xmlFile: x, rootOpen: "<" + x.root, rootClose: "</" + x.root, open: "<" + x.record, close: "</" + x.record}
	whole, err := w.readRoot()
	for err == nil && w.skip("<") {
		switch {
		case w.is(0, w.open):
			err = w.comment()
		case w.is(0, w.rootClose), whole && w.is(0, w.rootOpen):
			whole, err = w.edge(whole)
		case nameStart(w.byteAt(1)):
			err = w.beside()
		default:
			err = w.aside()
		}
	}
	switch {
	case err != nil:
		return err
	case !whole:
		return ended()
	}
	return w.failed()
}

// readRoot takes everything up to the end of the root's start tag. It reports whether
// the file may end there.
func (w *xmlWalk) readRoot() (whole bool, err error) {
	for w.skip("<") {
		offset := w.taken
		switch {
		case w.has(0, note.begin):
			if w.take(len(note.begin)); !w.skip(note.end) {
				return false, ended()
			}
			continue
		case w.has(0, instruction.begin):
			end, err := w.index(0, instruction.end)
			if errors.Is(err, errOpen) {
				return false, ended()
			}
			if err != nil || end > w.max || !utf8Declared(string(w.rest()[:end])) {
				return false, broken("its declaration is not one of UTF-8")
			}
			w.take(end)
			continue
		case w.rootless && w.is(0, w.open):
			return true, nil
		case !w.is(0, w.rootOpen):
			return false, broken("it does not begin with " + w.rootOpen + ">")
		}
		start, _, _, err := w.extent(nothing)
		switch {
		case errors.Is(err, errOpen):
			return false, ended()
		case err != nil:
			return false, broken("its " + w.rootOpen + "> " + err.Error())
		}
		t, empty := w.tag(start, start)
		if w.take(start); t.Attributes == "" {
			return empty, nil
		}
		return empty, w.keepTag(offset, t)
	}
	return false, ended()
}

// nothing finds an empty content, for an element that is left open.
func nothing(i int) (end, next int, err error) { return i, i, nil }

func utf8Declared(declaration string) bool {
	_, encoding, ok := strings.Cut(declaration, "encoding=")
	encoding = strings.ToLower(strings.TrimLeft(encoding, `"'`))
	return !ok || strings.HasPrefix(encoding, "utf-8") || strings.HasPrefix(encoding, "utf8")
}

// edge takes the tag at the front that ends a file or begins another. It reports
// whether the file is complete then.
func (w *xmlWalk) edge(whole bool) (bool, error) {
	n, err := w.tagEnd(1)
	if errors.Is(err, errOpen) {
		return false, ended()
	}
	if err != nil || n > w.max {
		w.stray()
	} else {
		whole = w.is(0, w.rootClose) || w.rest()[n-2] == '/'
		w.take(n)
	}
	return whole, nil
}

// aside takes something at the front that is not an element.
func (w *xmlWalk) aside() error {
	for _, e := range [...]enclosure{note, instruction} {
		if w.has(0, e.begin) {
			next, ok, err := w.enclosed(0, e)
			if err != nil {
				return ended()
			}
			if ok {
				w.take(next)
				return nil
			}
		}
	}
	w.stray()
	return nil
}

// stray takes a "<" that is not XML.
func (w *xmlWalk) stray() {
	w.stats.Repaired++
	w.take(1)
}

// comment reads the record at the front.
func (w *xmlWalk) comment() error {
	offset := w.taken
	start, end, next, err := w.extent(w.textEnd)
	if errors.Is(err, errOpen) {
		return ended()
	}
	if err != nil {
		w.take(next)
		return w.refused(offset, refuse("Record", err.Error()))
	}
	attributes, text := w.inside(len(w.open), start, end)
	c, err := w.parse(w.Reader, attributes, text)
	w.take(next)
	return w.deliver(offset, &c, err)
}

// beside reads any other element at the front.
func (w *xmlWalk) beside() error {
	offset := w.taken
	start, end, next, err := w.extent(w.contentEnd)
	if errors.Is(err, errOpen) {
		return ended()
	}
	if err != nil {
		w.take(next)
		return w.refused(offset, refuse("Tag", err.Error()))
	}
	t, _ := w.tag(start, end)
	if w.take(next); t.Name == w.root { // written as a Tag, it would be read as the root
		return w.refused(offset, refuse("Tag", "is a second root"))
	}
	return w.keepTag(offset, t)
}

// tag returns the element at the front, and whether it is empty.
func (w *xmlWalk) tag(start, end int) (Tag, bool) {
	inside, value := w.inside(1, start, end)
	name, empty := bytes.CutSuffix(inside, []byte("/"))
	t := Tag{Name: string(name), Value: string(value)}
	if i := bytes.IndexAny(name, " \t\r\n"); i >= 0 {
		t.Name, t.Attributes = string(name[:i]), string(bytes.TrimSpace(name[i:]))
	}
	return t, empty
}

// extent finds the ends of the start tag at the front, of its content and of the
// element. After an error, reading goes on at next.
func (w *xmlWalk) extent(contentEnd func(int) (end, next int, err error)) (start, end, next int, err error) {
	start, err = w.tagEnd(1)
	end, next = start, start
	if err == nil && w.rest()[start-2] != '/' {
		end, next, err = contentEnd(start)
	}
	if next > w.max {
		return 0, 0, w.max, errLong // even if it is in memory
	}
	return start, end, next, err
}

// inside returns the start tag from i on and the content, cleaned.
func (w *xmlWalk) inside(i, start, end int) (tag, content []byte) {
	b := w.rest()
	if sound(b[i:end]) {
		return b[i : start-1], b[start:end]
	}
	tag, n := clean(b[i : start-1])
	content, m := clean(b[start:end])
	w.stats.Repaired += n + m
	return tag, content
}
