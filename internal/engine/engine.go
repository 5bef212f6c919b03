// Package engine provides a DynamoDB to tests and examples: the one at
// DYNAMODB_ENDPOINT, or else one that it starts on this machine with its data in memory.
// That is AWS's DynamoDB Local or dynoxide; PLAZA_ENGINE says which.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// EndpointVariable is the environment variable with the endpoint of a running
// engine, such as a CI service.
const EndpointVariable = "DYNAMODB_ENDPOINT"

// Variable is the environment variable with Options.Name.
const Variable = "PLAZA_ENGINE"

// Version is the release of DynamoDB Local that Start runs.
const Version = "2.6.1"

// ErrMissing is returned if this machine has nothing that gets or runs an engine.
var ErrMissing = errors.New("engine: nothing here runs a DynamoDB")

const defaultKey = "plaza"

const startTimeout = time.Minute

// Engine is a DynamoDB that answers at Endpoint.
//
// An engine that Start started stops with its starter, even if that is killed. On
// Linux and macOS a shell waits until the starter's end of a pipe closes; on
// Windows a job object does it.
type Engine struct {
	Endpoint string // e.g. "http://127.0.0.1:41241"

	Kind Kind

	server *server // nil if Start did not start it
	key    string  // the access key, which has a database of its own
}

// Kind is which engine answers.
type Kind string

// These are the kinds that tests and localmeter know.
const (
	DynamoDBLocal Kind = "DynamoDB Local"
	Dynoxide      Kind = "dynoxide"
	Unknown       Kind = "" // such as DynamoDB itself
)

const versionHeader = "X-Dynoxide-Version"

// KindOf returns the kind of the engine that sent an answer.
func KindOf(answer http.Header) Kind {
	switch {
	case answer.Get(versionHeader) != "":
		return Dynoxide
	case strings.HasPrefix(answer.Get("Server"), "Jetty"):
		return DynamoDBLocal
	}
	return Unknown
}

// Options of Start. The zero value works.
type Options struct {
	// Log receives a line that names the engine, and one for a first run's download.
	// Defaults to os.Stderr.
	Log io.Writer

	// Control starts a DynamoDB Local of its own, whatever the environment says, that
	// Rollover and Age work on. It needs a JDK.
	Control bool

	// Name is "dynamodb-local", "docker" (DynamoDB Local in a container), "dynoxide", or the path
	// of a dynoxide. Defaults to PLAZA_ENGINE, and then to what this machine has or can get.
	Name string

	// CacheDir keeps what is downloaded. Defaults to plaza in os.UserCacheDir.
	CacheDir string

	lasting bool   // it works for more than three minutes
	parent  int    // the engine stops when this process ends. 0: when this one does
	record  string // a file that is removed then
}

// say logs a line.
func (o Options) say(format string, args ...any) {
	log := o.Log
	if log == nil {
		log = os.Stderr
	}
	_, _ = fmt.Fprintf(log, "engine: "+format+"\n", args...)
}

// Start returns when the engine answers, after a second or two. The first run on a
// machine downloads 8 or 50 MB. ctx bounds only the start. Several processes may start
// engines at once.
func Start(ctx context.Context, opts *Options) (*Engine, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if endpoint := os.Getenv(EndpointVariable); endpoint != "" && o.Name == "" && !o.Control {
		e := &Engine{Endpoint: endpoint}
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		if err := e.await(ctx, nil); err != nil {
			return nil, fmt.Errorf("engine: %s=%s: %w", EndpointVariable, endpoint, err)
		}
		return e, nil
	}
	return start(ctx, o)
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

// await returns when the engine answers, or an error if it does not. exited is nil for an
// engine that ran before: then an answer that is no DynamoDB's ends it too.
func (e *Engine) await(ctx context.Context, exited <-chan struct{}) error {
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for {
		probe, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := e.ask(probe)
		cancel()
		switch {
		case err == nil:
			return nil
		case errors.Is(err, ErrTooOld):
			return err
		case exited == nil && answered(err):
			return fmt.Errorf("another program answers: %w", err)
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

// errNoTables is returned for an answer that any program may give.
var errNoTables = errors.New("engine: the answer names no tables")

func answered(err error) bool {
	var response *smithyhttp.ResponseError
	return errors.Is(err, errNoTables) || errors.As(err, &response) && response.HTTPStatusCode() != http.StatusServiceUnavailable
}

// ask returns an error if the engine does not answer one request. It learns its Kind.
func (e *Engine) ask(ctx context.Context) error {
	client := dynamodb.NewFromConfig(e.Config(), func(o *dynamodb.Options) {
		o.Retryer = aws.NopRetryer{}
		o.HTTPClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // leaves no connection
	})
	out, err := client.ListTables(ctx, &dynamodb.ListTablesInput{Limit: aws.Int32(1)})
	if err != nil {
		return err
	}
	if out.TableNames == nil {
		return errNoTables
	}
	header := awsmiddleware.GetRawResponse(out.ResultMetadata).(*smithyhttp.Response).Header
	e.Kind = KindOf(header)
	if e.Kind == Dynoxide {
		return checkVersion(header.Get(versionHeader))
	}
	return nil
}
