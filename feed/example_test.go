package feed_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/streamtest"
)

// Chris publishes pictures and Jack reads them page by page. A picture that Chris
// removes disappears from Jack's home.
func Example() {
	ctx := context.Background()
	feeds := openTables(ctx).feeds(&feed.Options{Consistent: true})

	chris, jack := feeds.Outbox("chris"), feeds.Home("jack")
	if _, err := jack.Follow(ctx, "chris", nil); err != nil {
		log.Fatal(err)
	}
	for n := 1; n <= 20; n++ {
		picture := feed.Ref{Kind: "picture", ID: fmt.Sprint(n)}
		_, _, err := chris.Publish(ctx, feed.Activity{
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

// exampleTables are new tables.
type exampleTables struct {
	db      *dynamo.DB
	gen     *ids.Generator
	follows *follow.Repository
	feed    string
}

func openTables(ctx context.Context) exampleTables {
	db, graph, gen := streamtest.Example(ctx, follow.Table)
	_, table, _ := streamtest.Example(ctx, feed.Table)
	follows, err := follow.New(db, graph, gen, nil)
	if err != nil {
		log.Fatal(err)
	}
	return exampleTables{db, gen, follows, table}
}

func (t exampleTables) feeds(opts *feed.Options) *feed.Repository {
	feeds, err := feed.New(t.db, t.feed, t.gen, t.follows, opts)
	if err != nil {
		log.Fatal(err)
	}
	return feeds
}

// Old posts are imported with ids of their time, so the outbox has them in
// order. Importing a post twice stores it once.
func ExampleOutbox_PublishMany() {
	ctx := context.Background()
	chris := openTables(ctx).feeds(&feed.Options{Consistent: true}).Outbox("chris")

	var posts []feed.Activity
	for year := 2025; year >= 2019; year -= 3 {
		post := feed.Activity{
			Actor: feed.Ref{ID: "chris"}, Verb: "post", Object: feed.Ref{Kind: "note", ID: fmt.Sprint(year)},
		}
		var err error
		post.ID, err = ids.Backdate(time.Date(year, 3, 1, 12, 0, 0, 0, time.UTC), "chris/"+post.Object.String())
		if err != nil {
			log.Fatal(err)
		}
		posts = append(posts, post)
	}
	for range 2 {
		if _, err := chris.PublishMany(ctx, posts); err != nil {
			log.Fatal(err)
		}
	}
	page, err := chris.List(ctx, cursor.PageRequest{})
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range page.Items {
		fmt.Println(a.Time.Format(time.DateOnly), a.Object)
	}
	// Output:
	// 2025-03-01 note:2025
	// 2022-03-01 note:2022
	// 2019-03-01 note:2019
}

// An edit is one write and shows in every home. A removed activity stays
// removed, even if its publish is repeated late.
func ExampleOutbox_Update() {
	ctx := context.Background()
	feeds := openTables(ctx).feeds(&feed.Options{Consistent: true})
	chris, jack := feeds.Outbox("chris"), feeds.Home("jack")
	if _, err := jack.Follow(ctx, "chris", nil); err != nil {
		log.Fatal(err)
	}
	first, created, err := chris.Publish(ctx, feed.Activity{Actor: feed.Ref{ID: "chris"}, Verb: "post", Data: []byte(`{"text":"Helo"}`)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("created:", created)

	edited := first
	edited.Data = []byte(`{"text":"Hello"}`)
	if _, _, err := chris.Update(ctx, edited); err != nil {
		log.Fatal(err)
	}
	page, err := jack.List(ctx, cursor.PageRequest{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(page.Items[0].Data))

	removed, err := chris.Remove(ctx, first.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("removed:", removed)
	_, _, err = chris.Publish(ctx, first)
	fmt.Println(errors.Is(err, plaza.ErrRemoved))
	// Output:
	// created: true
	// {"text":"Hello"}
	// removed: true
	// true
}

// A new account follows several topics, unfollows one of them, and trims its
// home.
func ExampleHome_FollowMany() {
	ctx := context.Background()
	feeds := openTables(ctx).feeds(&feed.Options{Consistent: true})
	var last feed.Activity
	for _, topic := range []string{"birds", "cats", "birds"} {
		var err error
		last, _, err = feeds.Outbox(topic).Publish(ctx, feed.Activity{Actor: feed.Ref{ID: "chris"}, Verb: "post", Target: feed.Ref{ID: topic}})
		if err != nil {
			log.Fatal(err)
		}
	}

	jack := feeds.Home("jack")
	show := func(what string) {
		fmt.Print(what, ":")
		for a, err := range cursor.All(ctx, jack.List) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Print(" ", a.Target)
		}
		fmt.Println()
	}
	results, err := jack.FollowMany(ctx, []string{"birds", "cats"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	show(fmt.Sprint("followed ", len(results)))
	if _, err := jack.Unfollow(ctx, "cats", nil); err != nil {
		log.Fatal(err)
	}
	show("without cats")
	if _, err := jack.Trim(ctx, last.ID); err != nil {
		log.Fatal(err)
	}
	show("trimmed")
	// Output:
	// followed 2: birds cats birds
	// without cats: birds birds
	// trimmed: birds
}

// A worker finishes a delivery that is too large to do inline.
func ExampleRepository_Deliver() {
	ctx := context.Background()
	feeds := openTables(ctx).feeds(&feed.Options{Consistent: true, InlineFollowers: 1, OnAttempt: func(d feed.Attempt) {
		fmt.Println("entries:", d.Entries, "done:", d.Done, "error:", d.Err)
	}})
	for _, reader := range []string{"ann", "ben", "jack"} {
		if _, err := feeds.Home(reader).Follow(ctx, "chris", nil); err != nil {
			log.Fatal(err)
		}
	}
	if _, _, err := feeds.Outbox("chris").Publish(ctx, feed.Activity{Actor: feed.Ref{ID: "chris"}, Verb: "post"}); err != nil {
		log.Fatal(err)
	}
	delivered, err := feeds.Deliver(ctx) // a service calls Run in the background
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("delivered:", delivered)
	// Output:
	// entries: 1 done: false error: <nil>
	// entries: 2 done: true error: <nil>
	// delivered: 1
}
