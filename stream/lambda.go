package stream

import (
	"context"
	"encoding/json"
)

// Response is the answer of a function to Lambda, whose event source mapping has
// ReportBatchItemFailures as its response type.
type Response struct {
	BatchItemFailures []BatchItemFailure `json:"batchItemFailures"`
}

// BatchItemFailure names a record by its sequence number. Lambda sends it and
// later ones again.
type BatchItemFailure struct {
	ItemIdentifier string `json:"itemIdentifier"`
}

// MarshalJSON writes an empty list where it is nil, never null.
func (r Response) MarshalJSON() ([]byte, error) {
	type plain Response
	if r.BatchItemFailures == nil {
		r.BatchItemFailures = []BatchItemFailure{}
	}
	return json.Marshal(plain(r))
}

// Lambda handles an event of a DynamoDB stream, as the handler of a function. The
// answer names the first record that was neither handled nor made a dead letter.
// It is an error if the event cannot be read, or if that record has no sequence
// number; then Lambda sends the whole event again.
//
// Cost: as Process.
func (p *Processor) Lambda(ctx context.Context, raw json.RawMessage) (Response, error) {
	items, err := Decode(raw, p.opts.Limits)
	if err != nil {
		return Response{}, err
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-p.opts.Margin))
		defer cancel()
	}
	done, err := p.Process(ctx, items)
	if err == nil {
		return Response{BatchItemFailures: []BatchItemFailure{}}, nil
	}
	if items[done].Seq == "" {
		return Response{}, err
	}
	p.opts.OnStop(err)
	return Response{BatchItemFailures: []BatchItemFailure{{items[done].Seq}}}, nil
}
