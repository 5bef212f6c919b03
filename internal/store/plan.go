package store

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// The roles of attributes, in the tag "role" beside the driver's tag.
const (
	identity = "identity" // Same compares it
	content  = "content"  // Same compares it, and a removal deletes it
	counter  = "counter"  // neither
	cleared  = "cleared"  // a removal deletes it
	removal  = "removal"  // a removal sets it; where it is set, what a removal deletes is ignored
)

// An Attribute is a field of a struct whose items are stored.
type Attribute struct {
	Name  string
	Index []int // of the field
	role  string
	set   setter
}

func (a *Attribute) compared() bool { return a.role == identity || a.role == content }

// Deleted reports whether a removal deletes the attribute.
func (a *Attribute) Deleted() bool { return a.role == content || a.role == cleared }

// Removal reports whether a removal sets the attribute.
func (a *Attribute) Removal() bool { return a.role == removal }

// plan has the attributes of a struct, first the one that a removal sets.
type plan []Attribute

// plans has the plan of each struct that was decoded.
var plans sync.Map

// planOf panics if the type of a field cannot be decoded, or its role is unknown.
func planOf(t reflect.Type) plan {
	if p, ok := plans.Load(t); ok {
		return p.(plan)
	}
	p := plan(nil).with(t, nil)
	if i := slices.IndexFunc(p, func(a Attribute) bool { return a.Removal() }); i > 0 {
		p = slices.Concat(p[i:i+1], p[:i], p[i+1:])
	}
	plans.Store(t, p)
	return p
}

// with adds the fields of a struct, and of those that it embeds.
func (p plan) with(t reflect.Type, within []int) plan {
	for i := range t.NumField() {
		field := t.Field(i)
		index := slices.Concat(within, field.Index)
		tag, tagged := field.Tag.Lookup("dynamo")
		switch {
		case tag == "-":
		case field.Anonymous && field.Type.Kind() == reflect.Struct:
			p = p.with(field.Type, index)
		case tagged:
			name, options, _ := strings.Cut(tag, ",")
			set := slices.Contains(strings.Split(options, ","), "set")
			role := field.Tag.Get("role")
			if !slices.Contains([]string{"", identity, content, counter, cleared, removal}, role) {
				panic("store: no attribute has the role " + role)
			}
			p = append(p, Attribute{name, index, role, setterOf(field.Type, set)})
		}
	}
	return p
}

func (p plan) decode(item dynamo.Item, v reflect.Value) error {
	removed := false
	for i := range p {
		a := &p[i]
		value, ok := item[a.Name]
		if !ok || removed && a.Deleted() {
			continue
		}
		field := v.FieldByIndex(a.Index)
		if err := a.set(value, field); err != nil {
			return fmt.Errorf("attribute %s: %w", a.Name, err)
		}
		removed = removed || a.Removal() && !field.IsZero()
	}
	return nil
}

// generated is an item that internal/itemgen wrote code for. The code decodes nothing
// if out is another struct, which embeds this one.
type generated interface {
	UnmarshalAttributes(item dynamo.Item, out any) (own bool, err error)
}

// checked is an item with rules that types don't say. A struct that embeds one has
// its method, unless it has its own.
type checked interface{ CheckItem() error }

// UnmarshalItem decodes an item into out, a pointer to a struct with the driver's
// tags, and calls its CheckItem. A known attribute of another type is an error, NULL
// too, and so is a number that does not fit. Unknown ones are ignored. An empty text,
// list or set is read as absent.
func UnmarshalItem(item dynamo.Item, out any) (err error) {
	own := false
	if g, ok := out.(generated); ok {
		own, err = g.UnmarshalAttributes(item, out)
	}
	if !own {
		err = UnmarshalPlanned(item, out)
	}
	if c, ok := out.(checked); ok && err == nil {
		err = c.CheckItem()
	}
	return err
}

// UnmarshalPlanned is UnmarshalItem without generated code and CheckItem.
func UnmarshalPlanned(item dynamo.Item, out any) error {
	v := reflect.ValueOf(out).Elem()
	return planOf(v.Type()).decode(item, v)
}

// UnmarshalAttribute decodes a known attribute into its field of out.
func UnmarshalAttribute(value types.AttributeValue, name string, out any) error {
	v := reflect.ValueOf(out).Elem()
	p := planOf(v.Type())
	a := &p[slices.IndexFunc(p, func(a Attribute) bool { return a.Name == name })]
	return a.set(value, v.FieldByIndex(a.Index))
}

// Attributes lists the attributes of T, first the one that a removal sets.
func Attributes[T any]() []Attribute { return planOf(reflect.TypeFor[T]()) }

// Deleted lists the names of the attributes that a removal deletes.
func Deleted[T any]() (names []string) {
	for _, a := range Attributes[T]() {
		if a.Deleted() {
			names = append(names, a.Name)
		}
	}
	return names
}

// A LeftError is about an item that has attributes which its removal deletes. Decoding
// ignores them.
type LeftError struct {
	Removal string   // the attribute that the removal set
	Names   []string // of what is left
}

func (e *LeftError) Error() string {
	return fmt.Sprintf("attribute %s: its removal left %s", e.Removal, strings.Join(e.Names, ", "))
}

// CheckRemoved returns a *LeftError if a removal left something in an item. An item with
// a decoder of its own has no removal.
func CheckRemoved[T any](item dynamo.Item, decoded *T) error {
	if _, own := any(decoded).(dynamo.ItemUnmarshaler); own {
		return nil
	}
	first := Attributes[T]()[0]
	if !first.Removal() || reflect.ValueOf(decoded).Elem().FieldByIndex(first.Index).IsZero() {
		return nil
	}
	left := slices.DeleteFunc(Deleted[T](), func(name string) bool { return item[name] == nil })
	if len(left) == 0 {
		return nil
	}
	return &LeftError{first.Name, left}
}

// Same reports whether two items have the same identity and content.
func Same[T any](a, b *T) bool {
	one, other := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	return !slices.ContainsFunc(Attributes[T](), func(a Attribute) bool {
		return a.compared() && !reflect.DeepEqual(one.FieldByIndex(a.Index).Interface(), other.FieldByIndex(a.Index).Interface())
	})
}
