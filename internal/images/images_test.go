package images_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/images"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/stream"
)

type attributes = map[string]types.AttributeValue

func item(pk, sk string) attributes {
	return attributes{"pk": &types.AttributeValueMemberS{Value: pk}, "sk": &types.AttributeValueMemberS{Value: sk}}
}

func TestImagesAreThoseOfTheirKey(t *testing.T) {
	key, other := item("a", "b"), item("a", "c")
	for name, c := range map[string]struct {
		record stream.Record
		err    error
	}{
		"an insert":                 {stream.Record{Kind: stream.Insert, Keys: key, New: key}, nil},
		"a modify":                  {stream.Record{Kind: stream.Modify, Keys: key, Old: key, New: key}, nil},
		"a remove":                  {stream.Record{Kind: stream.Remove, Keys: key, Old: key}, nil},
		"an expiry without images":  {stream.Record{Kind: stream.Remove, Keys: key, ByTTL: true}, nil},
		"an expiry":                 {stream.Record{Kind: stream.Remove, Keys: key, Old: key, ByTTL: true}, nil},
		"a truncated expiry":        {stream.Record{Kind: stream.Remove, Keys: key, ByTTL: true, Truncated: true}, stream.ErrTruncated},
		"truncated":                 {stream.Record{Kind: stream.Modify, Keys: key, New: key, Truncated: true}, stream.ErrTruncated},
		"no key":                    {stream.Record{Kind: stream.Insert, New: key}, stream.ErrRecord},
		"another table's key":       {stream.Record{Kind: stream.Insert, Keys: attributes{"id": key["pk"]}, New: key}, stream.ErrRecord},
		"a new image of another":    {stream.Record{Kind: stream.Insert, Keys: key, New: other}, stream.ErrRecord},
		"an old image of another":   {stream.Record{Kind: stream.Remove, Keys: key, Old: other}, stream.ErrRecord},
		"an image without its key":  {stream.Record{Kind: stream.Insert, Keys: key, New: attributes{}}, stream.ErrRecord},
		"keys alone":                {stream.Record{Kind: stream.Modify, Keys: key}, stream.ErrView},
		"new images alone":          {stream.Record{Kind: stream.Modify, Keys: key, New: key}, stream.ErrView},
		"old images alone":          {stream.Record{Kind: stream.Modify, Keys: key, Old: key}, stream.ErrView},
		"old images of an insert":   {stream.Record{Kind: stream.Insert, Keys: key}, stream.ErrView},
		"new images of a removal":   {stream.Record{Kind: stream.Remove, Keys: key}, stream.ErrView},
		"an insert of what it took": {stream.Record{Kind: stream.Insert, Keys: key, Old: key}, stream.ErrView},
	} {
		i, err := images.Of(c.record)
		require.ErrorIs(t, err, c.err, name)
		if err == nil {
			require.Equal(t, store.Key{PK: "a", SK: "b"}, i.Key, name)
		}
		if err != nil || c.record.ByTTL {
			require.Nil(t, i.Old, name)
			require.Nil(t, i.New, name)
		}
	}
}

func TestADamagedImageNamesItsItem(t *testing.T) {
	damaged := item("a", "b")
	damaged["n"] = &types.AttributeValueMemberS{Value: "x"}
	for _, r := range []stream.Record{
		{Kind: stream.Insert, Table: "t", Keys: item("a", "b"), New: damaged},
		{Kind: stream.Modify, Table: "t", Keys: item("a", "b"), Old: damaged, New: item("a", "b")},
	} {
		i, err := images.Of(r)
		require.NoError(t, err)
		_, _, err = images.Read[struct {
			N int `dynamo:"n"`
		}](i)
		var corrupt *plaza.CorruptError
		require.ErrorAs(t, err, &corrupt)
		require.Equal(t, [3]string{"t", "a", "b"}, [3]string{corrupt.Table, corrupt.PK, corrupt.SK})
	}
}

func TestACheckFindsDamageAndWhatARemovalLeft(t *testing.T) {
	type row struct {
		Text string `dynamo:"text" role:"content"`
		Gone string `dynamo:"gone" role:"removal"`
	}
	changes := func(r stream.Record) ([]int, error) {
		i, err := images.Of(r)
		if err == nil {
			_, _, err = images.Read[row](i)
		}
		return nil, err
	}
	one := item("a", "b")
	check := func() error { return images.Check(changes, "t", one) }
	require.NoError(t, check())
	one["text"] = &types.AttributeValueMemberN{Value: "7"}
	require.ErrorIs(t, check(), plaza.ErrCorrupt)
	one["gone"] = &types.AttributeValueMemberS{Value: "yes"}
	var left *store.LeftError
	require.ErrorAs(t, check(), &left)
	require.Equal(t, store.LeftError{Removal: "gone", Names: []string{"text"}}, *left)
	_, err := changes(stream.Record{Kind: stream.Insert, Keys: one, New: one})
	require.NoError(t, err, "a write of such an item is no error")
}
