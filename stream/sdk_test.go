package stream_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/letters"
)

// recordsOf reads a table's stream from its start.
func recordsOf(t *testing.T, table string) ([]stream.Record, error) {
	t.Helper()
	tail, err := streamtest.New(t.Context(), dynamotest.DB(t), table)
	require.NoError(t, err)
	return tail.Records(t.Context())
}

// Every type that DynamoDB has comes through a real stream, through Encode and
// back, as it was written.
func TestARealStreamIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	name := dynamotest.Table(t, streamtest.Streamed(letters.Table))
	db := dynamotest.DB(t).Client()
	deep := text("x")
	for i := range 31 {
		if i%2 == 0 {
			deep = &types.AttributeValueMemberL{Value: []types.AttributeValue{deep}}
		} else {
			deep = &types.AttributeValueMemberM{Value: attributes{"m": deep}}
		}
	}
	item := attributes{
		"pk": text("a"), "sk": text("\"é😀\x00\n"),
		"S": text(""), "N": number("-12.5"), "large": number("99999999999999999999999999999999999999"),
		"most": number("9.9999999999999999999999999999999999999E+125"), "least": number("1E-130"), "zero": number("0"),
		"B": &types.AttributeValueMemberB{Value: []byte{0, 1, 255}}, "none": &types.AttributeValueMemberB{Value: []byte{}},
		"BOOL": &types.AttributeValueMemberBOOL{Value: true}, "NULL": &types.AttributeValueMemberNULL{Value: true},
		"SS": &types.AttributeValueMemberSS{Value: []string{"a", "b"}}, "NS": &types.AttributeValueMemberNS{Value: []string{"1", "2"}},
		"BS": &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2}}},
		"L":  &types.AttributeValueMemberL{Value: []types.AttributeValue{text("x"), &types.AttributeValueMemberM{Value: attributes{}}}},
		"M":  &types.AttributeValueMemberM{Value: attributes{"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{}}}},
		"é😀": deep,
	}
	put := func(item attributes) {
		_, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: item})
		require.NoError(t, err)
	}
	put(item)
	key := attributes{"pk": item["pk"], "sk": item["sk"]}
	small := attributes{"pk": item["pk"], "sk": item["sk"], "v": number("1")}
	put(small)
	_, err := db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &name, Key: key})
	require.NoError(t, err)

	records, err := recordsOf(t, name)
	require.NoError(t, err)
	require.Len(t, records, 3)
	for i, r := range records {
		require.WithinDuration(t, time.Now(), r.At, time.Hour)
		requireComesBack(t, r)
		for _, image := range []attributes{r.Old, r.New} {
			if set, ok := image["NS"].(*types.AttributeValueMemberNS); ok {
				slices.Sort(set.Value) // a set has no order
			}
		}
		require.NotEmpty(t, r.ID)
		if i > 0 {
			require.Greater(t, r.Seq, records[i-1].Seq)
		}
	}
	stored, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &name, Key: key})
	require.NoError(t, err)
	require.Empty(t, stored.Item)
	require.Equal(t, []stream.Kind{stream.Insert, stream.Modify, stream.Remove}, []stream.Kind{records[0].Kind, records[1].Kind, records[2].Kind})
	require.Equal(t, key, records[0].Keys)
	require.Nil(t, records[0].Old)
	requireSameNumbers(t, item, records[0].New)
	require.Equal(t, records[0].New, records[1].Old)
	require.Equal(t, small, records[1].New)
	require.Equal(t, small, records[2].Old)
	require.Nil(t, records[2].New)
}

// requireSameNumbers compares items whose numbers DynamoDB may have written
// otherwise.
func requireSameNumbers(t *testing.T, want, got attributes) {
	t.Helper()
	require.Len(t, got, len(want))
	for name, v := range want {
		if n, ok := v.(*types.AttributeValueMemberN); ok {
			var a, b float64
			_, err := fmt.Sscan(n.Value, &a)
			require.NoError(t, err)
			_, err = fmt.Sscan(got[name].(*types.AttributeValueMemberN).Value, &b)
			require.NoError(t, err)
			require.InEpsilon(t, a+1, b+1, 1e-12, name)
			continue
		}
		require.Equal(t, v, got[name], name)
	}
}

func TestARealStreamOfAnotherViewIsErrView(t *testing.T) {
	t.Parallel()
	for _, view := range []types.StreamViewType{types.StreamViewTypeKeysOnly, types.StreamViewTypeNewImage, types.StreamViewTypeOldImage} {
		name := dynamotest.Table(t, func(name string) *dynamodb.CreateTableInput {
			in := streamtest.Streamed(letters.Table)(name)
			in.StreamSpecification.StreamViewType = view
			return in
		})
		_, err := recordsOf(t, name)
		require.ErrorIs(t, err, stream.ErrView)
		require.ErrorIs(t, err, plaza.ErrTable)
	}
}

func TestBadRecordsOfTheSDKAreErrors(t *testing.T) {
	t.Parallel()
	good := func() streamtypes.Record {
		id := map[string]streamtypes.AttributeValue{"Id": &streamtypes.AttributeValueMemberS{Value: "a"}}
		image := map[string]streamtypes.AttributeValue{"Id": id["Id"]}
		return streamtypes.Record{
			EventID: aws.String("e1"), EventName: streamtypes.OperationTypeRemove,
			UserIdentity: &streamtypes.Identity{Type: aws.String("Service"), PrincipalId: aws.String("dynamodb.amazonaws.com")},
			Dynamodb: &streamtypes.StreamRecord{
				SequenceNumber: aws.String("1"), StreamViewType: streamtypes.StreamViewTypeNewAndOldImages, Keys: id, OldImage: image,
				ApproximateCreationDateTime: aws.Time(time.Unix(1479499740, 0)),
			},
		}
	}
	r, err := stream.FromSDK(good())
	require.NoError(t, err)
	require.True(t, r.ByTTL)
	other := good()
	other.Dynamodb.StreamViewType = streamtypes.StreamViewTypeKeysOnly
	r, err = stream.FromSDK(other)
	require.ErrorIs(t, err, stream.ErrView)
	require.Equal(t, "1", r.Seq)
	for name, spoil := range map[string]func(*streamtypes.Record){
		"no change":   func(r *streamtypes.Record) { r.Dynamodb = nil },
		"no sequence": func(r *streamtypes.Record) { r.Dynamodb.SequenceNumber = nil },
		"nil":         func(r *streamtypes.Record) { r.Dynamodb.OldImage["a"] = nil },
		"unknown":     func(r *streamtypes.Record) { r.Dynamodb.OldImage["a"] = &streamtypes.UnknownUnionMember{Tag: "X"} },
		"nil in a list": func(r *streamtypes.Record) {
			r.Dynamodb.OldImage["a"] = &streamtypes.AttributeValueMemberL{Value: []streamtypes.AttributeValue{nil}}
		},
		"too deep": func(r *streamtypes.Record) {
			var v streamtypes.AttributeValue = &streamtypes.AttributeValueMemberM{}
			for range 10_000 {
				v = &streamtypes.AttributeValueMemberL{Value: []streamtypes.AttributeValue{v}}
			}
			r.Dynamodb.OldImage["a"] = v
		},
	} {
		raw := good()
		spoil(&raw)
		r, err := stream.FromSDK(raw)
		require.ErrorIs(t, err, stream.ErrRecord, name)
		require.Nil(t, r.Old, name)
	}
}
