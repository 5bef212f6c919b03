package leaderboard_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/leaderboard"
)

// The best two of a day get one prize each: a prize is given under the Key and the
// player.
func ExampleRepository_Deliver() {
	ctx := context.Background()
	noon, passed := time.Now(), time.Duration(0)
	boards, done := openBoards(ctx, &leaderboard.Options{Now: func() time.Time { return noon.Add(passed) }})
	defer done()
	if _, err := boards.Define(ctx, leaderboard.Board{Name: "StarWar", Cron: "@daily", Grace: time.Hour}); err != nil {
		log.Fatal(err)
	}
	submit(ctx, boards, noon,
		leaderboard.Submission{Board: "StarWar", Player: "userA", Score: leaderboard.Int(60)},
		leaderboard.Submission{Board: "StarWar", Player: "userB", Score: leaderboard.Int(90)},
		leaderboard.Submission{Board: "StarWar", Player: "userC", Score: leaderboard.Int(70)},
	)

	given := map[string]bool{} // in a table of yours
	award := func(ctx context.Context, ended leaderboard.Ended) error {
		best, err := boards.Top(ctx, leaderboard.In{Board: ended.Board, Period: ended.Period.Name}, cursor.PageRequest{Limit: 2})
		if err != nil {
			return err
		}
		for _, row := range best.Items {
			if prize := ended.Key + "/" + row.Player; !given[prize] {
				given[prize] = true
				fmt.Printf("%d. %s\n", row.Rank, row.Player)
			}
			if ended.Attempt == 1 {
				return errors.New("the bank is closed for a moment")
			}
		}
		return nil
	}
	passed = 26 * time.Hour
	for range 2 {
		n, err := boards.Deliver(ctx, award) // or boards.Run, in the background
		fmt.Println("done:", n, "failed:", err != nil)
		passed += time.Minute
	}
	// Output:
	// 1. userB
	// done: 0 failed: true
	// 2. userC
	// done: 1 failed: false
}
