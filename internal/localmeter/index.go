package localmeter

import (
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza/meter"
)

type item = map[string]types.AttributeValue

// table is a table as DescribeTable answers.
type table struct {
	KeySchema              schema
	GlobalSecondaryIndexes []index
	LocalSecondaryIndexes  []index
}

type index struct {
	KeySchema  schema
	Projection struct {
		ProjectionType   string
		NonKeyAttributes []string
	}
}

type schema []struct{ AttributeName string }

func (s schema) names() (names []string) {
	for _, k := range s {
		names = append(names, k.AttributeName)
	}
	return names
}

// indexWrites returns what the change of an item costs in the table's indexes.
func (t table) indexWrites(before, after item) float64 {
	sum := 0.0
	for _, i := range slices.Concat(t.GlobalSecondaryIndexes, t.LocalSecondaryIndexes) {
		was, is := t.entry(i, before), t.entry(i, after)
		leaves, comes := meter.WriteUnits(meter.ItemSize(was)), meter.WriteUnits(meter.ItemSize(is))
		moved := func(name string) bool { return !reflect.DeepEqual(was[name], is[name]) }
		switch {
		case reflect.DeepEqual(was, is): // as if neither is there
		case was != nil && is != nil && slices.ContainsFunc(i.KeySchema.names(), moved):
			sum += leaves + comes
		default:
			sum += max(leaves, comes)
		}
	}
	return sum
}

// entry returns what an index has of an item, or nil.
func (t table) entry(i index, of item) item {
	if slices.ContainsFunc(i.KeySchema.names(), func(name string) bool { return of[name] == nil }) {
		return nil
	}
	if i.Projection.ProjectionType == string(types.ProjectionTypeAll) {
		return of
	}
	out := item{}
	for _, name := range slices.Concat(t.KeySchema.names(), i.KeySchema.names(), i.Projection.NonKeyAttributes) {
		if v, ok := of[name]; ok {
			out[name] = v
		}
	}
	return out
}
