package leaderboard_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// A board keeps each player's best; another sums what they collect, once for
// each operation.
func Example() {
	ctx := context.Background()
	local, err := engine.Shared(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = local.Close() }()
	gen, err := ids.New(1, nil)
	if err != nil {
		log.Fatal(err)
	}
	table, err := gen.Next(ctx) // a unique name
	if err != nil {
		log.Fatal(err)
	}
	db := dynamo.New(local.Config())
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

// The top of a board, a player's neighbours and friends, and all boards of a
// player.
func ExampleRepository_Top() {
	ctx := context.Background()
	boards, done := openBoards(ctx, nil)
	defer done()
	for _, game := range []string{"StarWar", "WarCraft"} {
		if _, err := boards.Define(ctx, leaderboard.Board{Name: game}); err != nil {
			log.Fatal(err)
		}
	}
	start := time.Now().Add(-time.Hour)
	submit(ctx, boards, start,
		leaderboard.Submission{Board: "StarWar", Player: "userA", Score: leaderboard.Int(60)},
		leaderboard.Submission{Board: "StarWar", Player: "userB", Score: leaderboard.Int(90)},
		leaderboard.Submission{Board: "StarWar", Player: "userC", Score: leaderboard.Int(70)},
		leaderboard.Submission{Board: "StarWar", Player: "userD", Score: leaderboard.Int(70)},
		leaderboard.Submission{Board: "WarCraft", Player: "userD", Score: leaderboard.Int(100)},
	)

	show := func(what string, rows []leaderboard.Standing, err error) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(what)
		for _, row := range rows {
			fmt.Printf("  %d. %s %v\n", row.Rank, row.Player, row.Score)
		}
	}
	starWar := leaderboard.In{Board: "StarWar"}
	top, err := boards.Top(ctx, starWar, cursor.PageRequest{Limit: 25}) // top.Next goes on
	show("top", top.Items, err)
	around, err := boards.Around(ctx, starWar, "userD", 3)
	show("around userD", around, err)
	friends, err := boards.Players(ctx, starWar, []string{"userA", "userD"})
	show("friends", friends, err)

	mine, err := boards.ByPlayer(ctx, "userD", cursor.PageRequest{})
	if err != nil {
		log.Fatal(err)
	}
	for _, entry := range mine.Items {
		fmt.Println("userD in", entry.Board, entry.Score)
	}
	// Output:
	// top
	//   1. userB 90
	//   2. userC 70
	//   2. userD 70
	//   4. userA 60
	// around userD
	//   2. userC 70
	//   2. userD 70
	//   4. userA 60
	// friends
	//   1. userD 70
	//   2. userA 60
	// userD in WarCraft 100
	// userD in StarWar 70
}

// Ranks, percentiles and counts.
func ExampleRepository_Rank() {
	ctx := context.Background()
	boards, done := openBoards(ctx, nil)
	defer done()
	starWar := leaderboard.In{Board: "StarWar"}
	if _, err := boards.Define(ctx, leaderboard.Board{Name: starWar.Board}); err != nil {
		log.Fatal(err)
	}
	submit(ctx, boards, time.Now().Add(-time.Hour),
		leaderboard.Submission{Board: "StarWar", Player: "userA", Score: leaderboard.Int(60)},
		leaderboard.Submission{Board: "StarWar", Player: "userB", Score: leaderboard.Int(90)},
		leaderboard.Submission{Board: "StarWar", Player: "userC", Score: leaderboard.Int(70)},
		leaderboard.Submission{Board: "StarWar", Player: "userD", Score: leaderboard.Int(70)},
	)

	rank, err := boards.Rank(ctx, starWar, "userD")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("userD:", rank.Rank, "and by time", rank.Ordinal)
	percentile, err := boards.Percentile(ctx, starWar, "userB")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("userB is better than", percentile, "in a hundred")
	n, err := boards.CountBetween(ctx, starWar, leaderboard.Int(60), leaderboard.Int(70))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("from 60 to 70:", n)
	median, err := boards.ScoreAt(ctx, starWar, 50)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("median:", median)
	// Output:
	// userD: 2 and by time 3
	// userB is better than 75 in a hundred
	// from 60 to 70: 3
	// median: 70
}

