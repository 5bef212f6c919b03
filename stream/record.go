package stream

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Kind says what a write did to an item.
type Kind string

// The kinds of DynamoDB Streams.
const (
	Insert Kind = "INSERT"
	Modify Kind = "MODIFY"
	Remove Kind = "REMOVE"
)

// Record is one change of one item.
type Record struct {
	ID     string // unique in its stream
	Stream string // the stream's ARN; "" from FromSDK, whose caller knows it
	Seq    string // its sequence number; rises within a shard
	Shard  string // "" in a Lambda event, which does not name it
	Table  string // the table's name, from the stream's ARN
	Kind   Kind
	At     time.Time // rounded down by DynamoDB to the second

	Keys map[string]types.AttributeValue
	Old  map[string]types.AttributeValue // nil for Insert
	New  map[string]types.AttributeValue // nil for Remove

	ByTTL     bool // DynamoDB removed the item since it had expired
	Truncated bool // Encode dropped Old, or Old and New
}

// Item is a record of an event, or the error that kept it from being read.
type Item struct {
	Seq    string // "" if even that cannot be read
	Record Record // if Err is set, only what names it: ID, Stream, Seq, Shard, Table, At
	Err    error
	Raw    []byte // the record's JSON, if Err is set and there is any
}
