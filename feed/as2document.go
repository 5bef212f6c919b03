package feed

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/plaza-sdk/plaza/internal/keys"
)

// as2Term is a property that a field of Activity says, or helps to say.
type as2Term int

// In the order in which they are written.
const (
	contextTerm as2Term = iota
	idTerm
	foreignIDTerm
	typeTerm
	verbTerm
	actorTerm
	objectTerm
	targetTerm
	publishedTerm
	as2Terms // how many
)

func (t as2Term) name() string {
	return [...]string{
		"@context", "id", "plaza:foreignId", "type", "plaza:verb", "actor", "object", "target", "published",
	}[t]
}

// as2Document is a document's members.
type as2Document struct {
	*jsonText
	root  int
	terms [as2Terms]int // 0 where there is none
	rest  []int         // the other members
	data  int           // plaza:data, which is one of them
	plaza bool          // its @context declares the prefix plaza
}

func newAS2Document(t *jsonText, root int) as2Document {
	d := as2Document{jsonText: t, root: root}
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

func (d as2Document) term(key []byte) (as2Term, bool) {
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

// has reports whether there is a value other than null.
func (d as2Document) has(term as2Term) bool { return d.terms[term] != 0 && !d.is(d.terms[term], 'n') }

func (d as2Document) hasActor() bool {
	if d.has(actorTerm) {
		for value, end := d.each(d.terms[actorTerm]); value < end; value = d.next(value) {
			if !d.is(value, 'n') {
				return true
			}
		}
	}
	return false
}

// isActivity tells by the types, and by the actor where they are extensions.
func (d as2Document) isActivity() bool {
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
func (d as2Document) fields() (a Activity, err error) {
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
		a.Time, _ = parseAS2Time(d.bytes(d.terms[publishedTerm])) // checked
	}
	return a, nil
}

func (d as2Document) verb() (string, error) {
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

func (d as2Document) foreignID() (string, error) {
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

// ref is of the first value that there is.
func (d as2Document) ref(term as2Term) (Ref, error) {
	if !d.has(term) {
		return Ref{}, nil
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
	return Ref{}, nil
}

func (d as2Document) objectRef(object int, name string) (Ref, error) {
	id, href := d.member(object, "id"), d.member(object, "href")
	if href != 0 && (id == 0 || d.isLink(object)) {
		id = href
	}
	if id != 0 && d.is(id, '"') {
		return iriRef(d.string(id)), nil
	}
	if own := d.member(object, "plaza:ref"); own != 0 && d.plaza {
		ref, err := ParseRef(d.string(own))
		if err != nil {
			return Ref{}, refuse(name, "has a plaza:ref that is no Ref")
		}
		return ref, nil
	}
	return nameless(d.digest(object)), nil
}

func (d as2Document) isLink(object int) bool {
	if types := d.member(object, "type"); types != 0 {
		for value, end := d.each(types); value < end; value = d.next(value) {
			if _, class := classify(d.bytes(value)); class == linkType {
				return true
			}
		}
	}
	return false
}

// iriRef is the Ref of a reference, which has a kind if it has a colon.
func iriRef(text string) Ref {
	ref, err := ParseRef(text)
	if err != nil { // too long
		return nameless(digestString([]byte(text)))
	}
	return ref
}

// nameless is a Ref for what has no name that fits. No IRI has its kind.
func nameless(digest [sha256.Size]byte) Ref {
	return Ref{Kind: "_", ID: hex.EncodeToString(digest[:16])}
}

// checkContext refuses a context without the standard's; a missing one is
// taken for it, as the standard demands.
func (d as2Document) checkContext() error {
	if !d.has(contextTerm) {
		return nil
	}
	found := false
	for value, end := d.each(d.terms[contextTerm]); value < end; value = d.next(value) {
		switch {
		case d.is(value, '"'):
			found = found || isAS2(d.bytes(value))
		case d.is(value, '{'):
			vocabulary := d.member(value, "@vocab")
			found = found || vocabulary != 0 && isAS2(d.bytes(vocabulary))
		case !d.is(value, 'n'):
			return refuse(contextTerm.name(), "is neither an IRI nor an object")
		}
	}
	if !found {
		return refuse(contextTerm.name(), "is without "+as2Namespace)
	}
	return nil
}

func (d as2Document) declaresPlaza(context int) bool {
	if context != 0 {
		for value, end := d.each(context); value < end; value = d.next(value) {
			if prefix := d.member(value, "plaza"); prefix != 0 && string(d.bytes(prefix)) == plazaNamespace {
				return true
			}
		}
	}
	return false
}
