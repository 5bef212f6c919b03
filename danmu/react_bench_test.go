package danmu_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
)

func (h byHand) like(b *testing.B, c danmu.Comment, user string) {
	_, err := h.client.TransactWriteItems(b.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{
			TableName:                           h.table,
			Item:                                map[string]types.AttributeValue{"pk": text("U#" + user), "sk": text("film#" + c.ID.String() + "#L")},
			ConditionExpression:                 aws.String("attribute_not_exists(pk)"),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}},
		{Update: &types.Update{
			TableName:                           h.table,
			Key:                                 map[string]types.AttributeValue{"pk": text("D#film#0#0"), "sk": text(c.ID.String())},
			UpdateExpression:                    aws.String("ADD likes :one"),
			ConditionExpression:                 aws.String("attribute_exists(pk) AND attribute_not_exists(#state)"),
			ExpressionAttributeNames:            map[string]string{"#state": "state"},
			ExpressionAttributeValues:           map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}},
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}},
	}})
	require.NoError(b, err)
}

func BenchmarkLike(b *testing.B) {
	s := newStage(b)
	h := newByHand(b, s.world)
	c := s.say(b, "jack", "haha")
	n := 0
	user := func() string {
		n++
		return fmt.Sprint("user ", n)
	}
	dynamotest.Pair(b, func() {
		liked, err := s.Like(b.Context(), of(c, user()))
		require.NoError(b, err)
		require.True(b, liked)
	}, func() { h.like(b, c, user()) })
}
