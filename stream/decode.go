package stream

import (
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// Limits bound what Decode reads. The zero value works.
type Limits struct {
	Bytes int // of an event; defaults to 6 MiB, Lambda's limit
	Depth int // of lists and maps inside each other; defaults to 32, DynamoDB's limit
}

// Decode reads a Lambda event.
func Decode(raw []byte, limits Limits) ([]Item, error) { panic("TODO") }

// FromSDK converts a record of the SDK. Its caller sets Stream, Shard and Table.
func FromSDK(r streamtypes.Record) (Record, error) { panic("TODO") }

// Encode writes a record as JSON.
func Encode(r Record, limit int) ([]byte, error) { panic("TODO") }

// DecodeEvent reads what Encode wrote.
func DecodeEvent(raw []byte) (Record, error) { panic("TODO") }
