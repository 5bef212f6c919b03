// Package engine provides a DynamoDB to tests and examples: the one at
// DYNAMODB_ENDPOINT, or else AWS's DynamoDB Local, which it starts on this machine
// with its data in memory.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
)

// EndpointVariable is the environment variable with the endpoint of a running
// engine, such as a CI service.
const EndpointVariable = "DYNAMODB_ENDPOINT"

// Version is the release of DynamoDB Local that Start runs.
const Version = "2.6.1"

// ErrMissing is returned if this machine can run neither Java nor Docker.
var ErrMissing = errors.New("engine: DynamoDB Local needs Java 17 or later and Maven, or a running Docker; " +
	"install either, or set " + EndpointVariable)

const defaultKey = "plaza"

const startTimeout = time.Minute

// Engine is a DynamoDB that answers at Endpoint.
//
// An engine that Start started stops with its starter, even if that is killed. On
// Linux and macOS a shell waits until the starter's end of a pipe closes; on
// Windows a job object does it.
type Engine struct {
	Endpoint string // e.g. "http://127.0.0.1:41241"

	server *server // nil if Start did not start it
	key    string  // the access key, which has a database of its own
}

// Options of Start. The zero value works.
type Options struct {
	// Log receives a message when a first run downloads. Defaults to os.Stderr.
	Log io.Writer

	// Control starts an engine of its own, whatever DYNAMODB_ENDPOINT says, that
	// Rollover and Age work on. It needs a JDK.
	Control bool

	// CacheDir keeps the download. Defaults to plaza/dynamodb-local-<version> in
	// os.UserCacheDir.
	CacheDir string

	lasting bool // it works for more than three minutes
}

// Start returns when the engine answers, after a second or two. The first run on a
// machine downloads about 50 MB. ctx bounds only the start. Several processes may
// start engines at once.
func Start(ctx context.Context, opts *Options) (*Engine, error) {
	if endpoint := os.Getenv(EndpointVariable); endpoint != "" && (opts == nil || !opts.Control) {
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

// Close stops an engine that Start started, and leaves one that ran before. It may
// be repeated.
func (e *Engine) Close() error {
	if e.server == nil {
		return nil
	}
	return e.server.stop()
}

// Config connects to the engine with made-up credentials.
func (e *Engine) Config() aws.Config {
	return aws.Config{
		Region:       "us-east-1",
		BaseEndpoint: aws.String(e.Endpoint),
		Credentials:  credentials.NewStaticCredentialsProvider(cmp.Or(e.key, defaultKey), "plaza", ""),
		APIOptions:   []func(*middleware.Stack) error{trustChecksums},
	}
}

// trustChecksums is dynamodb.Options.DisableValidateResponseChecksum for each client of a
// Config. DynamoDB Local sends wrong checksums with errors.
func trustChecksums(stack *middleware.Stack) error {
	const validation = "DynamoDB:ResponseChecksumValidation"
	if _, ok := stack.Deserialize.Get(validation); !ok {
		return nil // another service's client
	}
	_, err := stack.Deserialize.Remove(validation)
	return err
}

// await returns when the engine answers, or an error if it does not.
func (e *Engine) await(ctx context.Context, exited <-chan struct{}) error {
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for {
		probe, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := e.ask(probe)
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

// ask returns an error if the engine does not answer one request.
func (e *Engine) ask(ctx context.Context) error {
	client := dynamodb.NewFromConfig(e.Config(), func(o *dynamodb.Options) {
		o.Retryer = aws.NopRetryer{}
		o.HTTPClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // leaves no connection
	})
	_, err := client.ListTables(ctx, &dynamodb.ListTablesInput{Limit: aws.Int32(1)})
	return err
}
