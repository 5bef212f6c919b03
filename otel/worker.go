package otel

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/observe"
	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/stream"
)

// Corrupt counts a damaged item. It is the OnCorrupt of options.
func (o *Observer) Corrupt(err *plaza.CorruptError) {
	o.damaged.Add(context.Background(), 1, metric.WithAttributes(semconv.DBCollectionName(err.Table)))
	o.log.Corrupt(err)
}

// Attempt counts an attempt. Its lag is the age of Due. It is the OnAttempt of kit.Options.
func (o *Observer) Attempt(a kit.Attempt) {
	if a.LeftOut == "" {
		o.attempt(observe.Attempt{Worker: a.Worker, Due: a.Due, Done: a.Done, Err: a.Err})
	}
	o.log.Attempt(a)
}

// Feed counts an attempt. Its lag is the age of the activity's id. It is the OnAttempt of
// feed.Options.
func (o *Observer) Feed(a feed.Attempt) {
	o.attempt(observe.Feed(a))
	o.log.Feed(a)
}

// Notify counts an attempt. Its lag is the age of the activity's id. It is the OnAttempt of
// notify.Options.
func (o *Observer) Notify(a notify.Attempt) {
	o.attempt(observe.Notify(a))
	o.log.Notify(a)
}

// Digest counts an attempt. Its lag is the age of the slot, if it was sent. It is the
// OnAttempt of digest.WorkerOptions.
func (o *Observer) Digest(a digest.Attempt) {
	o.attempt(observe.Digest(a))
	o.log.Digest(a)
}

// Leaderboard counts an attempt. Its lag is the time since the period's end. It is the
// OnAttempt of leaderboard.Options.
func (o *Observer) Leaderboard(a leaderboard.Attempt) {
	o.attempt(observe.Leaderboard(a))
	o.log.Leaderboard(a)
}

// Folder counts an attempt that failed. It is the OnAttempt of leaderboard.FolderOptions.
func (o *Observer) Folder(a leaderboard.FolderAttempt) {
	o.attempt(observe.Folder(a))
	o.log.Folder(a)
}

// Batch counts each attempt of b at a record, by the name of the worker. Its lag is the age
// of the record. Records that were held back are no attempts.
func (o *Observer) Batch(worker string, b stream.Batch) stream.Batch {
	return func(ctx context.Context, records []stream.Record) []error {
		errs := b(ctx, records)
		for i, err := range errs[:min(len(errs), len(records))] {
			if !errors.Is(err, stream.ErrHeld) {
				o.attempt(observe.Attempt{Worker: worker, Due: records[i].At, Done: err == nil, Err: err})
			}
		}
		return errs
	}
}

// Dead returns the OnDead of stream.ProcessorOptions. It counts a letter as given up,
// besides the attempts before it.
func (o *Observer) Dead(worker string) func(stream.Dead, error) {
	logged := o.log.Dead(worker)
	return func(d stream.Dead, err error) {
		o.attempt(observe.Attempt{Worker: worker, Done: true, Err: err})
		logged(d, err)
	}
}

// Failed returns the OnError of package stream/poller's options. It counts a failed attempt.
func (o *Observer) Failed(worker string) func(error) {
	logged := o.log.Failed(worker)
	return func(err error) {
		o.attempt(observe.Attempt{Worker: worker, Err: err})
		logged(err)
	}
}

func (o *Observer) attempt(a observe.Attempt) {
	of := []attribute.KeyValue{workerKey.String(a.Worker)}
	if a.Done && a.Err == nil && !a.Due.IsZero() {
		o.lag.Record(context.Background(), max(0, o.opts.Now().Sub(a.Due).Seconds()), metric.WithAttributes(of...))
	}
	of = append(of, resultKey.String(a.Result()))
	if a.Err != nil {
		of = append(of, semconv.ErrorTypeKey.String(observe.Class(a.Err)))
	}
	o.attempts.Add(context.Background(), 1, metric.WithAttributes(of...))
}
