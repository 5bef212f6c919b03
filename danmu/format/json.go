package format

import (
	"errors"
	"slices"
	"strconv"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/jsontext"
)

// array is JSON with the comments in an array, alone or as a member of an
// object.
type array struct {
	member   string // the object's member; "" for an array alone
	count    string // the member with the number of comments
	before   []Tag  // written first, unless the Tags have them
	threads  bool   // also read from {"data":{"threads":[{"comments":[…]}]}}
	parse    func(r *Reader, raw []byte) (danmu.Comment, error)
	assemble func(c danmu.Comment) (any, error)
}

func (a array) read(r *Reader) error {
	r.skipByteOrderMark()
	w := jsonWalk{Reader: r, array: a}
	if err := w.value("", 0); err != nil {
		return err
	}
	if !w.found {
		return broken("it has no array of comments")
	}
	return nil
}

func (a array) checkTags(tags []Tag) error {
	const field = "Tags"
	if a.member == "" && len(tags) > 0 {
		return refuse(field, "do not exist in this format")
	}
	for _, t := range tags {
		if t.Attributes != "" || t.Name == a.member || t.Name == a.count || !jsontext.Valid([]byte(t.Value)) {
			return refuse(field, "has one that is not a member")
		}
	}
	return nil
}

func (a array) begin(dst []byte, tags []Tag) []byte {
	if a.member == "" {
		return append(dst, '[')
	}
	dst = append(dst, '{')
	for _, t := range a.before {
		if !slices.ContainsFunc(tags, func(own Tag) bool { return own.Name == t.Name }) {
			dst = appendMember(dst, t.Name, t.Value)
		}
	}
	for _, t := range tags {
		dst = appendMember(dst, t.Name, t.Value)
	}
	return append(appendName(dst, a.member), '[')
}

func appendMember(dst []byte, name, value string) []byte {
	return append(append(appendName(dst, name), value...), ',')
}

func appendName(dst []byte, name string) []byte {
	quoted, _ := marshal(name) // a string is always JSON
	return append(append(dst, quoted...), ':')
}

func (a array) append(dst []byte, c danmu.Comment, first bool) ([]byte, error) {
	record, err := a.assemble(c)
	if err != nil {
		return nil, err
	}
	raw, err := marshal(record)
	if err != nil {
		return nil, err
	}
	if !first {
		dst = append(dst, ',')
	}
	return append(append(dst, '\n'), raw...), nil
}

func (a array) end(dst []byte, written int64) []byte {
	dst = append(dst, "\n]"...)
	if a.count != "" {
		dst = strconv.AppendInt(appendName(append(dst, ','), a.count), written, 10)
	}
	if a.member != "" {
		dst = append(dst, '}')
	}
	return append(dst, '\n')
}

// jsonWalk descends to the comments.
type jsonWalk struct {
	*Reader
	array

	found bool
	fork  string // the thread's fork, in Niconico's files
}

// within reports whether the comments are in this member.
func (w *jsonWalk) within(member string) bool {
	return w.member != "" && member == w.member || w.threads && (member == "data" || member == "threads" || member == "comments")
}

// value reads an array or object, the value of member.
func (w *jsonWalk) value(member string, depth int) error {
	switch w.nextByte() {
	case '[':
		return w.elements(member == "threads" && w.threads, depth)
	case '{':
		if w.member != "" || w.threads {
			return w.members(depth)
		}
	case 0:
		return ended()
	}
	return broken("it has no array of comments")
}

// elements reads an array of comments or threads.
func (w *jsonWalk) elements(threads bool, depth int) error {
	w.found = w.found || !threads
	for w.take(1); ; w.take(1) {
		switch c := w.nextByte(); {
		case c == ']':
			w.take(1)
			return nil
		case threads && c == '{':
			if err := w.members(depth); err != nil {
				return err
			}
		default:
			if err := w.comment(); err != nil {
				return err
			}
		}
		switch w.nextByte() {
		case ',':
		case ']':
			w.take(1)
			return nil
		case 0:
			return ended()
		default:
			return broken("its array has something between the comments")
		}
	}
}

