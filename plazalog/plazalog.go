// Package plazalog logs by log/slog what fails in Plaza. A service adds it by two lines:
//
//	failures := plazalog.New(slog.Default())
//	failures.Attach(&cfg) // before dynamo.New(cfg)
//
// and gives its methods to the options that report failures:
//
//	kit.Options{OnAttempt: failures.Attempt, OnCorrupt: failures.Corrupt}
//	feed.Options{OnAttempt: failures.Feed, OnCorrupt: failures.Corrupt} // without a kit
//
// What is logged names operations, tables and ids, and never texts. Keys, which contain
// users' ids, are in the lines of damaged items alone. What failed is at level
//
//	Error  items that are damaged, jobs that were given up, dead letters, requests and
//	       attempts that will fail again: a wrong table, no permission
//	Warn   attempts that are made again; requests that were throttled, in conflict, or
//	       got no answer, although the SDK may have sent them again with success
//	Info   workers that a kit leaves out
//	Debug  requests whose condition did not hold, which Plaza expects, and what was
//	       canceled by its caller
//
// Where the service's slog.Handler takes the trace from the context, the lines of requests
// have it. To measure as well, use package otel, a module of its own.
package plazalog

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/observe"
	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/meter"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/digest"
	"github.com/plaza-sdk/plaza/stream"
)

// Logger logs what fails. Its methods may be called concurrently.
type Logger struct{ log *slog.Logger }

// New returns a Logger that writes to log, or if that is nil to slog.Default.
func New(log *slog.Logger) *Logger { return &Logger{cmp.Or(log, slog.Default())} }

// Attach logs each request that fails, of every DynamoDB client that is made from cfg
// afterwards. Attach it once.
func (l *Logger) Attach(cfg *aws.Config) { meter.Observe(cfg, l.request) }

// levels are those of failed requests.
var levels = map[observe.Kind]slog.Level{
	observe.Refused:   slog.LevelDebug,
	observe.Canceled:  slog.LevelDebug,
	observe.Passing:   slog.LevelWarn,
	observe.Permanent: slog.LevelError,
}

func (l *Logger) request(ctx context.Context, c meter.Call) {
	if c.Err == nil {
		return
	}
	name, kind := observe.Failure(c.Err, true)
	l.log.LogAttrs(ctx, levels[kind], "plaza: request failed",
		slog.String("operation", c.Operation), slog.String("action", c.Action), slog.String("table", c.Table),
		slog.Duration("duration", c.Duration), slog.String("failure", name), slog.Any("error", c.Err))
}

// Corrupt logs a damaged item. It is the OnCorrupt of options.
func (l *Logger) Corrupt(err *plaza.CorruptError) {
	l.log.LogAttrs(context.Background(), slog.LevelError, "plaza: stored item is damaged",
		slog.String("table", err.Table), slog.String("pk", err.PK), slog.String("sk", err.SK), slog.String("reason", err.Reason))
}

// Attempt logs an attempt that failed, and at level Info that a worker was left out. It is
// the OnAttempt of kit.Options.
func (l *Logger) Attempt(a kit.Attempt) {
	if a.LeftOut != "" {
		l.log.LogAttrs(context.Background(), slog.LevelInfo, "plaza: worker left out", slog.String("worker", a.Worker), slog.String("reason", a.LeftOut))
		return
	}
	l.attempt(observe.Attempt{Worker: a.Worker, Done: a.Done, Err: a.Err})
}

// Feed logs an attempt that failed. It is the OnAttempt of feed.Options.
func (l *Logger) Feed(a feed.Attempt) { l.attempt(observe.Feed(a)) }

// Notify logs an attempt that failed. It is the OnAttempt of notify.Options.
func (l *Logger) Notify(a notify.Attempt) { l.attempt(observe.Notify(a)) }

// Digest logs an attempt that failed. It is the OnAttempt of digest.WorkerOptions.
func (l *Logger) Digest(a digest.Attempt) { l.attempt(observe.Digest(a)) }

// Leaderboard logs an attempt that failed. It is the OnAttempt of leaderboard.Options.
func (l *Logger) Leaderboard(a leaderboard.Attempt) { l.attempt(observe.Leaderboard(a)) }

// Folder logs an attempt that failed. It is the OnAttempt of leaderboard.FolderOptions.
func (l *Logger) Folder(a leaderboard.FolderAttempt) { l.attempt(observe.Folder(a)) }

// Failed returns the OnError of package stream/poller's options, which logs by the name of the
// worker.
func (l *Logger) Failed(worker string) func(error) {
	return func(err error) { l.attempt(observe.Attempt{Worker: worker, Err: err}) }
}

// Dead returns the OnDead of stream.ProcessorOptions, which logs by the name of the worker.
// It logs the letter's Reason and not the cause, whose text may have data of the item.
func (l *Logger) Dead(worker string) func(stream.Dead, error) {
	return func(d stream.Dead, _ error) {
		l.log.LogAttrs(context.Background(), slog.LevelError, "plaza: dead letter", slog.String("worker", worker),
			slog.String("stream", d.Stream), slog.String("seq", d.Seq), slog.Int("attempts", d.Attempts), slog.String("reason", d.Reason))
	}
}

func (l *Logger) attempt(a observe.Attempt) {
	if a.Err == nil {
		return
	}
	level := slog.LevelWarn
	switch {
	case a.Done, errors.Is(a.Err, plaza.ErrTable), errors.Is(a.Err, plaza.ErrCorrupt):
		level = slog.LevelError
	case errors.Is(a.Err, context.Canceled):
		level = slog.LevelDebug
	}
	l.log.LogAttrs(context.Background(), level, "plaza: attempt failed",
		slog.String("worker", a.Worker), slog.String("result", a.Result()), slog.Any("error", a.Err))
}
