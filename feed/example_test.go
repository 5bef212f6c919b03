package feed_test

import (
	"context"
	"fmt"
	"log"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/engine"
)

// Chris publishes pictures, Jack reads them page by page, and one that Chris
// removes is gone from Jack's home.
func Example() {
	ctx := context.Background()
	feeds, stop := open(ctx)
	defer stop()

	chris, jack := feeds.Outbox("chris"), feeds.Home("jack")
	if _, err := jack.Follow(ctx, "chris", nil); err != nil {
		log.Fatal(err)
	}
	for n := 1; n <= 20; n++ {
		picture := feed.Ref{Kind: "picture", ID: fmt.Sprint(n)}
		_, err := chris.Publish(ctx, feed.Activity{
			Actor:     feed.Ref{ID: "chris"},
			Verb:      "add",
			Object:    picture,
			ForeignID: picture.String(),
			Data:      []byte(`{"message":"Beautiful bird!"}`),
		})
		if err != nil {
			log.Fatal(err)
		}
	}

	page, err := jack.List(ctx, cursor.PageRequest{Limit: 10})
	if err != nil {
		log.Fatal(err)
	}
	newest := page.Items[0]
	fmt.Println(newest.Actor, newest.Verb, newest.Object, string(newest.Data))
	fmt.Println("and down to", page.Items[9].Object)

	page, err = jack.List(ctx, cursor.PageRequest{Limit: 10, Cursor: page.Next})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("then from", page.Items[0].Object, "to", page.Items[9].Object)

	removed, err := chris.RemoveForeign(ctx, "picture:10")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("removed:", removed)
	for a, err := range cursor.All(ctx, jack.List) {
		if err != nil {
			log.Fatal(err)
		}
		if a.ForeignID == "picture:10" {
			fmt.Println("still there")
		}
	}
	// Output:
	// chris add picture:20 {"message":"Beautiful bird!"}
	// and down to picture:11
	// then from picture:10 to picture:1
	// removed: true
}

// open gives feeds on new tables of a local engine.
func open(ctx context.Context) (*feed.Repository, func()) {
	local, err := engine.Start(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	db := dynamo.New(local.Config(), local.Options)
	gen, err := ids.New(1, nil)
	if err != nil {
		log.Fatal(err)
	}
	prefix, err := gen.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	followTable, feedTable := prefix.String()+"-follow", prefix.String()+"-feed"
	if _, err := db.Client().CreateTable(ctx, follow.Table(followTable)); err != nil {
		log.Fatal(err)
	}
	if _, err := db.Client().CreateTable(ctx, feed.Table(feedTable)); err != nil {
		log.Fatal(err)
	}
	follows, err := follow.New(db, followTable, gen, nil)
	if err != nil {
		log.Fatal(err)
	}
	feeds, err := feed.New(db, feedTable, gen, follows, &feed.Options{Consistent: true})
	if err != nil {
		log.Fatal(err)
	}
	return feeds, func() { _ = local.Close() }
}
