package stream

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// FromSDK converts a record that the SDK's client of streams returned. The caller
// sets Stream, Shard and Table, which the SDK's record lacks. The errors are
// ErrRecord and ErrView; the fields that name the record are set despite them.
func FromSDK(r streamtypes.Record) (Record, error) {
	record := Record{ID: aws.ToString(r.EventID), Kind: Kind(r.EventName)}
	if u := r.UserIdentity; u != nil {
		record.ByTTL = isTTL(aws.ToString(u.Type), aws.ToString(u.PrincipalId))
	}
	change := r.Dynamodb
	if change == nil {
		return record, fmt.Errorf("%w: there is no change in it", ErrRecord)
	}
	record.Seq = aws.ToString(change.SequenceNumber)
	if change.ApproximateCreationDateTime != nil {
		record.At = change.ApproximateCreationDateTime.UTC()
	}
	if change.StreamViewType != bothImages {
		return record, ErrView
	}
	record.Keys, record.New, record.Old = itemFromSDK(change.Keys), itemFromSDK(change.NewImage), itemFromSDK(change.OldImage)
	reason := record.check(maxDepth)
	if reason == "" && record.ID == "" {
		reason = "its id is missing"
	}
	if reason != "" {
		record.Keys, record.New, record.Old = nil, nil, nil
		return record, fmt.Errorf("%w: %s", ErrRecord, reason)
	}
	return record, nil
}

// itemFromSDK converts an item from the types of the SDK's streams client. Values of
// unknown types become nil.
func itemFromSDK(item map[string]streamtypes.AttributeValue) map[string]types.AttributeValue {
	if item == nil {
		return nil
	}
	out := make(map[string]types.AttributeValue, len(item))
	for name, v := range item {
		out[name] = attributeFromSDK(v)
	}
	return out
}

func attributeFromSDK(v streamtypes.AttributeValue) types.AttributeValue {
	switch v := v.(type) {
	case *streamtypes.AttributeValueMemberS:
		return &types.AttributeValueMemberS{Value: v.Value}
	case *streamtypes.AttributeValueMemberN:
		return &types.AttributeValueMemberN{Value: v.Value}
	case *streamtypes.AttributeValueMemberB:
		return &types.AttributeValueMemberB{Value: v.Value}
	case *streamtypes.AttributeValueMemberBOOL:
		return &types.AttributeValueMemberBOOL{Value: v.Value}
	case *streamtypes.AttributeValueMemberNULL:
		return &types.AttributeValueMemberNULL{Value: v.Value}
	case *streamtypes.AttributeValueMemberSS:
		return &types.AttributeValueMemberSS{Value: v.Value}
	case *streamtypes.AttributeValueMemberNS:
		return &types.AttributeValueMemberNS{Value: v.Value}
	case *streamtypes.AttributeValueMemberBS:
		return &types.AttributeValueMemberBS{Value: v.Value}
	case *streamtypes.AttributeValueMemberL:
		list := make([]types.AttributeValue, len(v.Value))
		for i, element := range v.Value {
			list[i] = attributeFromSDK(element)
		}
		return &types.AttributeValueMemberL{Value: list}
	case *streamtypes.AttributeValueMemberM:
		m := itemFromSDK(v.Value)
		if m == nil {
			m = map[string]types.AttributeValue{}
		}
		return &types.AttributeValueMemberM{Value: m}
	}
	return nil
}
