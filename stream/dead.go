package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aws/smithy-go"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

// Dead is a dead letter: a record or an event that was given up. Its JSON is that
// of a message in a queue.
type Dead struct {
	Stream   string    `json:"stream,omitzero"`  // the stream's ARN
	Shard    string    `json:"shard,omitzero"`   // "" if it is from a Lambda event
	Seq      string    `json:"seq,omitzero"`     // or the ID of an event given to Deliver
	LastSeq  string    `json:"lastSeq,omitzero"` // the last of a position of several records
	KeyHash  string    `json:"keyHash,omitzero"` // equal for records of one item; "" if unknown
	Reason   string    `json:"reason"`           // holds no data of the item
	Attempts int       `json:"attempts"`
	At       time.Time `json:"at,omitzero"` // when the record was written

	// Record is what Encode wrote, the record's JSON in a Lambda event if it cannot
	// be read, or the Data of an event given to Deliver. If it is empty, the letter
	// is a position: poller.Reread reads its records from the stream, within 24 hours.
	Record []byte `json:"-"`

	// Receipt is set by a DeadSource, for its Delete. It is not stored.
	Receipt string `json:"-"`
}

// DeadLetters stores dead letters. Storing one again is harmless.
type DeadLetters interface {
	Put(context.Context, Dead) error
}

// Fit returns the letter with at most limit bytes of Record. For that it drops
// the old image, then the new one, then the whole record, so that the position
// is left.
func (d Dead) Fit(limit int) Dead {
	if len(d.Record) <= limit {
		return d
	}
	record, err := DecodeEvent(d.Record)
	d.Record = nil
	if err == nil && limit > 0 {
		d.Record, _ = Encode(record, limit) // nil if even the keys are too large
	}
	return d
}

// deadJSON has a Record that is a JSON object as that object, and any other as base64.
type deadJSON struct {
	plainDead
	Record json.RawMessage `json:"record,omitzero"`
}

type plainDead Dead

// MarshalJSON writes the letter with its Record.
func (d Dead) MarshalJSON() ([]byte, error) {
	out := deadJSON{plainDead: plainDead(d)}
	switch {
	case len(d.Record) == 0:
	case d.Record[0] == '{' && jsontext.Valid(d.Record):
		out.Record = d.Record
	default:
		text, err := json.Marshal(d.Record)
		if err != nil {
			return nil, err
		}
		out.Record = text
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (d *Dead) UnmarshalJSON(raw []byte) error {
	var in deadJSON
	if err := jsontext.Unmarshal(raw, &in); err != nil {
		return err
	}
	*d = Dead(in.plainDead)
	if len(in.Record) > 0 && in.Record[0] == '"' {
		return jsontext.Unmarshal(in.Record, &d.Record)
	}
	if string(in.Record) != "null" {
		d.Record = in.Record
	}
	return nil
}

// Dead returns the letter of an item. Its reason must hold no data of the item.
func (i Item) Dead(reason string, attempts int) Dead {
	r := i.Record
	letter := Dead{Stream: r.Stream, Shard: r.Shard, Seq: i.Seq, Reason: reason, Attempts: attempts, At: r.At, Record: i.Raw}
	if i.Err == nil {
		letter.KeyHash = keyHash(r)
		letter.Record, _ = Encode(r, 0) // nil if it cannot be encoded: the position remains
	}
	return letter
}

// putDead stores a letter. Its error names the letter's reason, which holds no
// data.
func putDead(ctx context.Context, dead DeadLetters, letter Dead) error {
	err := parallel.Catch(func() error { return dead.Put(ctx, letter) })
	if err != nil {
		return fmt.Errorf("no dead letter (%s): %w", letter.Reason, err)
	}
	return nil
}

// reasonOf is the class of an error, whose own text may hold data of the item.
func reasonOf(err error) string {
	var panicked *parallel.PanicError
	var api smithy.APIError
	switch {
	case errors.As(err, &panicked):
		return "panic"
	case errors.As(err, &api):
		return api.ErrorCode()
	case errors.Is(err, context.DeadlineExceeded):
		return context.DeadlineExceeded.Error()
	case errors.Is(err, context.Canceled):
		return context.Canceled.Error()
	}
	for _, class := range []error{
		ErrRecord, ErrTruncated, ErrTooLarge, ErrOutcomes, ErrHeld, plaza.ErrInvalid, plaza.ErrForbidden, plaza.ErrNotFound, plaza.ErrConflict, plaza.ErrRemoved,
		plaza.ErrBusy, plaza.ErrUnavailable, plaza.ErrUnknownOutcome, plaza.ErrTable, plaza.ErrCorrupt,
	} {
		if errors.Is(err, class) {
			return class.Error()
		}
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return fmt.Sprintf("%T", err)
		}
		err = inner
	}
}
