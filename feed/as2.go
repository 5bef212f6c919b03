package feed

import (
	"fmt"

	"github.com/plaza-sdk/plaza"
)

const (
	// MaxAS2 is the largest Activity Streams 2.0 document, in bytes.
	MaxAS2 = 1 << 20

	// MaxAS2Depth is how deep its objects and arrays may be nested.
	MaxAS2Depth = 100
)

// ErrNotActivity is returned for a valid Activity Streams 2.0 document that
// is no activity: a note, a collection, a person. It unwraps to
// plaza.ErrInvalid, for an application that takes nothing else.
var ErrNotActivity = fmt.Errorf("feed: not an activity: %w", plaza.ErrInvalid)

// ParseAS2 reads an Activity Streams 2.0 document: actor, object and target
// with their names, id as ForeignID, published as Time, and type as Verb
// ("Create"; of several the standard's, else an extension, else "Activity").
// The ID and To are no part of it: "to" and "cc" stay in Data, for the
// application to say which outboxes they are.
//
// A Ref is an IRI cut at its first colon: the id of an inline object, the
// href of a link, the first of several. What has no id, or one too long for a
// Ref or a ForeignID, is called "_:…" after its content. The actor is whoever
// the document claims to be: compare it with who sent it.
//
// What the fields do not say, @context and unknown properties included, Data
// keeps as {"as2":{…}}. @context is not processed, nothing is fetched: a
// property or type is known by its name as written.
//
// Errors: ErrNotActivity, or a plaza.InvalidError that names the property that
// the standard refuses, "actor" where that is missing, or Document where it is
// no JSON object in UTF-8, past MaxAS2 or MaxAS2Depth, or has a name twice in
// one object. What it returns passes Publish's checks.
func ParseAS2(doc []byte) (Activity, error) {
	const field = "Document"
	if len(doc) > MaxAS2 {
		return Activity{}, refuse(field, fmt.Sprintf("is %d bytes large, at most %d are allowed", len(doc), MaxAS2))
	}
	t, err := readJSON(field, doc, MaxAS2Depth)
	if err != nil {
		return Activity{}, err
	}
	if !t.is(0, '{') {
		return Activity{}, refuse(field, "is no JSON object")
	}
	d := newAS2Document(t, 0)
	if err := d.checkContext(); err != nil {
		return Activity{}, err
	}
	check := as2Check{jsonText: t}
	if err := check.object(0); err != nil {
		return Activity{}, err
	}
	switch activity, actor := d.isActivity(), d.hasActor(); {
	case !activity && check.draft != nil: // as W3C has it both ways, so does the error
		return Activity{}, fmt.Errorf("%w: %w", ErrNotActivity, check.draft)
	case !activity:
		return Activity{}, ErrNotActivity
	case check.draft != nil:
		return Activity{}, check.draft
	case !actor:
		return Activity{}, refuse("actor", "is missing")
	}
	a, err := d.fields()
	if err != nil {
		return Activity{}, err
	}
	if err := a.check(); err != nil {
		return Activity{}, err
	}
	a.Data = d.left(ownAS2(a))
	if err := a.checkAS2Size(); err != nil {
		return Activity{}, err
	}
	return a, nil
}

// AS2 gives the activity as an Activity Streams 2.0 document, which ParseAS2
// reads back, all but the ID, To and white space. What ParseAS2 made gives its
// document again; where a field was changed since, the field counts. For what
// the standard cannot say, @context declares properties of Plaza's:
//
//	Verb "add"                  "type":"Add", "plaza:verb":"add"
//	Verb "pin", of no AS2 type  "type":"Activity", "plaza:verb":"pin"
//	a Ref that is no IRI        {"plaza:ref":"user:a b"}
//	a ForeignID that is no IRI  "plaza:foreignId":"10"
//	Data                        "plaza:data":{"message":"…"}
//
// A Ref without kind is a relative reference ("actor":"chris"), which the
// standard allows but discourages: between services use IRIs. What Publish or
// ParseAS2 would refuse is a plaza.InvalidError.
func (a Activity) AS2() ([]byte, error) {
	plain := a
	plain.Data = nil // readJSON checks more
	if err := plain.check(); err != nil {
		return nil, err
	}
	if err := a.checkAS2Size(); err != nil {
		return nil, err
	}
	own := ownAS2(a)
	if len(a.Data) == 0 {
		return own.document(nil), nil
	}
	const field = "Data"
	t, err := readJSON(field, a.Data, MaxAS2Depth+1)
	if err != nil {
		return nil, err
	}
	root, ok := t.as2Kept(0)
	if !ok {
		if t.depth >= MaxAS2Depth {
			return nil, tooDeep(field)
		}
		return own.document(t.raw(0)), nil
	}
	d := newAS2Document(t, root)
	kept, err := d.checked()
	if err != nil {
		return nil, refuse(field, "holds no part of a document: "+err.Error())
	}
	return d.document(a, kept, own), nil
}

// checked gives the fields of a document that was kept in Data.
func (d as2Document) checked() (Activity, error) {
	if err := d.checkContext(); err != nil {
		return Activity{}, err
	}
	check := as2Check{jsonText: d.jsonText}
	if err := check.object(d.root); err != nil {
		return Activity{}, err
	}
	if check.draft != nil {
		return Activity{}, check.draft
	}
	return d.fields()
}

// checkAS2Size is Publish's check of all fields together.
func (a Activity) checkAS2Size() error {
	if n := a.size(); n > MaxActivity {
		return refuse("Activity", fmt.Sprintf("is %d bytes large, at most %d are allowed", n, MaxActivity))
	}
	return nil
}
