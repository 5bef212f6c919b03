package format

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// checkElement refuses what is no element by itself, and what would be read as
// something else.
func checkElement(t Tag) error {
	const field = "Tags"
	if t.Name == "d" || t.Name == "i" && t.Value != "" {
		return refuse(field, "has an element that is no tag")
	}
	var open []xml.Name
	d := xml.NewDecoder(strings.NewReader(string(appendElement(nil, t))))
	for first := true; ; first = false {
		token, err := d.RawToken() // Token has name spaces for prefixes
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
			if !first && (name == "d" || name == "i") {
				return refuse(field, "has an element that is no tag within another")
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
				return refuse(field, "has more than an element")
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
