package like_test

import (
	"context"
	"fmt"
	"log"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/like"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/notify"
)

// Anna and jack like ben's photo, and anna changes her mind.
func Example() {
	ctx := context.Background()
	db, table, gen := streamtest.Example(ctx, reaction.Table)
	reactions, err := reaction.New(db, table, gen, &reaction.Options{Kinds: []string{"like"}})
	if err != nil {
		log.Fatal(err)
	}
	db, table, gen = streamtest.Example(ctx, leaderboard.Table)
	boards, err := leaderboard.New(db, table, gen, nil)
	if err != nil {
		log.Fatal(err)
	}
	db, table, gen = streamtest.Example(ctx, notify.Table)
	bell, err := notify.New(db, table, gen, &notify.Options{Consistent: true})
	if err != nil {
		log.Fatal(err)
	}
	zero := leaderboard.Int(0)
	photos := leaderboard.Board{Name: "photos", Operator: leaderboard.Increment, Above: &zero, Cron: "@yearly"}
	if _, err := boards.Define(ctx, photos); err != nil {
		log.Fatal(err)
	}

	likes, err := like.New(reactions, boards, bell, &like.Options{
		Notification: func(_ context.Context, a reaction.Reaction) (notify.Notification, bool, error) {
			return notify.Notification{User: "ben", CountBy: notify.ByActor, Activity: feed.Activity{
				Actor: feed.Ref{ID: a.User}, Verb: "like", Object: feed.Ref{Kind: "photo", ID: a.Object},
			}}, true, nil
		},
		Point: func(_ context.Context, a reaction.Reaction) (leaderboard.Submission, bool, error) {
			return leaderboard.Submission{Board: "photos", Player: a.Object, Score: leaderboard.Int(1)}, true, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	show := func() {
		top, err := boards.Top(ctx, leaderboard.In{Board: "photos"}, cursor.PageRequest{})
		if err != nil {
			log.Fatal(err)
		}
		list, err := bell.List(ctx, notify.Reader{User: "ben"}, cursor.PageRequest{})
		if err != nil {
			log.Fatal(err)
		}
		for _, s := range top.Items {
			fmt.Print(s.Player, " has ", s.Score, "; ")
		}
		for _, e := range list.Items {
			fmt.Print("liked by ", e.Actors)
		}
		fmt.Println()
	}
	for _, user := range []string{"anna", "jack"} {
		if _, _, err := likes.React(ctx, reaction.Reaction{User: user, Object: "sea", Kind: "like"}); err != nil {
			log.Fatal(err)
		}
	}
	show()
	if _, err := likes.Unreact(ctx, reaction.Reaction{User: "anna", Object: "sea", Kind: "like"}); err != nil {
		log.Fatal(err)
	}
	show()
	// Output:
	// sea has 2; liked by [jack anna]
	// sea has 1; liked by [jack]
}
