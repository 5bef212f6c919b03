package notify_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/notify"
)

func textOf(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

func numberOf(v int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: fmt.Sprint(v)}
}

// byHand sends the same requests as notify, written directly on the SDK.
type byHand struct {
	world
	client *dynamodb.Client
}

func (h byHand) notify(ctx context.Context, n notify.Notification) error {
	n.Activity.Time = n.Activity.ID.Time()
	data, err := json.Marshal(n.Activity)
	if err != nil {
		return err
	}
	id, now := h.id().String(), h.Now()
	sk := "G#" + n.Activity.Object.String() + "#" + n.Activity.Verb + "#" + n.Activity.ID.Time().Format("2006-01-02")
	_, err = h.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &h.table,
		Key:       map[string]types.AttributeValue{"pk": textOf("N#" + n.User), "sk": textOf(sk)},
		UpdateExpression: aws.String("SET #last = :last, lv = :lv, #data = :data, #ttl = :ttl, #e = :e, " +
			"n = if_not_exists(n, :zero) + :one, rev = if_not_exists(rev, :zero) + :one, " +
			"a1 = :actor, a2 = if_not_exists(a1, :none), a3 = if_not_exists(a2, :none), a4 = if_not_exists(a3, :none), " +
			"a5 = if_not_exists(a4, :none) REMOVE was"),
		ConditionExpression: aws.String("attribute_not_exists(pk) OR lv < :lv AND n < :cap AND #ttl > :now AND attribute_not_exists(#e) " +
			"AND NOT :actor IN (a1, a2, a3, a4, a5) AND (attribute_not_exists(cut) OR cut < :id)"),
		ExpressionAttributeNames: map[string]string{"#last": "last", "#data": "data", "#ttl": "ttl", "#e": "e" + n.Activity.ID.String()},
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":last": textOf(id + "#ff4ca280de3e"), ":lv": textOf(id), ":data": textOf(string(data)), ":ttl": numberOf(now.Add(91 * 24 * time.Hour).Unix()),
			":e": textOf(id + "#" + n.Activity.Actor.String()), ":zero": numberOf(0), ":one": numberOf(1),
			":actor": textOf(n.Activity.Actor.String()), ":none": textOf(""), ":cap": numberOf(group.Cap), ":now": numberOf(now.Unix()),
			":id": textOf(n.Activity.ID.String()),
		},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	return err
}

// events makes events of 500 groups in turn.
func (w world) events() func() notify.Notification {
	var n atomic.Int64
	return func() notify.Notification {
		k := n.Add(1)
		event := w.like(fmt.Sprint("fan", k/500))
		event.User = fmt.Sprint("user", k%500)
		return event
	}
}

func BenchmarkNotify(b *testing.B) {
	w := newWorld(b, nil)
	h := byHand{w, dynamotest.DB(b).Client().(*dynamodb.Client)}
	ours, bare := w.events(), w.events()
	dynamotest.Pair(b, func() {
		_, created, err := w.Notify(b.Context(), ours())
		require.True(b, created, err)
	}, func() {
		n := bare()
		n.User = "bare" + n.User
		require.NoError(b, h.notify(b.Context(), n))
	})
}
