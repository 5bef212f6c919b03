package stream

import (
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"github.com/plaza-sdk/plaza/internal/jsontext"
)

// ParseFailure reads the documents that AWS itself sends when a function fails:
//
//   - the document of a failed batch of a DynamoDB stream, from the on-failure
//     destination of an event source mapping or a pipe: one letter, a position.
//     From an S3 bucket it has the event too: a letter for each record.
//   - the document of a failed asynchronous invocation, whose payload is an event
//     of a bus with a record of Encode as its detail, such a record, or an event
//     of a stream
//   - such a payload alone, as in a dead-letter queue of a function or a rule
//
// Anything else is ErrEvent, and a record in it that cannot be read and has no
// position is ErrRecord. A letter's reason is the document's condition.
func ParseFailure(raw []byte, limits Limits) ([]Dead, error) {
	if most := 2 * limits.bytes(); len(raw) > most { // an event may be inside, as text
		return nil, fmt.Errorf("%w: it has %d bytes, at most %d are allowed", ErrEvent, len(raw), most)
	}
	var doc failureDocument
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("%w: not a document of a failure", ErrEvent)
	}
	from := Dead{Reason: doc.RequestContext.Condition, Attempts: max(doc.RequestContext.ApproximateInvokeCount, 0)}
	if from.Reason == "" {
		from.Reason = doc.Context.Condition
	}
	if !condition.MatchString(from.Reason) {
		from.Reason = "unknown"
	}
	var batch *failedBatch
	if len(doc.Batch) > 0 {
		if err := jsontext.Unmarshal(doc.Batch, &batch); err != nil {
			return nil, fmt.Errorf("%w: its position cannot be read", ErrEvent)
		}
	}
	switch {
	case batch != nil && len(doc.Payload) > 0:
		from.Shard = batch.ShardID
		return lettersOf(doc.Payload, from, limits)
	case batch != nil:
		return batch.position(from)
	case len(doc.RequestPayload) > 0:
		return lettersOf(doc.RequestPayload, from, limits)
	}
	return lettersOf(raw, from, limits)
}

var condition = regexp.MustCompile(`^[A-Za-z]{1,64}$`)

type failureDocument struct {
	RequestContext struct {
		Condition              string `json:"condition"`
		ApproximateInvokeCount int    `json:"approximateInvokeCount"`
	} `json:"requestContext"`
	Context struct { // of a pipe
		Condition string `json:"condition"`
	} `json:"context"`
	Batch          json.RawMessage `json:"DDBStreamBatchInfo"`
	Payload        json.RawMessage `json:"payload"`
	RequestPayload json.RawMessage `json:"requestPayload"`
}

// failedBatch is a position of a stream.
type failedBatch struct {
	ShardID   string    `json:"shardId"`
	StreamARN string    `json:"streamArn"`
	Start     string    `json:"startSequenceNumber"`
	End       string    `json:"endSequenceNumber"`
	First     time.Time `json:"approximateArrivalOfFirstRecord"`
}

func (b *failedBatch) position(letter Dead) ([]Dead, error) {
	if _, ok := TableOf(b.StreamARN); !ok || b.ShardID == "" || !isSequence(b.Start) || !isSequence(b.End) {
		return nil, fmt.Errorf("%w: its position is not complete", ErrEvent)
	}
	letter.Stream, letter.Shard, letter.Seq, letter.At = b.StreamARN, b.ShardID, b.Start, b.First.UTC()
	if b.End != b.Start {
		letter.LastSeq = b.End
	}
	return []Dead{letter}, nil
}

// lettersOf makes letters of the records in a function's payload.
func lettersOf(payload json.RawMessage, from Dead, limits Limits) ([]Dead, error) {
	if payload[0] == '"' { // in a bucket the event is a text
		var text string
		if err := jsontext.Unmarshal(payload, &text); err != nil {
			return nil, fmt.Errorf("%w: its payload is no text", ErrEvent)
		}
		payload = json.RawMessage(text)
	}
	var event struct {
		Records json.RawMessage `json:"Records"`
		Detail  json.RawMessage `json:"detail"`
	}
	if err := json.Unmarshal(payload, &event); err != nil {
		return nil, fmt.Errorf("%w: its payload is no event", ErrEvent)
	}
	var items []Item
	if len(event.Records) > 0 {
		var err error
		if items, err = Decode(payload, limits); err != nil {
			return nil, err
		}
	} else {
		if len(event.Detail) > 0 {
			payload = event.Detail
		}
		record, err := DecodeEvent(payload)
		if err != nil {
			return nil, err
		}
		items = []Item{{Seq: record.Seq, Record: record}}
	}
	letters := make([]Dead, len(items))
	for i, item := range items {
		letters[i] = item.Dead(from.Reason, from.Attempts)
		if letters[i].Shard == "" {
			letters[i].Shard = from.Shard
		}
	}
	return letters, nil
}
