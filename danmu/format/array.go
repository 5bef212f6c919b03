package format

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/plaza-sdk/plaza/danmu"
)

// array is JSON with the comments in an array, alone or as a member of an
// object.
type array struct {
	member   string // of the object; "" for an array alone
	count    string // a member that counts them
	before   []Tag  // unless the Tags have them
	threads  bool   // also read from {"data":{"threads":[{"comments":[…]}]}}
	parse    func(raw []byte, senders bool) (danmu.Comment, error)
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
		return refuse(field, "have no place in this format")
	}
	for _, t := range tags {
		if t.Attributes != "" || t.Name == a.member || t.Name == a.count || !json.Valid([]byte(t.Value)) {
			return refuse(field, "has what is no member of its own")
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
