package store

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// Scan reads the items with this sort key in all partitions, strongly consistent, and
// leaves out damaged ones. It reads the whole table, 1 RCU for each 4 KB.
func Scan[R any](ctx context.Context, t *Table, key string) ([]R, error) {
	var items []dynamo.Item
	err := t.scan(ctx, &dynamodb.ScanInput{
		FilterExpression:          aws.String("#sk = :sk"),
		ExpressionAttributeNames:  map[string]string{"#sk": sk},
		ExpressionAttributeValues: dynamo.Item{":sk": &types.AttributeValueMemberS{Value: key}},
	}, func(found []dynamo.Item) error {
		items = append(items, found...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return decodeAll[R](t, items), nil
}

// ScanKeys calls each with the keys of the items whose pk or sk begins as prefix's
// does, those of one request of 1 MB at a time, strongly consistent. It reads the
// whole table, 1 RCU for each 4 KB.
func (t *Table) ScanKeys(ctx context.Context, prefix Key, each func([]Key) error) error {
	return t.scan(ctx, &dynamodb.ScanInput{
		FilterExpression:         aws.String("begins_with(#pk, :pk) OR begins_with(#sk, :sk)"),
		ProjectionExpression:     aws.String("#pk, #sk"),
		ExpressionAttributeNames: map[string]string{"#pk": pk, "#sk": sk},
		ExpressionAttributeValues: dynamo.Item{
			":pk": &types.AttributeValueMemberS{Value: prefix.PK},
			":sk": &types.AttributeValueMemberS{Value: prefix.SK},
		},
	}, func(items []dynamo.Item) error {
		if len(items) == 0 {
			return nil
		}
		found := make([]Key, len(items))
		for i, item := range items {
			found[i] = KeyOf(item)
		}
		return each(found)
	})
}

// scan calls each with the items of one request at a time.
func (t *Table) scan(ctx context.Context, in *dynamodb.ScanInput, each func([]dynamo.Item) error) error {
	in.TableName, in.ConsistentRead = &t.name, aws.Bool(true)
	for {
		out, err := ask(ctx, t, t.db.Client().Scan, in)
		if err != nil {
			return err
		}
		if err := each(out.Items); err != nil {
			return err
		}
		if in.ExclusiveStartKey = out.LastEvaluatedKey; len(in.ExclusiveStartKey) == 0 {
			return nil
		}
	}
}