// members reads an object around the comments.
func (w *jsonWalk) members(depth int) error {
	const deepest = 3 // data, threads, thread
	if depth > deepest {
		return broken("it is nested too deep")
	}
	w.fork = ""
	for w.take(1); ; w.take(1) {
		offset := w.taken
		switch w.nextByte() {
		case '}':
			w.take(1)
			return nil
		case 0:
			return ended()
		}
		var name string
		raw, err := w.next()
		if errors.Is(err, errLong) {
			return broken("its object has a member of that length")
		}
		if err != nil {
			return err
		}
		if jsontext.Unmarshal(raw, &name) != nil || w.nextByte() != ':' {
			return w.unexpected()
		}
		w.take(1)
		if c := w.nextByte(); w.within(name) && (c == '[' || c == '{') {
			if err := w.value(name, depth+1); err != nil {
				return err
			}
		} else if err := w.beside(offset, name, depth); err != nil {
			return err
		}
		switch w.nextByte() {
		case ',':
		case '}':
			w.take(1)
			return nil
		default:
			return w.unexpected()
		}
	}
}

func (w *jsonWalk) unexpected() error {
	if w.nextByte() == 0 {
		return ended()
	}
	return broken("its object has something between the members")
}

// beside reads a member without comments.
func (w *jsonWalk) beside(offset int64, name string, depth int) error {
	raw, err := w.next()
	switch {
	case errors.Is(err, errLong):
		return w.refused(offset, refuse("Tag", err.Error()))
	case err != nil:
		return err
	case depth == 0 && !w.threads && name != w.count:
		return w.keepTag(offset, Tag{Name: name, Value: string(raw)})
	case name == "fork":
		w.fork = string(raw)
	}
	return nil
}

func (w *jsonWalk) comment() error {
	offset := w.taken
	raw, err := w.next()
	switch {
	case errors.Is(err, errLong):
		return w.refused(offset, refuse("Record", err.Error()))
	case err != nil:
		return err
	}
	c, err := w.parse(w.Reader, raw)
	if err == nil && w.fork != "" {
		err = addFork(&c, w.fork)
	}
	return w.deliver(offset, &c, err)
}

// next takes the value at the front and cleans it. The result is valid until the next
// read.
func (w *jsonWalk) next() ([]byte, error) {
	n, err := w.jsonEnd()
	if errors.Is(err, errOpen) {
		return nil, ended()
	}
	if err != nil {
		return nil, err
	}
	raw, repaired := clean(w.rest()[:n])
	w.stats.Repaired += repaired
	w.take(n)
	if n == 0 {
		return nil, broken("it has a comma or a bracket too many")
	}
	return raw, nil
}

// nextByte takes white space and returns the byte after it, or 0 at the end.
func (in *input) nextByte() byte {
	for {
		c := in.byteAt(0)
		if !space(c) {
			return c
		}
		in.take(1)
	}
}

// jsonEnd finds the end of the value at the front. It only counts brackets; the decoder
// checks the JSON. A value that is too long is skipped, however long it is.
func (in *input) jsonEnd() (int, error) {
	depth, quoted, escaped, long := 0, false, false, false
	end := func(n int) (int, error) {
		if long || n > in.max {
			in.take(n)
			return 0, errLong
		}
		return n, nil
	}
	for i := 0; ; {
		b := in.rest()
		for ; i < len(b); i++ {
			switch c := b[i]; {
			case escaped:
				escaped = false
			case quoted:
				escaped, quoted = c == '\\', c != '"'
			case c == '"':
				quoted = true
			case c == '[' || c == '{':
				depth++
			case depth == 0 && (c == ',' || c == ':' || c == ']' || c == '}' || space(c)):
				return end(i)
			case c == ']' || c == '}':
				if depth--; depth == 0 {
					return end(i + 1)
				}
			}
		}
		if i > in.max {
			long = true
			in.take(i)
			i = 0
		}
		if !in.more() {
			return 0, errOpen
		}
	}
}
