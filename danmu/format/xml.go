package format

import (
	"bytes"
	"errors"
	"strings"

	"github.com/plaza-sdk/plaza/danmu"
)

// errCut refuses a record inside which another record begins or the file ends.
var errCut = errors.New("has no end")

// read reads the children of <i>. It does not use encoding/xml, which stops at the
// first damaged byte and is slower. A comment begins at every "<d", so damage never
// reaches the next one. There are no entities but XML's own five, and no document
// types. Reading goes on behind </i>: it may be stray, or another file may follow.
func (bilibili) read(r *Reader) error {
	whole, err := r.xmlRoot()
	for err == nil && r.skip("<") {
		switch {
		case r.is(0, "<d"):
			err = r.xmlComment()
		case r.is(0, rootEnd), whole && r.is(0, "<i"):
			whole, err = r.xmlEdge(whole)
		case nameStart(r.byteAt(1)):
			err = r.xmlTag()
		default:
			err = r.xmlAside()
		}
	}
	switch {
	case err != nil:
		return err
	case !whole:
		return ended()
	}
	return r.failed()
}

// xmlRoot takes everything up to the end of <i>, and reports whether it was <i/>.
func (r *Reader) xmlRoot() (empty bool, err error) {
	for r.skip("<") {
		offset := r.taken
		switch {
		case r.has(0, note.begin):
			if r.take(len(note.begin)); !r.skip(note.end) {
				return false, ended()
			}
			continue
		case r.has(0, instruction.begin):
			end, err := r.index(0, instruction.end)
			if errors.Is(err, errOpen) {
				return false, ended()
			}
			if err != nil || end > r.max || !utf8Declared(string(r.rest()[:end])) {
				return false, broken("its declaration is not one of UTF-8")
			}
			r.take(end)
			continue
		case !r.is(0, "<i"):
			return false, broken("it does not begin with <i>")
		}
		start, _, _, err := r.xmlExtent(nothing)
		switch {
		case errors.Is(err, errOpen):
			return false, ended()
		case err != nil:
			return false, broken("its <i> " + err.Error())
		}
		t, empty := r.tag(start, start)
		if r.take(start); t.Attributes == "" {
			return empty, nil
		}
		return empty, r.keepTag(offset, t)
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

// xmlEdge takes the tag at the front that ends a file or begins another. It reports
// whether the file is complete then.
func (r *Reader) xmlEdge(whole bool) (bool, error) {
	n, err := r.tagEnd(1)
	if errors.Is(err, errOpen) {
		return false, ended()
	}
	if err != nil || n > r.max {
		r.stray()
	} else {
		whole = r.is(0, rootEnd) || r.rest()[n-2] == '/'
		r.take(n)
	}
	return whole, nil
}

// xmlAside takes something at the front that is not an element.
func (r *Reader) xmlAside() error {
	for _, e := range [...]enclosure{note, instruction} {
		if r.has(0, e.begin) {
			next, ok, err := r.enclosed(0, e)
			if err != nil {
				return ended()
			}
			if ok {
				r.take(next)
				return nil
			}
		}
	}
	r.stray()
	return nil
}

// stray takes a "<" that is not XML.
func (r *Reader) stray() {
	r.stats.Repaired++
	r.take(1)
}

// xmlComment reads the <d> at the front.
func (r *Reader) xmlComment() error {
	offset := r.taken
	start, end, next, err := r.xmlExtent(r.textEnd)
	if errors.Is(err, errOpen) {
		return ended()
	}
	if err != nil {
		r.take(next)
		return r.refused(offset, refuse("Record", err.Error()))
	}
	attributes, text := r.xmlInside(2, start, end)
	var c danmu.Comment
	err = r.parseXML(&c, attributes, text)
	r.take(next)
	if err != nil {
		return r.refused(offset, err)
	}
	return r.give(&c)
}

// xmlTag reads any other element at the front.
func (r *Reader) xmlTag() error {
	offset := r.taken
	start, end, next, err := r.xmlExtent(r.contentEnd)
	if errors.Is(err, errOpen) {
		return ended()
	}
	if err != nil {
		r.take(next)
		return r.refused(offset, refuse("Tag", err.Error()))
	}
	t, _ := r.tag(start, end)
	if r.take(next); t.Name == "i" { // written as a Tag, it would be read as the root
		return r.refused(offset, refuse("Tag", "is a second root"))
	}
	return r.keepTag(offset, t)
}

// tag returns the element at the front, and whether it is empty.
func (r *Reader) tag(start, end int) (Tag, bool) {
	inside, value := r.xmlInside(1, start, end)
	name, empty := bytes.CutSuffix(inside, []byte("/"))
	t := Tag{Name: string(name), Value: string(value)}
	if i := bytes.IndexAny(name, " \t\r\n"); i >= 0 {
		t.Name, t.Attributes = string(name[:i]), string(bytes.TrimSpace(name[i:]))
	}
	return t, empty
}

// xmlExtent finds the ends of the start tag at the front, of its content and of
// the element. After an error, reading goes on at next.
func (r *Reader) xmlExtent(contentEnd func(int) (end, next int, err error)) (start, end, next int, err error) {
	start, err = r.tagEnd(1)
	end, next = start, start
	if err == nil && r.rest()[start-2] != '/' {
		end, next, err = contentEnd(start)
	}
	if next > r.max {
		return 0, 0, r.max, errLong // even if it is in memory
	}
	return start, end, next, err
}

// xmlInside returns the start tag from i on and the content, cleaned.
func (r *Reader) xmlInside(i, start, end int) (tag, content []byte) {
	b := r.rest()
	if sound(b[i:end]) {
		return b[i : start-1], b[start:end]
	}
	tag, n := clean(b[i : start-1])
	content, m := clean(b[start:end])
	r.stats.Repaired += n + m
	return tag, content
}
