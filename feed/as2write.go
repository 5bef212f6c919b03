package feed

import "slices"

// as2Own is what each term says where the fields alone are asked; empty for
// nothing.
type as2Own struct {
	terms [as2Terms]string
	boxed [as2Terms]bool // {"plaza:ref": …}, as it is no IRI
}

func ownAS2(a Activity) (own as2Own) {
	for term, ref := range [...]Ref{actorTerm: a.Actor, objectTerm: a.Object, targetTerm: a.Target} {
		own.terms[term] = ref.String()
		own.boxed[term] = !ref.IsZero() && !isReference([]byte(own.terms[term]))
	}
	switch id := a.ForeignID; {
	case id == "":
	// Where it is called as what it is about, an id would make the two one.
	case isIRI([]byte(id)) && id != own.terms[actorTerm] && id != own.terms[objectTerm] && id != own.terms[targetTerm]:
		own.terms[idTerm] = id
	default:
		own.terms[foreignIDTerm] = id
	}
	own.terms[typeTerm], own.terms[verbTerm] = ownType(a.Verb)
	own.terms[publishedTerm] = publishedText(a.Time)
	return own
}

// ownType gives the type for a verb, and the verb where the type is another.
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

// plaza reports whether a term is written that needs the prefix.
func (own as2Own) plaza(term as2Term) bool {
	return own.terms[term] != "" && (term == foreignIDTerm || term == verbTerm || own.boxed[term])
}

// document is the whole where Data is the application's own.
func (own as2Own) document(data []byte) []byte {
	w := newMemberWriter(512 + len(data))
	plaza := data != nil
	for term := range as2Terms {
		plaza = plaza || own.plaza(term)
	}
	context := []byte(`"` + as2Namespace + `"`)
	if plaza {
		context = withPlaza(context)
	}
	w.member(contextTerm.name(), context)
	for term := idTerm; term < as2Terms; term++ {
		own.write(&w, term)
	}
	if data != nil {
		w.member("plaza:data", data)
	}
	return w.object()
}

func (own as2Own) write(w *memberWriter, term as2Term) {
	switch text := own.terms[term]; {
	case text == "":
	case own.boxed[term]:
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
	if context[0] == '[' { // with AS2's in it
		return slices.Concat(context[:len(context)-1], []byte(","+prefix+"]"))
	}
	return slices.Concat([]byte("["), context, []byte(","+prefix+"]"))
}

// document is what was kept in Data, but for what the fields say otherwise.
func (d as2Document) document(a, kept Activity, own as2Own) []byte {
	asKept := [as2Terms]bool{
		idTerm: kept.ForeignID == a.ForeignID, foreignIDTerm: kept.ForeignID == a.ForeignID,
		typeTerm: kept.Verb == a.Verb, verbTerm: kept.Verb == a.Verb,
		actorTerm: kept.Actor == a.Actor, objectTerm: kept.Object == a.Object, targetTerm: kept.Target == a.Target,
		publishedTerm: kept.Time.Equal(a.Time),
	}
	plaza := false
	for term := idTerm; term < as2Terms; term++ {
		plaza = plaza || !asKept[term] && own.plaza(term)
	}
	w := newMemberWriter(512 + len(d.text))
	switch at := d.terms[contextTerm]; {
	case plaza && !d.plaza && d.has(contextTerm):
		w.member(contextTerm.name(), withPlaza(d.raw(at)))
	case plaza && !d.plaza:
		w.member(contextTerm.name(), withPlaza([]byte(`"`+as2Namespace+`"`)))
	case at != 0:
		w.member(contextTerm.name(), d.raw(at))
	}
	for term := idTerm; term < as2Terms; term++ {
		switch at := d.terms[term]; {
		case !asKept[term]:
			own.write(&w, term)
		case at != 0:
			w.member(term.name(), d.raw(at))
		}
	}
	d.writeRest(&w)
	return w.object()
}

func (d as2Document) writeRest(w *memberWriter) {
	for _, member := range d.rest {
		w.raw(d.rawKey(member), d.raw(member))
	}
}

// left is what Data keeps of a document: nothing if the fields say it all, or
// the Data that was written for them.
func (d as2Document) left(own as2Own) []byte {
	var keep [as2Terms]bool
	for term := actorTerm; term < as2Terms; term++ {
		keep[term] = !d.says(term, own)
	}
	for _, pair := range [][2]as2Term{{idTerm, foreignIDTerm}, {typeTerm, verbTerm}} {
		both := !d.says(pair[0], own) || !d.says(pair[1], own)
		keep[pair[0]], keep[pair[1]] = both, both
	}
	if !slices.Contains(keep[:], true) && d.isOwnContext(own) {
		_, ambiguous := d.as2Kept(d.data)
		switch {
		case len(d.rest) == 0:
			return nil
		case len(d.rest) == 1 && d.data != 0 && !ambiguous:
			return slices.Clone(d.raw(d.data))
		}
	}
	w := newMemberWriter(len(d.text))
	keep[contextTerm] = true
	for term := range as2Terms {
		if at := d.terms[term]; at != 0 && keep[term] {
			w.member(term.name(), d.raw(at))
		}
	}
	d.writeRest(&w)
	return slices.Concat([]byte(`{"as2":`), w.object(), []byte("}"))
}

// says reports whether a term is written just as the fields alone would.
func (d as2Document) says(term as2Term, own as2Own) bool {
	at, text := d.terms[term], own.terms[term]
	switch {
	case at == 0:
		return text == ""
	case own.boxed[term]:
		ref := d.only(at, "plaza:ref")
		return ref != 0 && string(d.bytes(ref)) == text
	}
	return text != "" && string(d.bytes(at)) == text
}

// isOwnContext reports whether the context is the one that the fields would
// have written.
func (d as2Document) isOwnContext(own as2Own) bool {
	plaza := d.data != 0
	for term := range as2Terms {
		plaza = plaza || own.plaza(term)
	}
	context := d.terms[contextTerm]
	if context == 0 || !plaza {
		return context != 0 && string(d.bytes(context)) == as2Namespace
	}
	first, end := d.each(context)
	if end-first != 3 || string(d.bytes(first)) != as2Namespace { // it, an object and a member
		return false
	}
	prefix := d.only(first+1, "plaza")
	return prefix != 0 && string(d.bytes(prefix)) == plazaNamespace
}

// as2Kept is the document that Data keeps, if it does.
func (t *jsonText) as2Kept(data int) (int, bool) {
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

// name begins a member, whose value is to follow.
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
