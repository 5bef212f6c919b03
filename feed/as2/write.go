package as2

import (
	"slices"

	"github.com/plaza-sdk/plaza/feed"
)

// plainTerms is the value of each term that follows from the fields alone;
// empty for none.
type plainTerms struct {
	terms [termCount]string
	boxed [termCount]bool // {"plaza:ref": …}, as it is no IRI
}

func plainOf(a feed.Activity) (plain plainTerms) {
	for term, ref := range [...]feed.Ref{actorTerm: a.Actor, objectTerm: a.Object, targetTerm: a.Target} {
		plain.terms[term] = ref.String()
		plain.boxed[term] = !ref.IsZero() && !isReference([]byte(plain.terms[term]))
	}
	switch id := a.ForeignID; {
	case id == "":
	// An id equal to the actor's, object's or target's would identify the
	// activity with it.
	case isIRI([]byte(id)) && id != plain.terms[actorTerm] && id != plain.terms[objectTerm] && id != plain.terms[targetTerm]:
		plain.terms[idTerm] = id
	default:
		plain.terms[foreignIDTerm] = id
	}
	plain.terms[typeTerm], plain.terms[verbTerm] = ownType(a.Verb)
	plain.terms[publishedTerm] = publishedText(a.Time)
	return plain
}

// ownType returns the type for a verb, and the verb if the type does not give
// it back.
func ownType(verb string) (string, string) {
	switch name, class := classify([]byte(verb)); {
	case string(name) != verb:
	case class == activityType, class == generalType, class == extensionType && isIRI(name):
		return verb, ""
	}
	if first := verb[0]; first >= 'a' && first <= 'z' {
		capital := []byte(verb)
		capital[0] -= 'a' - 'A'
		if name, class := classify(capital); len(name) == len(capital) && (class == activityType || class == generalType) {
			return string(capital), verb
		}
	}
	return "Activity", verb
}

// needsPlaza reports whether the term is written and needs the prefix.
func (plain plainTerms) needsPlaza(term term) bool {
	return plain.terms[term] != "" && (term == foreignIDTerm || term == verbTerm || plain.boxed[term])
}

// document is the whole document if Data is the application's own.
func (plain plainTerms) document(data []byte) []byte {
	w := newMemberWriter(512 + len(data))
	plaza := data != nil
	for term := range termCount {
		plaza = plaza || plain.needsPlaza(term)
	}
	context := []byte(`"` + namespace + `"`)
	if plaza {
		context = withPlaza(context)
	}
	w.member(contextTerm.name(), context)
	for term := idTerm; term < termCount; term++ {
		plain.write(&w, term)
	}
	if data != nil {
		w.member("plaza:data", data)
	}
	return w.object()
}

func (plain plainTerms) write(w *memberWriter, term term) {
	switch text := plain.terms[term]; {
	case text == "":
	case plain.boxed[term]:
		w.name(term.name())
		w.text = append(appendString(append(w.text, `{"plaza:ref":`...), text), '}')
	default:
		w.name(term.name())
		w.text = appendString(w.text, text)
	}
}

// withPlaza adds the prefix to a context.
func withPlaza(context []byte) []byte {
	const prefix = `{"plaza":"` + plazaNamespace + `"}`
	if context[0] == '[' { // it includes AS2's
		return slices.Concat(context[:len(context)-1], []byte(","+prefix+"]"))
	}
	return slices.Concat([]byte("["), context, []byte(","+prefix+"]"))
}

// document is the document kept in Data, with the terms of changed fields
// replaced.
func (d document) document(a, kept feed.Activity, plain plainTerms) []byte {
	asKept := [termCount]bool{
		idTerm: kept.ForeignID == a.ForeignID, foreignIDTerm: kept.ForeignID == a.ForeignID,
		typeTerm: kept.Verb == a.Verb, verbTerm: kept.Verb == a.Verb,
		actorTerm: kept.Actor == a.Actor, objectTerm: kept.Object == a.Object, targetTerm: kept.Target == a.Target,
		publishedTerm: kept.Time.Equal(a.Time),
	}
	plaza := false
	for term := idTerm; term < termCount; term++ {
		plaza = plaza || !asKept[term] && plain.needsPlaza(term)
	}
	w := newMemberWriter(512 + len(d.text))
	switch at := d.terms[contextTerm]; {
	case plaza && !d.plaza && d.has(contextTerm):
		w.member(contextTerm.name(), withPlaza(d.raw(at)))
	case plaza && !d.plaza:
		w.member(contextTerm.name(), withPlaza([]byte(`"`+namespace+`"`)))
	case at != 0:
		w.member(contextTerm.name(), d.raw(at))
	}
	for term := idTerm; term < termCount; term++ {
		switch at := d.terms[term]; {
		case !asKept[term]:
			plain.write(&w, term)
		case at != 0:
			w.member(term.name(), d.raw(at))
		}
	}
	d.writeRest(&w)
	return w.object()
}

