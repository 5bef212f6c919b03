package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"unicode/utf8"
)

const (
	maxDepth = 32 // levels of JSON
	maxShown = 64 // bytes of a client's text that an answer repeats
)

// ReadJSON reads a body of one JSON value into a struct. It refuses content types
// other than application/json, which forms of other sites cannot send; a name that
// comes twice, anywhere; names that the struct does not have, in this spelling;
// and more than 32 levels. The caller bounds the size of r.Body.
func ReadJSON(r *http.Request, into any) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return &RefusedError{Status: http.StatusUnsupportedMediaType, Field: "content-type", Reason: "is not application/json"}
	}
	text, err := io.ReadAll(r.Body)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &RefusedError{Status: http.StatusRequestEntityTooLarge, Field: "body", Reason: fmt.Sprintf("has more than %d bytes", large.Limit)}
	case err != nil:
		return &RefusedError{Status: http.StatusRequestTimeout, Field: "body", Reason: "did not arrive"}
	}
	return Unmarshal(text, into)
}

// Unmarshal is ReadJSON of a body that has arrived, whatever its content type.
func Unmarshal(text []byte, into any) error {
	switch {
	case !utf8.Valid(text):
		return malformed("body", "is not UTF-8")
	case !json.Valid(text):
		return malformed("body", "is not JSON, or nested too deep")
	}

	shape := reflect.TypeOf(into)
	w := walk{d: json.NewDecoder(bytes.NewReader(text))}
	w.d.UseNumber()
	if err := w.value(shape); err != nil {
		return err
	}
	err := json.Unmarshal(text, into)
	var other *json.UnmarshalTypeError
	switch {
	case errors.As(err, &other):
		return malformed(fieldIn(shape, other.Field), "cannot be "+other.Value)
	case err != nil:
		return malformed("body", "cannot be read")
	}
	return nil
}

func malformed(field, reason string) error {
	return &RefusedError{Status: http.StatusBadRequest, Field: field, Reason: reason}
}

// walk reads valid JSON.
type walk struct {
	d  *json.Decoder
	at []any // the path of names and indexes
}

// value checks a value against the type that it is decoded into. Without a type it may
// have any names.
func (w *walk) value(shape reflect.Type) error {
	token, err := w.d.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		return w.object(shape)
	case json.Delim('['):
		return w.array(shape)
	}
	return nil
}

func (w *walk) object(shape reflect.Type) error {
	if len(w.at) == maxDepth {
		return malformed("body", fmt.Sprintf("is nested deeper than %d levels", maxDepth))
	}
	known, seen := members(shape), map[string]bool{}
	for w.d.More() {
		token, err := w.d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		w.at = append(w.at, name)
		member, ok := known[name]
		switch {
		case seen[name]:
			return malformed(w.path(), "is given twice")
		case known != nil && !ok:
			return malformed("body", fmt.Sprintf("has an unknown field %q", w.path()))
		}
		seen[name] = true
		if err := w.value(member); err != nil {
			return err
		}
		w.at = w.at[:len(w.at)-1]
	}
	_, err := w.d.Token()
	return err
}

func (w *walk) array(shape reflect.Type) error {
	if len(w.at) == maxDepth {
		return malformed("body", fmt.Sprintf("is nested deeper than %d levels", maxDepth))
	}
	var element reflect.Type
	if shape = pointed(shape); shape != nil && shape.Kind() == reflect.Slice {
		element = shape.Elem()
	}
	for i := 0; w.d.More(); i++ {
		w.at = append(w.at, i)
		if err := w.value(element); err != nil {
			return err
		}
		w.at = w.at[:len(w.at)-1]
	}
	_, err := w.d.Token()
	return err
}

// path returns a path such as quote.id or data.list[3].
func (w *walk) path() string {
	var b strings.Builder
	for i, step := range w.at {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		case string:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		}
		if b.Len() > maxShown {
			break
		}
	}
	path := b.String()
	return strings.ToValidUTF8(path[:min(len(path), maxShown)], "")
}

// members returns the names and types of a struct's members in JSON, or nil if
// any name will do.
func members(shape reflect.Type) map[string]reflect.Type {
	shape = pointed(shape)
	if shape == nil || shape.Kind() != reflect.Struct {
		return nil
	}
	known := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(shape) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.IsExported() && name != "" && name != "-" {
			known[name] = field.Type
		}
	}
	return known
}

func pointed(shape reflect.Type) reflect.Type {
	for shape != nil && shape.Kind() == reflect.Pointer {
		shape = shape.Elem()
	}
	return shape
}

// fieldIn removes embedded structs, which clients do not see, from a path of
// encoding/json.
func fieldIn(shape reflect.Type, path string) string {
	var seen []string
	for name := range strings.SplitSeq(path, ".") {
		if member, ok := members(shape)[name]; ok {
			seen, shape = append(seen, name), member
		}
	}
	if len(seen) == 0 {
		return "body"
	}
	return strings.Join(seen, ".")
}
