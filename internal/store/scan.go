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
	err := t.db.Table(t.name).Scan().Consistent(true).Filter("$ = ?", sk, key).All(ctx, &items)
	if err != nil {
		return nil, t.readError(ctx, err)
	}
	return decodeAll[R](t, items), nil
}

// ScanKeys calls each with the keys of the items whose pk or sk begins as prefix's
// does, those of one request of 1 MB at a time, strongly consistent. It reads the
// whole table, 1 RCU for each 4 KB.
func (t *Table) ScanKeys(ctx context.Context, prefix Key, each func([]Key) error) error {
	var start dynamo.Item
	for {
		out, err := t.db.Client().Scan(ctx, &dynamodb.ScanInput{
			TableName:                &t.name,
			ConsistentRead:           aws.Bool(true),
			FilterExpression:         aws.String("begins_with(#pk, :pk) OR begins_with(#sk, :sk)"),
			ProjectionExpression:     aws.String("#pk, #sk"),
			ExpressionAttributeNames: map[string]string{"#pk": pk, "#sk": sk},
			ExpressionAttributeValues: dynamo.Item{
				":pk": &types.AttributeValueMemberS{Value: prefix.PK},
				":sk": &types.AttributeValueMemberS{Value: prefix.SK},
			},
			ExclusiveStartKey: start,
		})
		if err != nil {
			return t.readError(ctx, err)
		}
		found := make([]Key, len(out.Items))
		for i, item := range out.Items {
			found[i] = KeyOf(item)
		}
		if len(found) > 0 {
			if err := each(found); err != nil {
				return err
			}
		}
		if start = out.LastEvaluatedKey; len(start) == 0 {
			return nil
		}
	}
}
