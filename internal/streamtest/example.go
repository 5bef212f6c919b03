package streamtest

import (
	"context"
	"fmt"
	"log"
	"os"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/engine"
)

// A process has one DynamoDB, which stops with it, and one source of ids.
var (
	local  = sync.OnceValues(func() (*engine.Engine, error) { return engine.Shared(context.Background()) })
	source = sync.OnceValues(func() (*ids.Generator, error) { return ids.New(0, nil) })
)

// Example returns what an example needs: a database, the name of a new table in it, which
// has a stream, and a source of ids.
func Example(ctx context.Context, schema func(name string) *dynamodb.CreateTableInput) (*dynamo.DB, string, *ids.Generator) {
	gen, err := source()
	if err != nil {
		log.Fatal(err)
	}
	id, err := gen.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	e, err := local()
	if err != nil {
		log.Fatal(err)
	}
	db, table := dynamo.New(e.Config()), fmt.Sprint("example-", os.Getpid(), "-", id)
	if _, err := db.Client().CreateTable(ctx, Streamed(schema)(table)); err != nil {
		log.Fatal(err)
	}
	return db, table, gen
}
