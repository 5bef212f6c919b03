package lease_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/internal/engine"
)

// machines makes a table of machine numbers. An application creates its own once, and
// connects by dynamo.New(cfg).
func machines(ctx context.Context) (db *dynamo.DB, table string) {
	local, err := engine.Shared(ctx)
	if err != nil {
		log.Fatal(err)
	}
	db, table = dynamo.New(local.Config()), fmt.Sprint("machines-", time.Now().UnixNano())
	if _, err := db.Client().CreateTable(ctx, lease.Table(table)); err != nil {
		log.Fatal(err)
	}
	return db, table
}

// A process acquires a machine number when it first needs one, and another after
// it was frozen and lost the first. It gives the number back at the end.
func ExampleNewSource() {
	ctx := context.Background()
	db, table := machines(ctx)
	gen, err := lease.NewSource(db, table, &lease.Options{Renew: -1}) // on Lambda: Next renews
	if err != nil {
		log.Fatal(err)
	}
	a, err := gen.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	b, err := gen.Next(ctx)
	fmt.Println(a < b, err)
	fmt.Println(gen.Close(ctx))
	// Output:
	// true <nil>
	// <nil>
}

// A container acquires a machine number, makes ids with it, and gives it back at
// the end. On Lambda set Options.Renew to -1: then only Next renews.
func Example() {
	ctx := context.Background()
	db, table := machines(ctx)
	gen, err := lease.Acquire(ctx, db, table, nil)
	if err != nil {
		log.Fatal(err)
	}
	id, err := gen.Next(ctx)
	fmt.Println(time.Since(id.Time()) < time.Hour, err)
	fmt.Println(gen.Close(ctx))
	// Output:
	// true <nil>
	// <nil>
}
