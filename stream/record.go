package stream

import (
	"strings"
	"time"
	"unicode/utf8"

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

// Item is a record of an event, or the error of reading it.
type Item struct {
	Seq    string // "" if even that cannot be read
	Record Record // if Err is set, only what names it: ID, Stream, Seq, Shard, Table, At
	Err    error
	Raw    []byte // the record's JSON, if Err is set and there is any
}

// Round is what all shards of a stream had when a poller.Reader read them.
type Round struct {
	// Items are in order within each shard, and those of a shard come after its
	// parent's.
	Items []Item

	// Through is a time up to which every change was returned. It trails the
	// present by up to poller.ReaderOptions.List, and by more while a shard has more
	// or cannot be read. An answer without changes counts as if there were none,
	// although DynamoDB may deliver some later.
	Through time.Time
}

// check returns why DynamoDB would not write such a record, or "" if it would.
func (r Record) check(depth int) string {
	if reason := r.checkShape(); reason != "" {
		return reason
	}
	for _, text := range []string{r.ID, r.Stream, r.Shard, r.Table} {
		if !utf8.ValidString(text) {
			return notUTF8
		}
	}
	for _, item := range []map[string]types.AttributeValue{r.Keys, r.New, r.Old} {
		if reason := checkItem(item, depth); reason != "" {
			return reason
		}
	}
	return ""
}

// checkShape checks everything but the attributes' values. Images that Encode dropped
// may be missing.
func (r Record) checkShape() string {
	switch {
	case !isSequence(r.Seq):
		return "the sequence number is missing or malformed"
	case r.Kind != Insert && r.Kind != Modify && r.Kind != Remove:
		return "the kind is unknown"
	case len(r.Keys) == 0 || len(r.Keys) > 2:
		return "there are not one or two keys"
	case r.Kind == Insert && r.Old != nil, r.Kind == Remove && r.New != nil, r.Truncated && r.Old != nil:
		return "there is an image too many"
	case r.Old != nil && len(r.Old) < len(r.Keys), r.New != nil && len(r.New) < len(r.Keys):
		return "an image is smaller than its keys"
	case !r.Truncated && (r.Kind != Insert && r.Old == nil || r.Kind != Remove && r.New == nil):
		return "an image is missing"
	case r.ByTTL && r.Kind != Remove:
		return "only a removal is by expiry"
	case r.At.UTC().Year() < 1 || r.At.UTC().Year() > 9999:
		return "a time is out of range"
	}
	for _, v := range r.Keys {
		switch v.(type) {
		case *types.AttributeValueMemberS, *types.AttributeValueMemberN, *types.AttributeValueMemberB:
		default:
			return "a key is no string, number or binary"
		}
	}
	return ""
}

func isSequence(seq string) bool { return areDigits(seq) && len(seq) <= 64 }

// TableOf returns the name of a stream's table, which is in the stream's ARN:
// arn:aws:dynamodb:region:account:table/name/stream/label.
func TableOf(arn string) (name string, ok bool) {
	parts := strings.SplitN(arn, ":", 6)
	if len(parts) < 6 || parts[0] != "arn" || parts[2] != "dynamodb" {
		return "", false
	}
	rest, ok := strings.CutPrefix(parts[5], "table/")
	name, label, found := strings.Cut(rest, "/stream/")
	return name, ok && found && name != "" && label != ""
}
