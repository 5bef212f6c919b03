package leaderboard_test

import (
	"context"
	"fmt"
	"log"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// A board keeps each player's best; another sums what they collect, once for
// each operation.
func Example() {
	ctx := context.Background()
	local, err := engine.Start(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = local.Close() }()
	gen, err := ids.New(1, nil)
	if err != nil {
		log.Fatal(err)
	}
	table, err := gen.Next(ctx) // a name used by nobody else
	if err != nil {
		log.Fatal(err)
	}
	db := dynamo.New(local.Config(), local.Options)
	if _, err := db.Client().CreateTable(ctx, leaderboard.Table(table.String())); err != nil {
		log.Fatal(err)
	}

	boards, err := leaderboard.New(db, table.String(), gen, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range []leaderboard.Board{
		{Name: "StarWar"},
		{Name: "coins", Operator: leaderboard.Increment},
	} {
		if _, err := boards.Define(ctx, b); err != nil {
			log.Fatal(err)
		}
	}

	for _, v := range []int64{90, 70} {
		got, _, err := boards.Submit(ctx, leaderboard.Submission{Board: "StarWar", Player: "userB", Score: leaderboard.Int(v)})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(v, "improved:", got.Improved, "stands:", got.New)
	}

	found := leaderboard.Submission{Board: "coins", Player: "userB", Score: leaderboard.Int(5)}
	if found.Op, err = gen.Next(ctx); err != nil {
		log.Fatal(err)
	}
	for range 2 { // a retry
		got, created, err := boards.Submit(ctx, found)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("coins:", got.New, "created:", created)
	}
	// Output:
	// 90 improved: true stands: 90
	// 70 improved: false stands: 90
	// coins: 5 created: true
	// coins: 5 created: false
}
