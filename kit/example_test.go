package kit_test

import (
	"context"
	"fmt"
	"log"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/plazatest"
)

// Ann follows Ben, likes his photo, and his bell rings.
func Example() {
	ctx := context.Background()
	env, err := plazatest.Open(ctx, nil) // a service has dynamo.New(cfg) and tables of its own
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = env.Close() }()
	k, err := kit.New(env.DB, nil, &kit.Options{Names: env.Tables, OnAttempt: func(a kit.Attempt) {
		if a.LeftOut != "" {
			fmt.Println("no worker of", a.Worker, "since", a.LeftOut)
		}
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = k.Close(ctx) }() // gives the machine number of its ids back
	if err := k.Verify(ctx); err != nil {
		log.Fatal(err)
	}

	if _, err := k.Feeds.Home("ann").Follow(ctx, "ben", nil); err != nil {
		log.Fatal(err)
	}
	photo := feed.Activity{Actor: feed.Ref{ID: "ben"}, Verb: "post", Object: feed.Ref{Kind: "photo", ID: "sea"}, ForeignID: "sea"}
	if _, _, err := k.Feeds.Outbox("ben").Publish(ctx, photo); err != nil {
		log.Fatal(err)
	}
	home, err := k.Feeds.Home("ann").List(ctx, cursor.PageRequest{Limit: 10})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ann sees", home.Items[0].Object)

	like, _, err := k.Reactions.React(ctx, reaction.Reaction{User: "ann", Object: "photo:sea", Kind: "like"})
	if err != nil {
		log.Fatal(err)
	}
	_, _, err = k.Bell.Notify(ctx, notify.Notification{User: "ben", Activity: feed.Activity{
		ID: like.ID, Actor: feed.Ref{ID: "ann"}, Verb: "like", Object: photo.Object,
	}})
	if err != nil {
		log.Fatal(err)
	}
	unseen, err := k.Bell.Unseen(ctx, notify.Reader{User: "ben"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ben's bell has", unseen.N)

	ctx, stop := context.WithCancel(ctx)
	stop() // a service runs until it is stopped
	fmt.Println("workers:", k.Run(ctx))
	// Output:
	// ann sees photo:sea
	// ben's bell has 1
	// no worker of leaderboard since Options.Ended is nil
	// no worker of digest since Options.Send is nil
	// workers: <nil>
}
