package dynamotest

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// SameFields checks that attribute returns the field of row, a pointer to a struct,
// that has the attribute's name in its tag, for all fields with one.
func SameFields(t *testing.T, row any, attribute func(name string) any) {
	t.Helper()
	v := reflect.ValueOf(row).Elem()
	for i := range v.NumField() {
		tag, ok := v.Type().Field(i).Tag.Lookup("dynamo")
		if !ok || tag == "-" {
			continue
		}
		name, _, _ := strings.Cut(tag, ",")
		require.Same(t, v.Field(i).Addr().Interface(), attribute(name), name)
	}
	require.Nil(t, attribute("no attribute"))
}
