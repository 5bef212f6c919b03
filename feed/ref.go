package feed

import (
	"strings"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Ref names anything an activity is about: an id, and a kind if ids alone are
// not unique, or may have colons. Its text is "picture:10", or "chris" without a kind. The zero Ref
// is none.
type Ref struct{ Kind, ID string }

// ParseRef reads the text of a Ref; the kind ends at the first colon.
func ParseRef(text string) (Ref, error) {
	ref := Ref{ID: text}
	if kind, id, ok := strings.Cut(text, ":"); ok {
		if kind == "" {
			return Ref{}, &plaza.InvalidError{Field: "Ref", Reason: "has an empty kind before its colon"}
		}
		ref = Ref{Kind: kind, ID: id}
	}
	return ref, ref.check("Ref")
}

// String returns the text that ParseRef reads.
func (r Ref) String() string {
	if r.Kind == "" {
		return r.ID
	}
	return r.Kind + ":" + r.ID
}

// IsZero reports whether r is none.
func (r Ref) IsZero() bool { return r == Ref{} }

// MarshalText returns the text of String.
func (r Ref) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (r *Ref) UnmarshalText(text []byte) (err error) {
	if len(text) == 0 {
		*r = Ref{}
		return nil
	}
	*r, err = ParseRef(string(text))
	return err
}

// check refuses the zero Ref and any that ParseRef would not read back from its
// text.
func (r Ref) check(field string) error {
	if r.Kind != "" {
		if err := keys.CheckPart(field, "Kind", r.Kind); err != nil {
			return err
		}
		if strings.Contains(r.Kind, ":") {
			return &plaza.InvalidError{Field: field + ".Kind", Reason: "has a colon"}
		}
	} else if strings.Contains(r.ID, ":") {
		return &plaza.InvalidError{Field: field + ".ID", Reason: "has a colon but no kind"}
	}
	return keys.CheckPart(field, "ID", r.ID)
}
