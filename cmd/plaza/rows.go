package main

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// stored lists the items of a partition whose sort keys begin with a prefix, if the feature has
// no list of them. A damaged item is reported and left out.
func (s *site) stored(table, pk, prefix string, data func(dynamo.Item) ([]any, error)) pager {
	return func(ctx context.Context, at string) ([]any, string, error) {
		items, next, err := s.query(ctx, table, pk, prefix, at, s.page)
		if err != nil {
			return nil, "", err
		}
		var all []any
		for _, item := range items {
			d, err := data(item)
			if err != nil {
				s.corrupt(&plaza.CorruptError{Table: table, PK: pk, SK: textOf(item, "sk"), Reason: err.Error()})
			}
			all = append(all, d...)
		}
		return all, next, nil
	}
}

// plain is an item as the table has it.
func plain(item dynamo.Item) ([]any, error) {
	var data map[string]any
	err := attributevalue.UnmarshalMapWithOptions(item, &data, func(o *attributevalue.DecoderOptions) { o.UseNumber = true })
	if err != nil {
		return nil, err
	}
	return []any{data}, nil
}

func (s *site) query(ctx context.Context, table, pk, prefix, after string, limit int) ([]dynamo.Item, string, error) {
	in := &dynamodb.QueryInput{
		TableName: &table, ConsistentRead: aws.Bool(true), Limit: aws.Int32(int32(limit)),
		KeyConditionExpression:    aws.String("pk = :pk"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":pk": &types.AttributeValueMemberS{Value: pk}},
	}
	if prefix != "" {
		in.KeyConditionExpression = aws.String("pk = :pk AND begins_with(sk, :sk)")
		in.ExpressionAttributeValues[":sk"] = &types.AttributeValueMemberS{Value: prefix}
	}
	if after != "" {
		in.ExclusiveStartKey = keyOf(store.Key{PK: pk, SK: after})
	}
	out, err := s.client.Query(ctx, in)
	if err != nil {
		return nil, "", err
	}
	return out.Items, textOf(out.LastEvaluatedKey, "sk"), nil
}

func keyOf(key store.Key) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: key.PK}, "sk": &types.AttributeValueMemberS{Value: key.SK},
	}
}

// textOf is a text attribute, or "".
func textOf(item map[string]types.AttributeValue, name string) string {
	if text, ok := item[name].(*types.AttributeValueMemberS); ok {
		return text.Value
	}
	return ""
}
