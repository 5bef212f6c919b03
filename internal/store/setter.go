package store

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
)

var (
	errType   = errors.New("has another type")
	errNumber = errors.New("is a number that does not fit")
)

// The types of numbers.
type (
	signed interface {
		~int | ~int8 | ~int16 | ~int32 | ~int64
	}
	unsigned interface {
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
	}
)

// SetText decodes a text. Plans and generated code call it and the functions below.
func SetText[T ~string](value types.AttributeValue, to *T) error {
	v, ok := value.(*types.AttributeValueMemberS)
	if !ok {
		return errType
	}
	*to = T(v.Value)
	return nil
}

// SetBool decodes a truth value.
func SetBool[T ~bool](value types.AttributeValue, to *T) error {
	v, ok := value.(*types.AttributeValueMemberBOOL)
	if !ok {
		return errType
	}
	*to = T(v.Value)
	return nil
}

// SetInt decodes a number that fits.
func SetInt[T signed](value types.AttributeValue, to *T) error {
	v, ok := value.(*types.AttributeValueMemberN)
	if !ok {
		return errType
	}
	n, err := strconv.ParseInt(v.Value, 10, 64)
	if *to = T(n); err != nil || int64(*to) != n {
		return errNumber
	}
	return nil
}

// SetUint decodes a number that fits.
func SetUint[T unsigned](value types.AttributeValue, to *T) error {
	v, ok := value.(*types.AttributeValueMemberN)
	if !ok {
		return errType
	}
	n, err := strconv.ParseUint(v.Value, 10, 64)
	if *to = T(n); err != nil || uint64(*to) != n {
		return errNumber
	}
	return nil
}

// SetBytes decodes bytes.
func SetBytes[T ~[]byte](value types.AttributeValue, to *T) error {
	v, ok := value.(*types.AttributeValueMemberB)
	if !ok {
		return errType
	}
	*to = v.Value
	return nil
}

// setter sets a field to the value of an attribute.
type setter func(value types.AttributeValue, field reflect.Value) error

// setterOf panics if no item has such a field.
func setterOf(t reflect.Type, set bool) setter {
	switch pointer := reflect.PointerTo(t); {
	case pointer.Implements(reflect.TypeFor[dynamo.Unmarshaler]()):
		return setOwn
	case pointer.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return setParsed
	}
	switch t.Kind() {
	case reflect.String:
		return convert(SetText[string], reflect.Value.SetString)
	case reflect.Bool:
		return convert(SetBool[bool], reflect.Value.SetBool)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return setInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return setUint
	case reflect.Struct:
		return setMap
	case reflect.Pointer:
		return pointerTo(setterOf(t.Elem(), set))
	case reflect.Slice:
		switch of := t.Elem(); {
		case of.Kind() == reflect.Uint8:
			return convert(SetBytes[[]byte], reflect.Value.SetBytes)
		case set && of.Kind() == reflect.String:
			return setSet
		case !set:
			return listOf(setterOf(of, false))
		}
	}
	panic(fmt.Sprintf("store: no item has a %s", t))
}

// convert makes a setter of fields of one kind.
func convert[T any](get func(types.AttributeValue, *T) error, put func(reflect.Value, T)) setter {
	return func(value types.AttributeValue, field reflect.Value) error {
		var v T
		if err := get(value, &v); err != nil {
			return err
		}
		put(field, v)
		return nil
	}
}

func setInt(value types.AttributeValue, field reflect.Value) error {
	var n int64
	if err := SetInt(value, &n); err != nil {
		return err
	}
	if field.OverflowInt(n) {
		return errNumber
	}
	field.SetInt(n)
	return nil
}

func setUint(value types.AttributeValue, field reflect.Value) error {
	var n uint64
	if err := SetUint(value, &n); err != nil {
		return err
	}
	if field.OverflowUint(n) {
		return errNumber
	}
	field.SetUint(n)
	return nil
}

// setOwn sets a field that decodes itself.
func setOwn(value types.AttributeValue, field reflect.Value) error {
	if _, null := value.(*types.AttributeValueMemberNULL); null {
		return errType
	}
	return field.Addr().Interface().(dynamo.Unmarshaler).UnmarshalDynamo(value)
}

func setParsed(value types.AttributeValue, field reflect.Value) error {
	var text string
	if err := SetText(value, &text); err != nil || text == "" {
		return err
	}
	if id, ok := field.Addr().Interface().(*ids.ID); ok { // without the interface, whose bytes would be allocated
		return id.UnmarshalText([]byte(text))
	}
	return field.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
}

func setMap(value types.AttributeValue, field reflect.Value) error {
	m, ok := value.(*types.AttributeValueMemberM)
	if !ok {
		return errType
	}
	return planOf(field.Type()).decode(m.Value, field)
}

func setSet(value types.AttributeValue, field reflect.Value) error {
	s, ok := value.(*types.AttributeValueMemberSS)
	switch {
	case !ok:
		return errType
	case len(s.Value) > 0:
		field.Set(reflect.ValueOf(s.Value))
	}
	return nil
}

func pointerTo(set setter) setter {
	return func(value types.AttributeValue, field reflect.Value) error {
		to := reflect.New(field.Type().Elem())
		field.Set(to)
		return set(value, to.Elem())
	}
}

func listOf(set setter) setter {
	return func(value types.AttributeValue, field reflect.Value) error {
		l, ok := value.(*types.AttributeValueMemberL)
		switch {
		case !ok:
			return errType
		case len(l.Value) == 0:
			return nil
		}
		field.Set(reflect.MakeSlice(field.Type(), len(l.Value), len(l.Value)))
		for i, value := range l.Value {
			if err := set(value, field.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
}
