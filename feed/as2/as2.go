// Package as2 exchanges activities with other services as Activity Streams 2.0
// documents, https://www.w3.org/TR/activitystreams-core.
//
// Parse reads a document and Format writes one. If Parse read an activity, Format keeps
// everything of its document, including what Plaza does not know. Neither does I/O.
// @context is not processed and nothing is fetched, so a property or a type is known by
// its name as written.
package as2

import (
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/args"
)

const (
	// MaxDocument is the largest document, in bytes.
	MaxDocument = 1 << 20

	// MaxDepth is how deep a document's objects and arrays may be nested.
	MaxDepth = 100
)

// ErrNotActivity is returned for a valid document that is not an activity: a
// note, a collection, a person. It unwraps to plaza.ErrInvalid.
var ErrNotActivity = fmt.Errorf("as2: not an activity: %w", plaza.ErrInvalid)

// Parse reads a document. It takes actor, object and target by their names, id
// as ForeignID, published as Time, and type as Verb ("Create"; if there are
// several, one of the standard's, else an extension, else "Activity"). It sets
// no ID and no To: "to" and "cc" stay in Data, and the application decides
// which outboxes they mean.
//
// A Ref is an IRI cut at its first colon: the id of an inline object, the href
// of a link, the first of several. An object without an id, or with one too
// long for a Ref or a ForeignID, is named "_:…" after its content. The document
// only claims its actor: compare it with the sender.
//
// Data keeps the rest, with @context and unknown properties, as {"as2":{…}}.
//
// The errors are ErrNotActivity and plaza.InvalidError. The latter names the
// property that breaks the standard, "actor" if it is missing, or Document if
// that is not a JSON object in UTF-8, exceeds MaxDocument or MaxDepth, or
// repeats a name within an object. An activity that Parse returns is valid for
// Publish.
func Parse(doc []byte) (feed.Activity, error) {
	const field = "Document"
	if err := args.Count(field, len(doc), "bytes", MaxDocument); err != nil {
		return feed.Activity{}, err
	}
	t, err := readJSON(field, doc, MaxDepth)
	if err != nil {
		return feed.Activity{}, err
	}
	if !t.is(0, '{') {
		return feed.Activity{}, refuse(field, "is no JSON object")
	}
	d := newDocument(t, 0)
	if err := d.checkContext(); err != nil {
		return feed.Activity{}, err
	}
	check := checker{jsonText: t}
	if err := check.object(0); err != nil {
		return feed.Activity{}, err
	}
	switch activity, actor := d.isActivity(), d.hasActor(); {
	case !activity && check.draft != nil: // W3C has such texts among its valid and its invalid examples, so the error is both
		return feed.Activity{}, fmt.Errorf("%w: %w", ErrNotActivity, check.draft)
	case !activity:
		return feed.Activity{}, ErrNotActivity
	case check.draft != nil:
		return feed.Activity{}, check.draft
	case !actor:
		return feed.Activity{}, refuse("actor", "is missing")
	}
	a, err := d.fields()
	if err != nil {
		return feed.Activity{}, err
	}
	if err := a.Validate(); err != nil {
		return feed.Activity{}, err
	}
	a.Data = d.left(plainOf(a))
	if err := checkSize(a); err != nil {
		return feed.Activity{}, err
	}
	return a, nil
}

// Format writes the activity as a document. Parse reads it back, except for ID,
// To and white space. An activity from Parse gives its document again, with the
// fields that were changed since. Whatever the standard cannot express is written
// as properties of Plaza, which @context declares:
//
//	Verb "add"                  "type":"Add", "plaza:verb":"add"
//	Verb "pin", no type of AS2  "type":"Activity", "plaza:verb":"pin"
//	a Ref that is no IRI        {"plaza:ref":"user:a b"}
//	a ForeignID that is no IRI  "plaza:foreignId":"10"
//	Data                        "plaza:data":{"message":"…"}
//
// A Ref without a kind is a relative reference ("actor":"chris"). The standard
// allows it but discourages it: use IRIs between services. An activity that
// Publish or Parse would refuse is a plaza.InvalidError.
func Format(a feed.Activity) ([]byte, error) {
	fields := a
	fields.Data = nil // readJSON checks it more strictly
	if err := fields.Validate(); err != nil {
		return nil, err
	}
	if err := checkSize(a); err != nil {
		return nil, err
	}
	plain := plainOf(a)
	if len(a.Data) == 0 {
		return plain.document(nil), nil
	}
	const field = "Data"
	t, err := readJSON(field, a.Data, MaxDepth+1)
	if err != nil {
		return nil, err
	}
	root, ok := t.kept(0)
	if !ok {
		if t.depth >= MaxDepth {
			return nil, tooDeep(field)
		}
		return plain.document(t.raw(0)), nil
	}
	d := newDocument(t, root)
	kept, err := d.checked()
	if err != nil {
		return nil, refuse(field, "holds no part of a document: "+err.Error())
	}
	return d.document(a, kept, plain), nil
}

// checked returns the fields of a document that was kept in Data.
func (d document) checked() (feed.Activity, error) {
	if err := d.checkContext(); err != nil {
		return feed.Activity{}, err
	}
	check := checker{jsonText: d.jsonText}
	if err := check.object(d.root); err != nil {
		return feed.Activity{}, err
	}
	if check.draft != nil {
		return feed.Activity{}, check.draft
	}
	return d.fields()
}

// checkSize is Validate's check of all fields together. Validate would parse
// Data again.
func checkSize(a feed.Activity) error {
	return args.Count("Activity", a.Size(), "bytes", feed.MaxActivity)
}

func refuse(field, reason string) *plaza.InvalidError {
	return &plaza.InvalidError{Field: field, Reason: reason}
}
