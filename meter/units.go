package meter

import (
	"errors"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// ReadUnits returns the units of one strongly consistent read, outside of a transaction. An
// eventually consistent read costs half, a transactional one twice as much.
func ReadUnits(bytes int) float64 { return units(bytes, 4096) }

// WriteUnits returns the units of one write, outside of a transaction. A transactional
// write costs twice as much, but not what it writes to indexes.
func WriteUnits(bytes int) float64 { return units(bytes, 1024) }

// units is at least one, also where there is no item.
func units(bytes, unit int) float64 { return float64(max(1, (bytes+unit-1)/unit)) }

// reported returns the units in an output of the SDK.
func reported(action string, output any) Cost {
	out := reflect.Indirect(reflect.ValueOf(output))
	var cost Cost
	if one := field[*types.ConsumedCapacity](out, "ConsumedCapacity"); one != nil && *one != nil {
		cost = consumed(action, **one)
	}
	if many := field[[]types.ConsumedCapacity](out, "ConsumedCapacity"); many != nil {
		for _, c := range *many {
			cost = cost.Plus(consumed(action, c))
		}
	}
	return cost
}

// consumed returns reported units as reads or writes, by the action if DynamoDB does not say
// which. It does say for transactions: one that is repeated with its token is billed as a read.
func consumed(action string, c types.ConsumedCapacity) Cost {
	if read, write := aws.ToFloat64(c.ReadCapacityUnits), aws.ToFloat64(c.WriteCapacityUnits); read+write > 0 {
		return Cost{Read: read, Write: write}
	}
	switch action {
	case "GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems":
		return Cost{Read: aws.ToFloat64(c.CapacityUnits)}
	case "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems":
		return Cost{Write: aws.ToFloat64(c.CapacityUnits)}
	}
	return Cost{}
}

// refused returns the units of a request that failed. DynamoDB bills no error but these.
func refused(input any, err error) Cost {
	var condition *types.ConditionalCheckFailedException
	if errors.As(err, &condition) {
		stored := condition.Item
		if in, ok := input.(*dynamodb.PutItemInput); ok && in.ReturnValuesOnConditionCheckFailure != types.ReturnValuesOnConditionCheckFailureAllOld {
			stored = in.Item
		}
		return Cost{Write: WriteUnits(ItemSize(stored))}
	}
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		return Cost{}
	}
	var cost Cost
	switch in := input.(type) {
	case *dynamodb.TransactWriteItemsInput:
		for i, write := range in.TransactItems {
			size := 0
			if i < len(cancelled.CancellationReasons) {
				size = ItemSize(cancelled.CancellationReasons[i].Item)
			}
			if write.Put != nil {
				size = max(size, ItemSize(write.Put.Item))
			}
			cost.Write += 2 * WriteUnits(size)
		}
	case *dynamodb.TransactGetItemsInput:
		cost.Read = 2 * float64(len(in.TransactItems))
	}
	return cost
}
