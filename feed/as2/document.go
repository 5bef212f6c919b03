package as2

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// term is a property that comes from a field of Activity, alone or with others.
type term int

// In the order in which Format writes them.
const (
	contextTerm term = iota
	idTerm
	foreignIDTerm
	typeTerm
	verbTerm
	actorTerm
	objectTerm
	targetTerm
	publishedTerm
	termCount // how many
)

func (t term) name() string {
	return [...]string{
		"@context", "id", "plaza:foreignId", "type", "plaza:verb", "actor", "object", "target", "published",
	}[t]
}

// document has the members of an Activity Streams document.
type document struct {
	*jsonText
	root  int
	terms [termCount]int // 0 if absent
	rest  []int          // the other members
	data  int            // plaza:data, also in rest
	plaza bool           // its @context declares the prefix plaza
}

func newDocument(t *jsonText, root int) document {
	d := document{jsonText: t, root: root}
	d.plaza = d.declaresPlaza(d.member(root, contextTerm.name()))
	for member, end := d.children(root); member < end; member = d.next(member) {
		if term, ok := d.term(d.key(member)); ok {
			d.terms[term] = member
			continue
		}
		d.rest = append(d.rest, member)
		if d.plaza && string(d.key(member)) == "plaza:data" {
			d.data = member
		}
	}
	return d
}

func (d document) term(key []byte) (term, bool) {
	switch string(key) {
	case "@context":
		return contextTerm, true
	case "id":
		return idTerm, true
	case "plaza:foreignId":
		return foreignIDTerm, d.plaza
	case "type":
		return typeTerm, true
	case "plaza:verb":
		return verbTerm, d.plaza
	case "actor":
		return actorTerm, true
	case "object":
		return objectTerm, true
	case "target":
		return targetTerm, true
	case "published":
		return publishedTerm, true
	}
	return 0, false
}

// has reports whether the term has a value other than null.
func (d document) has(term term) bool { return d.terms[term] != 0 && !d.is(d.terms[term], 'n') }

func (d document) hasActor() bool {
	if d.has(actorTerm) {
		for value, end := d.each(d.terms[actorTerm]); value < end; value = d.next(value) {
			if !d.is(value, 'n') {
				return true
			}
		}
	}
	return false
}

// isActivity decides by the types, or by the actor if all types are extensions.
func (d document) isActivity() bool {
	extension, other := false, false
	if d.has(typeTerm) {
		for value, end := d.each(d.terms[typeTerm]); value < end; value = d.next(value) {
			switch _, class := classify(d.bytes(value)); class {
			case activityType, generalType:
				return true
			case extensionType:
				extension = extension || d.is(value, '"')
			default:
				other = true
			}
		}
	}
	return extension && !other && d.hasActor()
}

// fields is the activity without Data.
func (d document) fields() (a feed.Activity, err error) {
	if a.Verb, err = d.verb(); err != nil {
		return a, err
	}
	if a.ForeignID, err = d.foreignID(); err != nil {
		return a, err
	}
	if a.Actor, err = d.ref(actorTerm); err != nil {
		return a, err
	}
	if a.Object, err = d.ref(objectTerm); err != nil {
		return a, err
	}
	if a.Target, err = d.ref(targetTerm); err != nil {
		return a, err
	}
	if d.has(publishedTerm) {
		a.Time, _ = parseTime(d.bytes(d.terms[publishedTerm])) // checked
	}
	return a, nil
}

func (d document) verb() (string, error) {
	if d.has(verbTerm) {
		verb := d.string(d.terms[verbTerm])
		return verb, keys.CheckName(verbTerm.name(), verb)
	}
	var general, extension []byte
	if d.has(typeTerm) {
		for value, end := d.each(d.terms[typeTerm]); value < end; value = d.next(value) {
			switch name, class := classify(d.bytes(value)); {
			case class == activityType:
				return string(name), nil
			case class == generalType && len(general) == 0:
				general = name
			case class == extensionType && len(extension) == 0 && len(name) <= keys.MaxName:
				extension = name
			}
		}
		if len(extension) == 0 && len(general) == 0 {
			return "", refuse(typeTerm.name(), "has none that can be a Verb")
		}
	}
	if len(extension) > 0 {
		return string(extension), nil
	}
	return string(general), nil
}

func (d document) foreignID() (string, error) {
	if d.has(foreignIDTerm) {
		id := d.string(d.terms[foreignIDTerm])
		return id, keys.CheckName(foreignIDTerm.name(), id)
	}
	if !d.has(idTerm) {
		return "", nil
	}
	id := d.string(d.terms[idTerm])
	if len(id) > keys.MaxName {
		return nameless(digestString([]byte(id))).String(), nil
	}
	return id, nil
}

// ref is the Ref of the first value.
func (d document) ref(term term) (feed.Ref, error) {
	if !d.has(term) {
		return feed.Ref{}, nil
	}
	for value, end := d.each(d.terms[term]); value < end; value = d.next(value) {
		switch {
		case d.is(value, 'n'):
		case d.is(value, '"'):
			return iriRef(d.string(value)), nil
		default:
			return d.objectRef(value, term.name())
		}
	}
	return feed.Ref{}, nil
}

func (d document) objectRef(object int, name string) (feed.Ref, error) {
	id, href := d.member(object, "id"), d.member(object, "href")
	if href != 0 && (id == 0 || d.isLink(object)) {
		id = href
	}
	if id != 0 && d.is(id, '"') {
		return iriRef(d.string(id)), nil
	}
	if plain := d.member(object, "plaza:ref"); plain != 0 && d.plaza {
		ref, err := feed.ParseRef(d.string(plain))
		if err != nil {
			return feed.Ref{}, refuse(name, "has a plaza:ref that is no Ref")
		}
		return ref, nil
	}
	return nameless(d.digest(object)), nil
}

func (d document) isLink(object int) bool {
	if types := d.member(object, "type"); types != 0 {
		for value, end := d.each(types); value < end; value = d.next(value) {
			if _, class := classify(d.bytes(value)); class == linkType {
				return true
			}
		}
	}
	return false
}

// iriRef is the Ref of a reference. It has a kind if the reference has a colon.
func iriRef(text string) feed.Ref {
	ref, err := feed.ParseRef(text)
	if err != nil { // too long
		return nameless(digestString([]byte(text)))
	}
	return ref
}

// nameless is the Ref of an object without a usable IRI. No IRI has its kind.
func nameless(digest [sha256.Size]byte) feed.Ref {
	return feed.Ref{Kind: "_", ID: hex.EncodeToString(digest[:16])}
}

// checkContext refuses a context that does not include the standard's. A
// missing context counts as the standard's, as the standard demands.
func (d document) checkContext() error {
	if !d.has(contextTerm) {
		return nil
	}
	found := false
	for value, end := d.each(d.terms[contextTerm]); value < end; value = d.next(value) {
		switch {
		case d.is(value, '"'):
			found = found || isNamespace(d.bytes(value))
		case d.is(value, '{'):
			vocabulary := d.member(value, "@vocab")
			found = found || vocabulary != 0 && isNamespace(d.bytes(vocabulary))
		case !d.is(value, 'n'):
			return refuse(contextTerm.name(), "is neither an IRI nor an object")
		}
	}
	if !found {
		return refuse(contextTerm.name(), "is without "+namespace)
	}
	return nil
}

func (d document) declaresPlaza(context int) bool {
	if context != 0 {
		for value, end := d.each(context); value < end; value = d.next(value) {
			if prefix := d.member(value, "plaza"); prefix != 0 && string(d.bytes(prefix)) == plazaNamespace {
				return true
			}
		}
	}
	return false
}
