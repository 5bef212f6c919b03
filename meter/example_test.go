package meter_test

import (
	"context"
	"fmt"
	"log"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/meter"
)

// A meter counts for every client that is made from the Config it is attached to.
func ExampleMeter_Attach() {
	ctx := context.Background()
	local, err := engine.Shared(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = local.Close() }()
	cfg := local.Config() // a service has that of the SDK's package config

	costs := meter.New()
	costs.Attach(&cfg)
	db := dynamo.New(cfg)
	if _, err := db.Client().CreateTable(ctx, follow.Table("metered")); err != nil {
		log.Fatal(err)
	}
	defer func() { _ = db.Table("metered").DeleteTable().Run(ctx) }()
	gen, err := ids.New(1, nil) // there are no other processes
	if err != nil {
		log.Fatal(err)
	}
	follows, err := follow.New(db, "metered", gen, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, _, err := follows.Follow(ctx, follow.Edge{Follower: "jack", Followee: "chris"}); err != nil {
		log.Fatal(err)
	}
	if _, err := follows.Counts(ctx, "chris"); err != nil {
		log.Fatal(err)
	}

	fmt.Println(costs.ByOperation()["follow.Repository.Counts"])
	// Output:
	// 1 requests, 0.5 RCU, 0 WCU
}