// A cheater is hidden, and another is removed.
func ExampleRepository_Hide() {
	ctx := context.Background()
	boards, done := openBoards(ctx, nil)
	defer done()
	starWar := leaderboard.In{Board: "StarWar"}
	if _, err := boards.Define(ctx, leaderboard.Board{Name: starWar.Board}); err != nil {
		log.Fatal(err)
	}
	submit(ctx, boards, time.Now().Add(-time.Hour),
		leaderboard.Submission{Board: "StarWar", Player: "userA", Score: leaderboard.Int(60)},
		leaderboard.Submission{Board: "StarWar", Player: "aimbot", Score: leaderboard.Int(1990)},
		leaderboard.Submission{Board: "StarWar", Player: "speedhack", Score: leaderboard.Int(1800)},
	)

	if _, err := boards.Hide(ctx, starWar, "aimbot"); err != nil { // until Unhide
		log.Fatal(err)
	}
	if _, err := boards.Remove(ctx, starWar, "speedhack"); err != nil { // until a later score
		log.Fatal(err)
	}
	hidden, err := boards.Hidden(ctx, starWar, cursor.PageRequest{})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hidden.Items {
		fmt.Println("hidden:", h.Player, h.Score)
	}
	rank, err := boards.Rank(ctx, starWar, "userA")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("userA:", rank.Rank)
	// Output:
	// hidden: aimbot 1990
	// userA: 1
}

// A board that resets every hour keeps its old standings.
func ExampleRepository_Periods() {
	ctx := context.Background()
	boards, done := openBoards(ctx, nil)
	defer done()
	if _, err := boards.Define(ctx, leaderboard.Board{Name: "hourly", Cron: "@hourly", Grace: 3 * time.Hour}); err != nil {
		log.Fatal(err)
	}
	now := time.Now()
	submit(ctx, boards, now.Add(-time.Hour), leaderboard.Submission{Board: "hourly", Player: "userA", Score: leaderboard.Int(60)})
	submit(ctx, boards, now, leaderboard.Submission{Board: "hourly", Player: "userB", Score: leaderboard.Int(90)})

	periods, err := boards.Periods(ctx, "hourly", cursor.PageRequest{}) // newest first
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range periods.Items {
		top, err := boards.Top(ctx, leaderboard.In{Board: "hourly", Period: p.Name}, cursor.PageRequest{Limit: 1})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.End.Sub(p.Start), top.Items[0].Player)
	}
	// Output:
	// 1h0m0s userB
	// 1h0m0s userA
}

// openBoards opens boards on a new table of a local DynamoDB.
func openBoards(ctx context.Context, opts *leaderboard.Options) (boards *leaderboard.Repository, done func()) {
	boards, _, _, done = openStreamed(ctx, opts)
	return boards, done
}

// openStreamed is openBoards, and returns the table too, which has a stream.
func openStreamed(ctx context.Context, opts *leaderboard.Options) (boards *leaderboard.Repository, db *dynamo.DB, table string, done func()) {
	local, err := engine.Shared(ctx)
	if err != nil {
		log.Fatal(err)
	}
	gen, err := ids.New(1, nil)
	if err != nil {
		log.Fatal(err)
	}
	name, err := gen.Next(ctx) // a unique name
	if err != nil {
		log.Fatal(err)
	}
	db, table = dynamo.New(local.Config()), name.String()
	if _, err := db.Client().CreateTable(ctx, streamtest.Streamed(leaderboard.Table)(table)); err != nil {
		log.Fatal(err)
	}
	if boards, err = leaderboard.New(db, table, gen, opts); err != nil {
		log.Fatal(err)
	}
	return boards, db, table, func() { _ = local.Close() }
}

// submit submits scores, one second apart.
func submit(ctx context.Context, boards *leaderboard.Repository, at time.Time, submissions ...leaderboard.Submission) {
	for i, s := range submissions {
		s.At = at.Add(time.Duration(i) * time.Second)
		if _, _, err := boards.Submit(ctx, s); err != nil {
			log.Fatal(err)
		}
	}
}
