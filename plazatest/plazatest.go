package plazatest

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/meter"
	"github.com/plaza-sdk/plaza/tables"
)

// Env is a DynamoDB with tables of its own.
type Env struct {
	DB     *dynamo.DB
	Config aws.Config   // connects to the same DynamoDB, whose answers report what AWS would bill
	Tables tables.Names // no other Env has them
	Meter  *meter.Meter // counts all requests of DB and Config, with the units that AWS would bill

	engine    *engine.Engine
	transport *http.Transport
	client    *dynamodb.Client // neither metered nor wrapped

	mu   sync.Mutex
	made []string // tables
}

// Options of Start and Open. The zero value works.
type Options struct {
	// Tables are the tables to create. Each name is the beginning of the table's
	// name. Defaults to tables.NamesOf("plaza-"), which is all tables.
	Tables tables.Names

	// Wrap is put around the HTTP client of DB and Config, for example to inject faults.
	// The first is nearest to DynamoDB. The meter counts the requests that get through
	// all of them.
	Wrap []func(aws.HTTPClient) aws.HTTPClient

	// Observe is called after each request of DB and Config that reaches DynamoDB, as by
	// meter.Observe, but with the units that AWS would bill: for example to show what a
	// click costs. It is called concurrently. An error in a Call is a smithy.APIError or
	// one of the connection. Defaults to nothing.
	Observe func(context.Context, meter.Call)

	// Price reports, from a request's context, whether to price the request. One that is
	// not priced counts without units, and is faster: to price a write, the meter
	// may have to read each item before and after it. Defaults to all requests.
	Price func(context.Context) bool

	// KeepExpired leaves the tables' expiry off, for tests whose clock is in the past:
	// an engine soon deletes what has expired by the machine's clock. Without expiry
	// Verify and Init return plaza.ErrTable.
	KeepExpired bool
}

// shared is one engine a process, also where no go command runs the tests.
var shared = sync.OnceValues(func() (*engine.Engine, error) { return engine.Shared(context.Background()) })

// TB is what Start needs of a *testing.T or *testing.B. A program that calls Open does not
// link package testing.
type TB interface {
	Helper()
	Context() context.Context
	Cleanup(func())
	Error(args ...any)
	Fatal(args ...any)
}

// Start returns an Env whose tables are deleted when the test ends. Verify passes on them
// without Init. It starts an engine if no other test has, which takes a second or two.
func Start(tb TB, opts *Options) *Env {
	tb.Helper()
	local, err := shared()
	if err != nil {
		tb.Fatal(err)
	}
	e, err := open(tb.Context(), local, opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := e.free(); err != nil {
			tb.Error(err)
		}
	})
	return e
}

// Open is Start for a program. The caller must call Close.
func Open(ctx context.Context, opts *Options) (*Env, error) {
	local, err := engine.Shared(ctx)
	if err != nil {
		return nil, err
	}
	e, err := open(ctx, local, opts)
	if err != nil {
		return nil, errors.Join(err, local.Close())
	}
	return e, nil
}

func open(ctx context.Context, local *engine.Engine, opts *Options) (*Env, error) {
	o := args.Given(opts)
	e := connect(local, o)
	if err := e.createTables(ctx, o); err != nil {
		return nil, errors.Join(err, e.free())
	}
	return e, nil
}

// Cost returns the cost of all requests that reach DynamoDB while f runs, including
// those of other goroutines.
func (e *Env) Cost(f func()) meter.Cost {
	before := e.Meter.Total()
	f()
	after := e.Meter.Total()
	return meter.Cost{
		Requests: after.Requests - before.Requests,
		Read:     after.Read - before.Read,
		Write:    after.Write - before.Write,
	}
}

// Close deletes the tables, and stops the engine if Open started it for this program
// alone. It may be repeated. Start calls it for the test.
func (e *Env) Close() error { return errors.Join(e.free(), e.engine.Close()) }

func (e *Env) free() error {
	err := e.deleteTables()
	e.transport.CloseIdleConnections()
	return err
}
