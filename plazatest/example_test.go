package plazatest_test

import (
	"context"
	"fmt"
	"log"

	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/meter"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

// A program starts DynamoDB Local with Open. A test does with Start, and needs no Close.
func ExampleOpen() {
	ctx := context.Background()
	env, err := plazatest.Open(ctx, &plazatest.Options{Tables: tables.Names{Follow: "follow"}})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = env.Close() }()
	gen, err := ids.New(1, nil) // there are no other processes
	if err != nil {
		log.Fatal(err)
	}
	follows, err := follow.New(env.DB, env.Tables.Follow, gen, nil)
	if err != nil {
		log.Fatal(err)
	}

	cost := env.Cost(func() {
		_, _, err = follows.Follow(ctx, follow.Edge{Follower: "jack", Followee: "chris"})
	})
	fmt.Println(cost, err)
	fmt.Printf("$%.2f a million\n", 1e6*cost.Dollars(meter.USEast1()))
	// Output:
	// 1 requests, 0 RCU, 10 WCU <nil>
	// $6.25 a million
}
