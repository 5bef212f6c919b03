package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
)

// Write is applied by Run: a *Put, *Update, *Delete, *Tx or Returning.
type Write interface {
	// send sends the request once. Each call sends the same one.
	send(ctx context.Context, t *Table, noting option) error
}

type option = func(*dynamodb.Options)

// losses is a retryer that notes whether the answer to an attempt was lost.
type losses struct {
	aws.Retryer
	any bool
}

func (l *losses) note(o *dynamodb.Options) { l.Retryer, o.Retryer = o.Retryer, l }

func (l *losses) IsErrorRetryable(err error) bool {
	l.any = l.any || lost(err)
	return l.Retryer.IsErrorRetryable(err)
}

func (l *losses) GetAttemptToken(ctx context.Context) (release func(error) error, err error) {
	if retryer, ok := l.Retryer.(aws.RetryerV2); ok {
		return retryer.GetAttemptToken(ctx)
	}
	return l.GetInitialToken(), nil
}

// Run applies w in one request, and repeats the request after a transient failure.
//
// If a condition fails, the error is a *Refused. A lost answer is
// plaza.ErrUnknownOutcome. Contention or throttling that outlasts all attempts is
// plaza.ErrBusy.
func (t *Table) Run(ctx context.Context, w Write) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var err error
	var seen losses
	note := seen.note
	if t.options != nil {
		note = func(o *dynamodb.Options) {
			for _, set := range t.options {
				set(o)
			}
			seen.note(o)
		}
	}
	for attempt := range attempts {
		if attempt > 0 {
			if stopped := sleep(ctx, attempt); stopped != nil {
				return fmt.Errorf("table %s: %w: %w", t.name, plaza.ErrBusy, stopped)
			}
		}
		if err = w.send(ctx, t, note); err == nil {
			return nil
		}
		if !passing(err) {
			if refused := refusal(err); refused != nil {
				refused.doubtful = seen.any
				return refused
			}
			break
		}
	}
	return fmt.Errorf("table %s: %w", t.name, translate(ctx, err, true))
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

// Doubtful reports whether the write may have been applied before it was refused: the SDK
// sent it again because an answer was lost. It is false for a transaction.
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
