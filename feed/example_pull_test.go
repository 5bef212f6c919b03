package feed_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
)

// A star's activities are no longer delivered to its followers: their homes read
// its outbox. The star must be pushed again before it can be erased.
func ExampleOutbox_SetPulled() {
	ctx := context.Background()
	feeds := openTables(ctx).feeds(&feed.Options{
		Consistent: true,
		OnAttempt: func(d feed.Attempt) {
			if d.Switch && d.Done {
				fmt.Println("homes changed:", d.Entries)
			}
		},
	})
	star := feeds.Outbox("star")
	for n := range 3 {
		if _, err := feeds.Home(fmt.Sprint("fan-", n)).Follow(ctx, "star", nil); err != nil {
			log.Fatal(err)
		}
	}

	pull := func(pulled bool) {
		if _, err := star.SetPulled(ctx, pulled); err != nil {
			log.Fatal(err)
		}
		if _, err := feeds.Deliver(ctx); err != nil { // in a service Run does it
			log.Fatal(err)
		}
		mode, err := star.Mode(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("the star is", mode)
	}
	pull(true)
	if _, _, err := star.Publish(ctx, feed.Activity{Actor: feed.Ref{ID: "star"}, Verb: "sing", Object: feed.Ref{ID: "song"}}); err != nil {
		log.Fatal(err)
	}
	page, err := feeds.Home("fan-0").List(ctx, cursor.PageRequest{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(page.Items[0].Actor, page.Items[0].Verb, page.Items[0].Object)

	fmt.Println("refused:", errors.Is(feeds.Erase(ctx, "star"), feed.ErrPulled))
	pull(false)
	// Output:
	// homes changed: 3
	// the star is pulled
	// star sing song
	// refused: true
	// homes changed: 3
	// the star is pushed
}
