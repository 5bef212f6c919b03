// Package plazatest gives a test, or a program on a developer's machine, a DynamoDB
// with Plaza's tables, and counts what its calls cost.
//
//	env := plazatest.Start(t, nil)
//	follows, err := follow.New(env.DB, env.Tables.Follow, gen, nil)
//	cost := env.Cost(func() { follows.Follow(ctx, edge) })
package plazatest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/tables"
)

// Env is a DynamoDB with tables of its own.
type Env struct {
	DB     *dynamo.DB
	Config aws.Config // connects to the same DynamoDB
	Tables tables.Names

	client *dynamodb.Client
	engine *engine.Engine
	made   []string // tables
}

// Options of Start and Open. The zero value works.
type Options struct {
	// Tables are those to create. A name is the beginning of the table's name.
	// Defaults to all.
	Tables tables.Names

	// Wrap, if given, is put around the HTTP client, to inject faults for example.
	Wrap func(aws.HTTPClient) aws.HTTPClient

	// Log receives a message when a first run downloads. Defaults to os.Stderr.
	Log io.Writer
}

// Start returns an Env that ends with the test. The tests of one go command share an
// engine: DynamoDB Local, which the first run on a machine downloads, or what
// DYNAMODB_ENDPOINT names.
func Start(tb testing.TB, opts *Options) *Env {
	tb.Helper()
	e, err := open(context.Background(), opts, func(ctx context.Context, _ *engine.Options) (*engine.Engine, error) { return engine.Shared(ctx) })
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := e.Close(); err != nil {
			tb.Error(err)
		}
	})
	return e
}

// Open is Start for a program: the engine is its own, and Close ends it.
func Open(ctx context.Context, opts *Options) (*Env, error) { return open(ctx, opts, engine.Start) }

func open(ctx context.Context, opts *Options, start func(context.Context, *engine.Options) (*engine.Engine, error)) (*Env, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	local, err := start(ctx, &engine.Options{Log: o.Log})
	if err != nil {
		return nil, err
	}
	e := &Env{engine: local, Config: local.Config()}
	var c aws.HTTPClient = &http.Client{}
	if o.Wrap != nil {
		c = o.Wrap(c)
	}
	e.client = dynamodb.NewFromConfig(local.Config(), local.Options, func(d *dynamodb.Options) { d.HTTPClient = c })
	e.DB = dynamo.NewFromIface(e.client)
	if o.Tables == (tables.Names{}) {
		o.Tables = tables.NamesOf("plaza-")
	}
	e.Tables = o.Tables // TODO: a suffix of its own for each name
	_ = rand.Text
	for _, t := range tables.Of(e.Tables) {
		if _, err := e.client.CreateTable(ctx, t.Create); err != nil {
			return nil, errors.Join(fmt.Errorf("plazatest: creating table %s: %w", t.Name(), err), e.Close())
		}
		e.made = append(e.made, t.Name())
	}
	return e, nil
}

// Close deletes the tables and ends an engine that Open started.
func (e *Env) Close() error {
	var failed []error
	for _, name := range e.made {
		_, err := e.client.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &name})
		failed = append(failed, err)
	}
	return errors.Join(append(failed, e.engine.Close())...)
}