func (d document) writeRest(w *memberWriter) {
	for _, member := range d.rest {
		w.raw(d.rawKey(member), d.raw(member))
	}
}

// left is what Data keeps of a document: nothing if the fields give all of it,
// plaza:data if they give the rest, otherwise the members that they do not
// give.
func (d document) left(plain plainTerms) []byte {
	var keep [termCount]bool
	for term := actorTerm; term < termCount; term++ {
		keep[term] = !d.says(term, plain)
	}
	for _, pair := range [][2]term{{idTerm, foreignIDTerm}, {typeTerm, verbTerm}} {
		both := !d.says(pair[0], plain) || !d.says(pair[1], plain)
		keep[pair[0]], keep[pair[1]] = both, both
	}
	if !slices.Contains(keep[:], true) && d.isOwnContext(plain) {
		_, ambiguous := d.kept(d.data)
		switch {
		case len(d.rest) == 0:
			return nil
		case len(d.rest) == 1 && d.data != 0 && !ambiguous:
			return slices.Clone(d.raw(d.data))
		}
	}
	w := newMemberWriter(len(d.text))
	keep[contextTerm] = true
	for term := range termCount {
		if at := d.terms[term]; at != 0 && keep[term] {
			w.member(term.name(), d.raw(at))
		}
	}
	d.writeRest(&w)
	return slices.Concat([]byte(`{"as2":`), w.object(), []byte("}"))
}

// says reports whether a term has the value that the fields alone would give.
func (d document) says(term term, plain plainTerms) bool {
	at, text := d.terms[term], plain.terms[term]
	switch {
	case at == 0:
		return text == ""
	case plain.boxed[term]:
		ref := d.only(at, "plaza:ref")
		return ref != 0 && string(d.bytes(ref)) == text
	}
	return text != "" && string(d.bytes(at)) == text
}

// isOwnContext reports whether the context is the one that the fields would
// have written.
func (d document) isOwnContext(plain plainTerms) bool {
	plaza := d.data != 0
	for term := range termCount {
		plaza = plaza || plain.needsPlaza(term)
	}
	context := d.terms[contextTerm]
	if context == 0 || !plaza {
		return context != 0 && string(d.bytes(context)) == namespace
	}
	first, end := d.each(context)
	if end-first != 3 || string(d.bytes(first)) != namespace { // the namespace, an object and its member
		return false
	}
	prefix := d.only(first+1, "plaza")
	return prefix != 0 && string(d.bytes(prefix)) == plazaNamespace
}

// kept returns the document that Data keeps, if it keeps one.
func (t *jsonText) kept(data int) (int, bool) {
	root := t.only(data, "as2")
	return root, root != 0 && t.is(root, '{')
}

// memberWriter writes an object's members.
type memberWriter struct{ text []byte }

func newMemberWriter(size int) memberWriter { return memberWriter{make([]byte, 0, size)} }

func (w *memberWriter) member(name string, value []byte) {
	w.name(name)
	w.text = append(w.text, value...)
}

// name begins a member. Its value must follow.
func (w *memberWriter) name(name string) {
	w.separate()
	w.text = append(append(append(w.text, '"'), name...), '"', ':')
}

func (w *memberWriter) raw(key, value []byte) {
	w.separate()
	w.text = append(append(append(w.text, key...), ':'), value...)
}

func (w *memberWriter) separate() {
	if len(w.text) == 0 {
		w.text = append(w.text, '{')
		return
	}
	w.text = append(w.text, ',')
}

func (w *memberWriter) object() []byte {
	if len(w.text) == 0 {
		return []byte("{}")
	}
	return append(w.text, '}')
}
