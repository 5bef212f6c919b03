package feed_test

import (
	"context"
	"fmt"
	"log"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
)

// Four people pin to the same board. Jack's home has one line for them: a client
// joins the groups of its pages by their keys.
func ExampleHome_Grouped() {
	ctx := context.Background()
	feeds := openTables(ctx).feeds(&feed.Options{
		Consistent: true,
		// The default has the UTC day too.
		GroupBy: func(a feed.Activity) string { return a.Verb + " " + a.Target.String() },
	})

	jack := feeds.Home("jack")
	pin := func(user, board string, picture int) {
		if _, err := jack.Follow(ctx, user, nil); err != nil {
			log.Fatal(err)
		}
		_, _, err := feeds.Outbox(user).Publish(ctx, feed.Activity{
			Actor: feed.Ref{ID: user}, Verb: "pin",
			Object: feed.Ref{Kind: "picture", ID: fmt.Sprint(picture)}, Target: feed.Ref{Kind: "board", ID: board},
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	pin("Ann", "Places to Visit", 1)
	pin("Ben", "Places to Visit", 2)
	pin("Zoe", "Recipes", 3)
	pin("Cleo", "Places to Visit", 4)
	pin("Eric", "Places to Visit", 5)

	var keys []string // the latest first
	actors, boards := map[string][]feed.Ref{}, map[string]string{}
	var req cursor.PageRequest
	for req.Limit = 3; ; {
		page, err := jack.Grouped(ctx, req)
		if err != nil {
			log.Fatal(err)
		}
		for _, g := range page.Items {
			if actors[g.Key] == nil {
				keys = append(keys, g.Key)
			}
			actors[g.Key] = append(actors[g.Key], g.Actors...)
			boards[g.Key] = g.Activities[0].Target.ID
		}
		if req.Cursor = page.Next; req.Cursor == "" {
			break
		}
	}
	for _, key := range keys {
		who := actors[key][0].ID
		if others := len(actors[key]) - 1; others > 0 {
			who += fmt.Sprintf(" and %d others", others)
		}
		fmt.Println(who, "pinned to", boards[key])
	}
	// Output:
	// Eric and 3 others pinned to Places to Visit
	// Zoe pinned to Recipes
}
