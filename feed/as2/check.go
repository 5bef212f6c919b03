package as2

import (
	"bytes"

	"github.com/plaza-sdk/plaza"
)

// checker checks an object and those within it against the standard. It ignores
// properties that the standard does not define.
type checker struct {
	*jsonText

	// draft is the error of the first text that is a map of languages. A draft
	// of the standard allowed them, and W3C has them among its valid and its
	// invalid examples.
	draft *plaza.InvalidError
}

func (c *checker) object(object int) error {
	collection, ordered := false, false
	if types := c.member(object, "type"); types != 0 {
		for value, end := c.each(types); value < end; value = c.next(value) {
			name, class := classify(c.bytes(value))
			collection = collection || class == collectionType || class == pageType
			ordered = ordered || bytes.HasPrefix(name, []byte("Ordered"))
		}
	}
	for member, end := c.children(object); member < end; member = c.next(member) {
		if c.is(member, 'n') {
			continue // null is the same as absent
		}
		name := c.key(member)
		if err := c.property(member, name, kindOf(name)); err != nil {
			return err
		}
		if collection && !ordered && string(name) == "orderedItems" {
			return refuse("orderedItems", "is in a collection without order")
		}
	}
	return nil
}

func (c *checker) property(member int, name []byte, kind propertyKind) error {
	switch kind {
	case idKind:
		if !isIRI(c.bytes(member)) {
			return refuse(string(name), "is no absolute IRI")
		}
	case timeKind:
		if _, ok := parseTime(c.bytes(member)); !ok {
			return refuse(string(name), "is no date and time")
		}
	case textMapKind:
		return c.textMap(member, name)
	case typeKind, textKind, urlKind, pageKind, objectKind:
		for value, end := c.each(member); value < end; value = c.next(value) {
			if err := c.value(value, name, kind); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) value(value int, name []byte, kind propertyKind) error {
	isObject := c.is(value, '{')
	if c.is(value, 'n') {
		return nil
	}
	if !isObject && !c.is(value, '"') {
		return refuse(string(name), "is of no kind that it may be")
	}
	switch kind {
	case typeKind:
		if len(c.bytes(value)) == 0 {
			return refuse(string(name), "is no name")
		}
	case textKind:
		if isObject && c.member(value, "@value") == 0 && c.draft == nil {
			c.draft = refuse(string(name), "is a map of languages")
		}
	case urlKind:
		if !isObject && !isIRI(c.bytes(value)) {
			return refuse(string(name), "is no absolute IRI")
		}
	case pageKind:
		if isObject && !c.isPage(value) {
			return refuse(string(name), "is neither a page nor a link")
		}
	case objectKind:
		if !isObject && isTerm(name) && !isReference(c.bytes(value)) {
			return refuse(string(name), "is no IRI")
		}
	}
	if isObject && kind != textKind {
		return c.object(value)
	}
	return nil
}

func (c *checker) textMap(texts int, name []byte) error {
	if !c.is(texts, '{') {
		return refuse(string(name), "is no map of languages")
	}
	for text, end := c.children(texts); text < end; text = c.next(text) {
		if !isLanguage(string(c.key(text))) {
			return refuse(string(name), "has a key that is no language tag")
		}
		if !c.is(text, '"') && !c.is(text, 'n') {
			return refuse(string(name), "has a value that is no string")
		}
	}
	return nil
}

func (c *checker) isPage(object int) bool {
	types, known := c.member(object, "type"), false
	if types == 0 {
		return true
	}
	for value, end := c.each(types); value < end; value = c.next(value) {
		_, class := classify(c.bytes(value))
		if class == pageType || class == linkType {
			return true
		}
		known = known || class != extensionType
	}
	return !known
}

// isTerm reports whether a property's IRIs become Refs. For other properties
// the standard discourages relative references.
func isTerm(name []byte) bool {
	return string(name) == "actor" || string(name) == "object" || string(name) == "target"
}
