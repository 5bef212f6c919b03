package format

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/plaza-sdk/plaza/danmu"
)

func (x xmlFile) begin(dst []byte, tags []Tag) []byte {
	dst = append(dst, `<?xml version="1.0" encoding="UTF-8"?>`+"\n<"+x.root...)
	for _, t := range tags {
		if t.Name == x.root {
			dst = append(append(dst, ' '), t.Attributes...)
		}
	}
	dst = append(dst, ">\n"...)
	for _, t := range tags {
		if t.Name != x.root {
			dst = append(appendElement(dst, t), '\n')
		}
	}
	return dst
}

func (x xmlFile) checkTags(tags []Tag) error {
	roots := 0
	for _, t := range tags {
		if err := x.checkElement(t); err != nil {
			return err
		}
		if t.Name == x.root {
			roots++
		}
	}
	if roots > 1 {
		return refuse("Tags", "have two roots")
	}
	return nil
}

func (x xmlFile) append(dst []byte, c danmu.Comment, _ bool) ([]byte, error) {
	return x.assemble(dst, c)
}

func (x xmlFile) end(dst []byte, _ int64) []byte {
	return append(append(append(dst, "</"...), x.root...), ">\n"...)
}

// checkElement refuses a Tag that is not one element, or that would be read as
// something else.
func (x xmlFile) checkElement(t Tag) error {
	const field = "Tags"
	if t.Name == x.record || t.Name == x.root && t.Value != "" {
		return refuse(field, "has an element that is not a tag")
	}
	var open []xml.Name
	d := xml.NewDecoder(strings.NewReader(string(appendElement(nil, t))))
	for first := true; ; first = false {
		token, err := d.RawToken() // Token would replace prefixes by name spaces
		if errors.Is(err, io.EOF) && !first && len(open) == 0 {
			return nil
		}
		if err != nil {
			return refuse(field, "has an element that is not well formed")
		}
		switch e := token.(type) {
		case xml.StartElement:
			name := elementName(e.Name)
			if first != (len(open) == 0) || first && name != t.Name {
				return refuse(field, "has more than one element")
			}
			if !first && (name == x.record || name == x.root) {
				return refuse(field, "has an element inside a tag that is not a tag")
			}
			open = append(open, e.Name)
		case xml.EndElement:
			last := len(open) - 1
			if last < 0 || e.Name != open[last] {
				return refuse(field, "has an element that is not well formed")
			}
			open = open[:last]
		case xml.Directive:
			return refuse(field, "has a document type")
		default:
			if len(open) == 0 {
				return refuse(field, "has text outside the element")
			}
		}
	}
}

func elementName(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

func appendElement(dst []byte, t Tag) []byte {
	dst = append(append(dst, '<'), t.Name...)
	if t.Attributes != "" {
		dst = append(append(dst, ' '), t.Attributes...)
	}
	dst = append(append(dst, '>'), t.Value...)
	return append(append(append(dst, "</"...), t.Name...), '>')
}
