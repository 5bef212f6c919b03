package store

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

// Write is applied by Run: a *Put, *Update, *Delete, *Tx or Returning.
type Write interface {
	// send sends the request once. Each call sends the same one.
	send(ctx context.Context, t *Table, noting option) error
}

// Run applies w in one request, and repeats the request after a transient failure.
//
// If a condition fails, the error is a *Refused. If any answer was lost it is
// plaza.ErrUnknownOutcome, whatever ended the attempts. Otherwise nothing was written:
// contention or throttling that outlasts all attempts is plaza.ErrBusy, and
// plaza.ErrUnavailable means that no attempt reached DynamoDB.
func (t *Table) Run(ctx context.Context, w Write) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var err error
	seen := tries{dates: t.dates}
	for attempt := range attempts {
		if attempt > 0 {
			if err = sleep(ctx, attempt); err != nil {
				break
			}
		}
		if err = w.send(ctx, t, seen.note); err == nil {
			return nil
		}
		if !passing(err) {
			if refused := refusal(err); refused != nil {
				_, token := w.(*Tx)
				refused.doubtful = seen.lost.Load() && !token
				return refused
			}
			break
		}
	}
	return t.failed(ctx, err, &seen, true)
}

// Refused is the error of a write whose conditions failed. It has the stored items.
type Refused struct {
	items    map[int]dynamo.Item
	cause    error
	doubtful bool
}

func (r *Refused) Error() string { return "store: condition failed" }

func (r *Refused) Unwrap() error { return r.cause }

// At reports whether the condition of write i of a transaction failed, and returns the
// stored item, or nil if there was none. A single write is write 0.
func (r *Refused) At(i int) (item dynamo.Item, failed bool) {
	item, failed = r.items[i]
	return item, failed
}

// Doubtful reports whether the write may have been applied before it was refused: it was
// sent again because an answer was lost. It is false for a transaction: if that was
// applied, its token makes a repeat succeed.
func (r *Refused) Doubtful() bool { return r.doubtful }

func refusal(err error) *Refused {
	var single *types.ConditionalCheckFailedException
	if errors.As(err, &single) {
		return &Refused{items: map[int]dynamo.Item{0: single.Item}, cause: err}
	}
	var canceled *types.TransactionCanceledException
	if !errors.As(err, &canceled) {
		return nil
	}
	items := map[int]dynamo.Item{}
	for i, reason := range canceled.CancellationReasons {
		if code(reason) == "ConditionalCheckFailed" {
			items[i] = reason.Item
		}
	}
	if len(items) == 0 {
		return nil
	}
	return &Refused{items: items, cause: err}
}

// AsRefused returns the *Refused that err is or wraps, if any.
func AsRefused(err error) (*Refused, bool) {
	var r *Refused
	ok := errors.As(err, &r)
	return r, ok
}
