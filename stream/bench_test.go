package stream_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/stream"
)

// bareValue is an attribute as encoding/json alone reads it, as functions do that
// use the types of AWS's events.
type bareValue struct {
	S, N, B    *string               `json:",omitempty"`
	BOOL, NULL *bool                 `json:",omitempty"`
	SS, NS, BS []string              `json:",omitempty"`
	L          []bareValue           `json:",omitempty"`
	M          map[string]*bareValue `json:",omitempty"`
}

// BenchmarkJSON compares what reads and writes records with encoding/json.
func BenchmarkJSON(b *testing.B) {
	image := `{"Id":{"S":"item-%[1]d"},"version":{"N":"%[1]d"},"title":{"S":"the title of something that people like"},"tags":{"SS":["red","green","blue"]},` +
		`"at":{"N":"1767323045123"},"live":{"BOOL":true},"by":{"M":{"user":{"S":"user-12345678"},"name":{"S":"Somebody"}}},"scores":{"L":[{"N":"1"},{"N":"2"},{"N":"3"}]}}`
	var texts []string
	for i := range 100 {
		full := fmt.Sprintf(image, i)
		texts = append(texts, fmt.Sprintf(`{"eventID":"e%d","eventName":"MODIFY","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"eu-west-1","dynamodb":{"ApproximateCreationDateTime":1767323045,`+
			`"Keys":{"Id":{"S":"item-%d"}},"NewImage":%s,"OldImage":%s,"SequenceNumber":"%d","SizeBytes":500,"StreamViewType":"NEW_AND_OLD_IMAGES"},"eventSourceARN":"`+arn+`"}`, i, i, full, full, 1000+i))
	}
	raw := event(texts...)
	items, err := stream.Decode(raw, stream.Limits{})
	require.NoError(b, err)
	encoded, err := stream.Encode(items[0].Record, 0)
	require.NoError(b, err)
	type bareEvent struct {
		ID, Stream, Seq, Table, Kind string
		At                           time.Time
		Keys, New, Old               map[string]bareValue
	}
	var bare bareEvent
	require.NoError(b, json.Unmarshal(encoded, &bare))
	for _, c := range []struct {
		name string
		call func() error
	}{
		{"Decode", func() error { _, err := stream.Decode(raw, stream.Limits{}); return err }},
		{"Decode/json", func() error {
			var out struct {
				Records []struct {
					EventID, EventName, EventSourceARN string
					Dynamodb                           struct {
						ApproximateCreationDateTime float64
						SequenceNumber              string
						Keys, NewImage, OldImage    map[string]bareValue
					}
				}
			}
			return json.Unmarshal(raw, &out)
		}},
		{"Encode", func() error { _, err := stream.Encode(items[0].Record, 1<<18); return err }},
		{"Encode/json", func() error { _, err := json.Marshal(bare); return err }},
		{"DecodeEvent", func() error { _, err := stream.DecodeEvent(encoded); return err }},
		{"DecodeEvent/json", func() error { var out bareEvent; return json.Unmarshal(encoded, &out) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if err := c.call(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
