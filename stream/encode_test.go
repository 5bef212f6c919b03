package stream_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza/stream"
)

func TestWhatEncodeWritesIsReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRecord(t)
		raw, err := stream.Encode(r, 0)
		require.NoError(t, err)
		require.True(t, json.Valid(raw))
		got, err := stream.DecodeEvent(raw)
		require.NoError(t, err)
		require.Equal(t, r, got)
		again, err := stream.Encode(got, len(raw))
		require.NoError(t, err)
		require.Equal(t, string(raw), string(again), "one record has one text")
	})
}

// Under any limit the record fits, or it is refused although nothing more could
// be dropped.
func TestEncodeDropsImagesToFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRecord(t)
		whole, err := stream.Encode(r, 0)
		require.NoError(t, err)
		limit := rapid.IntRange(1, len(whole)).Draw(t, "limit")
		raw, err := stream.Encode(r, limit)
		least := r
		least.Old, least.New = nil, nil
		least.Truncated = r.Truncated || r.Old != nil || r.New != nil
		smallest, encodeErr := stream.Encode(least, 0)
		require.NoError(t, encodeErr)
		if err != nil {
			require.ErrorIs(t, err, stream.ErrTooLarge)
			require.Greater(t, min(len(smallest), len(whole)), limit)
			return
		}
		require.LessOrEqual(t, len(raw), limit)
		got, err := stream.DecodeEvent(raw)
		require.NoError(t, err)
		want := r
		if len(raw) != len(whole) {
			want.Truncated, want.Old = true, nil
			if got.New == nil {
				want.New = nil
				with := r
				with.Truncated, with.Old = true, nil
				if r.Old != nil && r.New != nil {
					kept, err := stream.Encode(with, 0)
					require.NoError(t, err)
					require.Greater(t, len(kept), limit, "the new image is dropped only where it must be")
				}
			}
		}
		require.Equal(t, want, got)
	})
}

func TestEncodedFiles(t *testing.T) {
	for n, line := range lines(t, "encoded/valid.ndjson") {
		_, err := stream.DecodeEvent([]byte(line)) // FuzzEncodedRecord says that it comes back
		assert.NoError(t, err, "line %d", n+1)
	}
	for n, line := range lines(t, "encoded/invalid.ndjson") {
		_, err := stream.DecodeEvent([]byte(line))
		assert.ErrorIs(t, err, stream.ErrRecord, "line %d: %.300s", n+1, line)
	}
}

// The text is the wire format of messages that wait in queues.
func TestEncodesTextStays(t *testing.T) {
	raw, err := stream.Encode(change("a\n\"é", 1, 2), 0)
	require.NoError(t, err)
	want := `{"v":1,"id":"e1","stream":"` + arn + `","seq":"1","table":"Main","kind":"MODIFY","at":"2026-01-02T03:04:01Z",` +
		`"keys":{"Id":{"S":"a\n\"é"}},"new":{"Id":{"S":"a\n\"é"},"version":{"N":"2"}},"old":{"Id":{"S":"a\n\"é"},"version":{"N":"1"}}}`
	require.Equal(t, want, string(raw))
}

func TestRecordsThatDynamoDBWouldNotWriteAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(*stream.Record){
		"no sequence":       func(r *stream.Record) { r.Seq = "" },
		"no kind":           func(r *stream.Record) { r.Kind = "" },
		"no keys":           func(r *stream.Record) { r.Keys = nil },
		"a list as key":     func(r *stream.Record) { r.Keys = attributes{"Id": &types.AttributeValueMemberL{}} },
		"no image":          func(r *stream.Record) { r.New = nil },
		"an empty image":    func(r *stream.Record) { r.New = attributes{} },
		"expired and there": func(r *stream.Record) { r.ByTTL = true },
		"truncated and old": func(r *stream.Record) { r.Truncated = true },
		"id not UTF-8":      func(r *stream.Record) { r.ID = "\xff" },
		"name not UTF-8":    func(r *stream.Record) { r.New["\xff"] = text("a") },
		"text not UTF-8":    func(r *stream.Record) { r.New["a"] = text("\xff") },
		"nil":               func(r *stream.Record) { r.New["a"] = nil },
		"SS not UTF-8":      func(r *stream.Record) { r.New["a"] = &types.AttributeValueMemberSS{Value: []string{"\xff"}} },
		"unknown":           func(r *stream.Record) { r.New["a"] = &types.UnknownUnionMember{} },
		"number":            func(r *stream.Record) { r.New["a"] = number("abc") },
		"number in a set":   func(r *stream.Record) { r.New["a"] = &types.AttributeValueMemberNS{Value: []string{"1", "x"}} },
		"empty set":         func(r *stream.Record) { r.New["a"] = &types.AttributeValueMemberBS{} },
		"SS twice":          func(r *stream.Record) { r.New["a"] = &types.AttributeValueMemberSS{Value: []string{"a", "a"}} },
		"NS twice":          func(r *stream.Record) { r.New["a"] = &types.AttributeValueMemberNS{Value: []string{"10", "1e1"}} },
		"BS twice":          func(r *stream.Record) { r.New["a"] = &types.AttributeValueMemberBS{Value: [][]byte{{}, {}}} },
		"false null":        func(r *stream.Record) { r.New["a"] = &types.AttributeValueMemberNULL{} },
		"too deep": func(r *stream.Record) {
			v := text("a")
			for range 33 {
				v = &types.AttributeValueMemberL{Value: []types.AttributeValue{v}}
			}
			r.New["a"] = v
		},
	} {
		r := change("a", 1, 2)
		spoil(&r)
		_, err := stream.Encode(r, 0)
		require.ErrorIs(t, err, stream.ErrRecord, name)
	}
	for _, v := range []types.AttributeValue{
		(*types.AttributeValueMemberS)(nil), (*types.AttributeValueMemberM)(nil), (*types.AttributeValueMemberN)(nil), (*types.AttributeValueMemberB)(nil),
		(*types.AttributeValueMemberBOOL)(nil), (*types.AttributeValueMemberSS)(nil), (*types.AttributeValueMemberNS)(nil),
	} {
		r := change("a", 1, 2)
		r.New["a"] = v
		_, err := stream.Encode(r, 0)
		require.ErrorIs(t, err, stream.ErrRecord, "%T", v)
	}
}

