package leaderboard_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/leaderboard"
)

func text(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

// BenchmarkSubmitBest compares with the same update written on the SDK: better
// scores of a hundred players.
func BenchmarkSubmitBest(b *testing.B) {
	w := newWorld(b, nil)
	require.NoError(b, errorOf(w.Define(b.Context(), leaderboard.Board{Name: "b"})))
	client := dynamotest.DB(b).Client().(*dynamodb.Client)
	n := 0
	ours := func() {
		n++
		got := w.submit(b, leaderboard.Submission{Board: "b", Player: fmt.Sprint("player ", n%100), Score: leaderboard.Int(int64(n))})
		require.True(b, got.Improved)
	}
	bare := func() {
		n++
		op, player := w.id().String(), fmt.Sprint("player ", n%100)
		key := fmt.Appendf(nil, "%016x%s", -uint64(n), player)
		out, err := client.UpdateItem(b.Context(), &dynamodb.UpdateItemInput{
			TableName: &w.table,
			Key:       map[string]types.AttributeValue{"pk": text("P#" + player), "sk": text("LB#bare#" + forever)},
			UpdateExpression: aws.String("SET prev = if_not_exists(#key, :none), score = :score, #key = :key, " +
				"part = if_not_exists(part, :part), lastOp = :op, print = :one, meta = :meta, rev = if_not_exists(rev, :one) + :one"),
			ConditionExpression: aws.String("(attribute_not_exists(#key) OR #key > :key) AND " +
				"(attribute_not_exists(lastOp) OR lastOp <> :op) AND (attribute_not_exists(removed) OR removed < :op)"),
			ExpressionAttributeNames: map[string]string{"#key": "key"},
			ExpressionAttributeValues: map[string]types.AttributeValue{
				":none": &types.AttributeValueMemberB{Value: []byte{}}, ":key": &types.AttributeValueMemberB{Value: key},
				":score": text(fmt.Sprint(n)), ":part": text("bare#" + forever + "#0"), ":op": text(op), ":meta": text(""),
				":one": &types.AttributeValueMemberN{Value: "1"},
			},
			ReturnValues:                        types.ReturnValueAllNew,
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
		require.NoError(b, err)
		require.NotEmpty(b, out.Attributes)
	}
	dynamotest.Pair(b, ours, bare)
}
