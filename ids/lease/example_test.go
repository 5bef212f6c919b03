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

// A process acquires a machine number when it first needs one, and another after
// it was frozen and lost the first. It gives the number back at the end.
func ExampleNewSource() {
	ctx := context.Background()
	local, err := engine.Shared(ctx) // an application has dynamo.New(cfg)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = local.Close() }()
	db := dynamo.New(local.Config())
	table := fmt.Sprint("machines-", time.Now().UnixNano())
	if _, err := db.Client().CreateTable(ctx, lease.Table(table)); err != nil {
		log.Fatal(err)
	}

	gen, err := lease.NewSource(db, table, &lease.Options{Renew: -1}) // on Lambda: Next renews
	if err != nil {
		log.Fatal(err)
	}
	a, err := gen.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	b, err := gen.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a < b)
	if err := gen.Close(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: true
}

// A container acquires a machine number, makes ids with it, and gives it back at
// the end. On Lambda set Options.Renew to -1: then only Next renews.
func Example() {
	ctx := context.Background()
	local, err := engine.Shared(ctx) // an application has dynamo.New(cfg)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = local.Close() }()
	db := dynamo.New(local.Config())
	table := fmt.Sprint("machines-", time.Now().UnixNano())
	if _, err := db.Client().CreateTable(ctx, lease.Table(table)); err != nil {
		log.Fatal(err)
	}

	gen, err := lease.Acquire(ctx, db, table, nil)
	if err != nil {
		log.Fatal(err)
	}
	a, err := gen.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	b, err := gen.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a < b)
	if err := gen.Close(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: true
}
