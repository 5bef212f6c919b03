package streamtest

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/stream"
)

// Shapes are what the junk for a feature is made of, so that it nearly fits.
type Shapes struct {
	PKs, SKs   []string
	Attributes []string
	Values     []string
}

// Junk calls of with n records of random images, the same for one seed. An error
// that is neither a damaged item's nor a record's fails the test, as a panic does.
func Junk(t *testing.T, seed uint64, n int, s Shapes, of func(stream.Record) error) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	for range n {
		r := s.record(random)
		err := of(r)
		if err == nil || errors.Is(err, plaza.ErrCorrupt) {
			continue
		}
		if !errors.Is(err, stream.ErrRecord) && !errors.Is(err, stream.ErrView) && !errors.Is(err, stream.ErrTruncated) {
			t.Fatalf("seed %d: %+v: %v", seed, r, err)
		}
	}
}

func one[T any](random *rand.Rand, of ...T) T { return of[random.IntN(len(of))] }

func (s Shapes) record(random *rand.Rand) stream.Record {
	key := map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: one(random, s.PKs...)},
		"sk": &types.AttributeValueMemberS{Value: one(random, s.SKs...)},
	}
	r := stream.Record{
		Keys: key, Kind: one(random, stream.Insert, stream.Modify, stream.Remove), Table: "t",
		Truncated: random.IntN(50) == 0, ByTTL: random.IntN(50) == 0,
	}
	if r.Kind != stream.Insert || random.IntN(20) == 0 {
		r.Old = s.image(random, key, nil)
	}
	if r.Kind != stream.Remove || random.IntN(20) == 0 {
		r.New = s.image(random, key, r.Old)
	}
	return r
}

// image has about half of the attributes, and shares many with another image.
func (s Shapes) image(random *rand.Rand, key, other map[string]types.AttributeValue) map[string]types.AttributeValue {
	image := map[string]types.AttributeValue{}
	for name, value := range key {
		if random.IntN(50) > 0 {
			image[name] = value
		}
	}
	for _, name := range s.Attributes {
		switch value, shared := other[name]; {
		case shared && random.IntN(2) == 0:
			image[name] = value
		case random.IntN(2) == 0:
			image[name] = s.value(random, 0)
		}
	}
	return image
}

func (s Shapes) value(random *rand.Rand, depth int) types.AttributeValue {
	text := one(random, append([]string{"", "x", "\x00", "\xff", "2026-11-22T00:00:00Z"}, s.Values...)...)
	number := one(random, "0", "1", "-1", "3", "64", "1.5", "9223372036854775807", "99999999999999999999999999999999999999", "x", "")
	switch random.IntN(16 - depth) {
	default:
		return &types.AttributeValueMemberS{Value: text}
	case 0, 1:
		return &types.AttributeValueMemberN{Value: number}
	case 2:
		return &types.AttributeValueMemberBOOL{Value: true}
	case 3:
		return &types.AttributeValueMemberB{Value: []byte(text)}
	case 4:
		return &types.AttributeValueMemberNS{Value: []string{number}}
	case 5:
		return &types.AttributeValueMemberSS{Value: []string{text}}
	case 6:
		return &types.AttributeValueMemberNULL{Value: true}
	case 7:
		return nil
	case 8:
		return (*types.AttributeValueMemberS)(nil)
	case 9:
		return (*types.AttributeValueMemberN)(nil)
	case 10, 11:
		if depth > 3 {
			return &types.AttributeValueMemberM{}
		}
		return &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
			one(random, append([]string{"id", "by", "at", "kind"}, s.Attributes...)...): s.value(random, depth+1),
		}}
	case 12:
		if depth > 3 {
			return &types.AttributeValueMemberL{}
		}
		return &types.AttributeValueMemberL{Value: []types.AttributeValue{s.value(random, depth+1), s.value(random, depth+1)}}
	}
}
