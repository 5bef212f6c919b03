// Package engine gives tests and examples a DynamoDB to work with: the one
// that DYNAMODB_ENDPOINT names, else AWS's own DynamoDB Local, started on this
// machine and kept in memory.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// EndpointVariable names an engine that runs already, e.g. a CI service.
const EndpointVariable = "DYNAMODB_ENDPOINT"

// Version is the release of DynamoDB Local that is run.
const Version = "2.6.1"

// ErrMissing is returned when this machine has nothing to run the engine with.
var ErrMissing = errors.New("engine: DynamoDB Local needs Java 17 or later and Maven, or a running Docker; " +
	"install either, or set " + EndpointVariable)

const startTimeout = time.Minute

// Engine is a DynamoDB that answers at Endpoint.
//
// One that was started here ends with its starter, also when that is killed:
// on Linux and macOS by a shell that waits for the starter's end of a pipe to
// close, on Windows by a job object.
type Engine struct {
	Endpoint string // e.g. "http://127.0.0.1:41241"

	server *server // nil: not ours
}

// Options of Start. The zero value works.
type Options struct {
	// Log is where a first run says what it fetches. Defaults to os.Stderr.
	Log io.Writer

	// CacheDir keeps what was fetched. Defaults to plaza/dynamodb-local-<version>
	// in os.UserCacheDir.
	CacheDir string
}

// Start returns once the engine answers, after a second or two; a machine's
// first run fetches about 50 MB before. ctx bounds the start only. Several
// processes may start engines at once.
func Start(ctx context.Context, opts *Options) (*Engine, error) {
	if endpoint := os.Getenv(EndpointVariable); endpoint != "" {
		e := &Engine{Endpoint: endpoint}
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		if err := e.await(ctx, nil); err != nil {
			return nil, fmt.Errorf("engine: %s=%s: %w", EndpointVariable, endpoint, err)
		}
		return e, nil
	}

	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Log == nil {
		o.Log = os.Stderr
	}
	command, err := newCommand(ctx, o)
	if err != nil {
		return nil, err
	}
	return launch(ctx, command)
}

// Close stops an engine that Start started, and does nothing to one that ran
// before. It may be called twice.
func (e *Engine) Close() error {
	if e.server == nil {
		return nil
	}
	return e.server.stop()
}

// Config reaches the engine with made-up credentials. It belongs together with
// Options:
//
//	db := dynamo.New(e.Config(), e.Options)
func (e *Engine) Config() aws.Config {
	return aws.Config{
		Region:       "us-east-1",
		BaseEndpoint: aws.String(e.Endpoint),
		Credentials:  credentials.NewStaticCredentialsProvider("plaza", "plaza", ""),
	}
}

// Options switches off the check of answers' checksums, which DynamoDB Local
// gets wrong on errors. Not for DynamoDB itself.
func (e *Engine) Options(o *dynamodb.Options) {
	o.DisableValidateResponseChecksum = true
}

// await returns when the engine answers, or why it never will.
func (e *Engine) await(ctx context.Context, exited <-chan struct{}) error {
	client := dynamodb.NewFromConfig(e.Config(), e.Options, func(o *dynamodb.Options) {
		o.Retryer = aws.NopRetryer{}
	})
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for {
		probe, cancel := context.WithTimeout(ctx, 5*time.Second)
		_, err := client.ListTables(probe, &dynamodb.ListTablesInput{Limit: aws.Int32(1)})
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no answer: %w", err)
		case <-exited:
			return errExited
		case <-tick.C:
		}
	}
}
