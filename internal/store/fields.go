package store

import (
	"encoding"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
)

// Fields unmarshals the attributes of an item into what field returns a pointer to
// for their names, nil for those to ignore. It gives what dynamo.UnmarshalItem
// does, which looks for every field of the struct by reflection and takes ten times
// as long: rows of which lists have many use Fields.
func Fields(item dynamo.Item, field func(name string) any) error {
	for name, value := range item {
		if to := field(name); to != nil {
			if err := unmarshal(value, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// unmarshal is dynamo.Unmarshal, without reflection where the types are usual.
func unmarshal(value types.AttributeValue, to any) (err error) {
	if own, ok := to.(dynamo.Unmarshaler); ok {
		return own.UnmarshalDynamo(value)
	}
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		switch to := to.(type) {
		case *string:
			*to = v.Value
			return nil
		case *ids.ID: // without the interface, whose bytes would be allocated
			return to.UnmarshalText([]byte(v.Value))
		case encoding.TextUnmarshaler:
			return to.UnmarshalText([]byte(v.Value))
		}
	case *types.AttributeValueMemberN:
		if to, ok := to.(*int64); ok {
			*to, err = strconv.ParseInt(v.Value, 10, 64)
			return err
		}
	case *types.AttributeValueMemberB:
		if to, ok := to.(*[]byte); ok {
			*to = v.Value
			return nil
		}
	}
	return dynamo.Unmarshal(value, to)
}