// anyRecord draws a record that DynamoDB could write, or one that Encode cut.
func anyRecord(t *rapid.T) stream.Record {
	r := stream.Record{
		ID: rapid.String().Draw(t, "id"), Stream: rapid.SampledFrom([]string{"", arn}).Draw(t, "stream"),
		Seq: rapid.StringMatching(`[0-9]{1,40}`).Draw(t, "seq"), Shard: rapid.SampledFrom([]string{"", "shardId-1"}).Draw(t, "shard"),
		Table: rapid.SampledFrom([]string{"", "Main"}).Draw(t, "table"),
		Kind:  rapid.SampledFrom([]stream.Kind{stream.Insert, stream.Modify, stream.Remove}).Draw(t, "kind"),
		Keys:  attributes{},
	}
	if rapid.Bool().Draw(t, "dated") {
		r.At = time.UnixMilli(rapid.Int64Range(0, 1e14).Draw(t, "at")).UTC()
	}
	for i := range rapid.IntRange(1, 2).Draw(t, "keys") {
		r.Keys[fmt.Sprint("k", i)] = anyAttribute(t, rapid.IntRange(0, 2).Draw(t, "type"), 0)
	}
	image := func(name string) attributes {
		item := attributes{}
		maps.Copy(item, r.Keys)
		for range rapid.IntRange(0, 4).Draw(t, name) {
			item[rapid.String().Draw(t, "name")] = anyAttribute(t, rapid.IntRange(0, 9).Draw(t, "type"), 3)
		}
		return item
	}
	if r.Kind != stream.Insert {
		r.Old = image("old")
	}
	if r.Kind != stream.Remove {
		r.New = image("new")
	}
	r.ByTTL = r.Kind == stream.Remove && rapid.Bool().Draw(t, "ttl")
	if rapid.IntRange(0, 3).Draw(t, "truncated") == 0 {
		r.Truncated, r.Old = true, nil
		if rapid.Bool().Draw(t, "both") {
			r.New = nil
		}
	}
	return r
}

func floatOf(n string) float64 {
	f, _ := strconv.ParseFloat(n, 64) // infinite if it is too large
	return f
}

// anyAttribute draws a value of a type; the last two hold others.
func anyAttribute(t *rapid.T, kind, depth int) types.AttributeValue {
	numbers := rapid.StringMatching(`-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,2})?`)
	binaries := rapid.SliceOf(rapid.Byte()).Filter(func(b []byte) bool { return b != nil })
	switch kind {
	case 0:
		return text(rapid.String().Draw(t, "S"))
	case 1:
		return number(numbers.Draw(t, "N"))
	case 2:
		return &types.AttributeValueMemberB{Value: binaries.Draw(t, "B")}
	case 3:
		return &types.AttributeValueMemberBOOL{Value: rapid.Bool().Draw(t, "BOOL")}
	case 4:
		return &types.AttributeValueMemberNULL{Value: true}
	case 5:
		return &types.AttributeValueMemberSS{Value: rapid.SliceOfNDistinct(rapid.String(), 1, 3, rapid.ID).Draw(t, "SS")}
	case 6:
		return &types.AttributeValueMemberNS{Value: rapid.SliceOfNDistinct(numbers, 1, 3, floatOf).Draw(t, "NS")}
	case 7:
		return &types.AttributeValueMemberBS{Value: rapid.SliceOfNDistinct(binaries, 1, 3, func(b []byte) string { return string(b) }).Draw(t, "BS")}
	}
	most := 9
	if depth == 0 {
		most = 7
	}
	n := rapid.IntRange(0, 3).Draw(t, "length")
	if kind == 8 {
		list := make([]types.AttributeValue, n)
		for i := range list {
			list[i] = anyAttribute(t, rapid.IntRange(0, most).Draw(t, "type"), max(depth-1, 0))
		}
		return &types.AttributeValueMemberL{Value: list}
	}
	m := attributes{}
	for range n {
		m[rapid.String().Draw(t, "name")] = anyAttribute(t, rapid.IntRange(0, most).Draw(t, "type"), max(depth-1, 0))
	}
	return &types.AttributeValueMemberM{Value: m}
}
