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
	"github.com/plaza-sdk/plaza/leaderboard"
)

// The top of a board, a player's neighbours and friends, and all boards of a
// player.
func ExampleRepository_Top() {
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
	start := time.Now().Add(-time.Hour)
	for i, s := range []struct {
		game, user string
		score      int64
	}{
		{"StarWar", "userA", 60},
		{"StarWar", "userB", 90},
		{"StarWar", "userC", 70},
		{"StarWar", "userD", 70},
		{"WarCraft", "userD", 100},
	} {
		if _, err := boards.Define(ctx, leaderboard.Board{Name: s.game}); err != nil {
			log.Fatal(err)
		}
		if _, _, err := boards.Submit(ctx, leaderboard.Submission{
			Board: s.game, Player: s.user, Score: leaderboard.Int(s.score), At: start.Add(time.Duration(i) * time.Second),
		}); err != nil {
			log.Fatal(err)
		}
	}

	show := func(what string, rows []leaderboard.Standing, err error) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(what)
		for _, row := range rows {
			fmt.Printf("  %d. %s %v\n", row.Rank.Competition, row.Player, row.Score)
		}
	}
	starWar := leaderboard.In{Board: "StarWar"}
	top, err := boards.Top(ctx, starWar, cursor.PageRequest{Limit: 25}) // top.Next goes on
	show("top", top.Items, err)
	around, err := boards.Around(ctx, starWar, "userD", 3)
	show("around userD", around, err)
	friends, err := boards.Players(ctx, starWar, []string{"userA", "userD"})
	show("friends", friends, err)

	mine, err := boards.Boards(ctx, "userD", cursor.PageRequest{})
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
