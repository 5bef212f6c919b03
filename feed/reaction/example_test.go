package reaction_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/streamtest"
)

// Anna likes a photo, then changes her mind and loves it. One call changes both
// counts.
func Example() {
	ctx := context.Background()
	reactions := open(ctx)

	for _, kind := range []string{"like", "pin", "love"} {
		anna := reaction.Reaction{User: "anna", Object: "photo:1", Kind: kind}
		if _, _, err := reactions.React(ctx, anna); err != nil {
			log.Fatal(err)
		}
	}
	if _, _, err := reactions.React(ctx, reaction.Reaction{User: "jack", Object: "photo:1", Kind: "like"}); err != nil {
		log.Fatal(err)
	}

	counts, err := reactions.Counts(ctx, "photo:1")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(counts)
	reacted, err := reactions.Reacted(ctx, "anna", []string{"photo:1", "photo:2"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(reacted)
	page, err := reactions.ByObject(ctx, "photo:1", "", cursor.PageRequest{Limit: 2})
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range page.Items {
		fmt.Println(a.User, a.Kind)
	}
	// Output:
	// map[like:1 love:1 pin:1]
	// map[photo:1:[love pin] photo:2:[]]
	// jack like
	// anna love
}

// Unreact ends one reaction. Repeating it is harmless, and a late React does
// not bring the reaction back.
func ExampleRepository_Unreact() {
	ctx := context.Background()
	reactions := open(ctx)

	like, changed, err := reactions.React(ctx, reaction.Reaction{User: "anna", Object: "photo:1", Kind: "like"})
	fmt.Println("like:", changed, err)
	for range 2 {
		removed, err := reactions.Unreact(ctx, like)
		fmt.Println("unlike:", removed, err)
	}
	_, _, err = reactions.React(ctx, like) // a late request
	fmt.Println("the old like:", errors.Is(err, plaza.ErrRemoved))
	// Output:
	// like: true <nil>
	// unlike: true <nil>
	// unlike: false <nil>
	// the old like: true
}

// ByUser lists what Anna has pinned, newest first.
func ExampleRepository_ByUser() {
	ctx := context.Background()
	reactions := open(ctx)
	for _, object := range []string{"photo:1", "photo:2", "film:1"} {
		if _, _, err := reactions.React(ctx, reaction.Reaction{User: "anna", Object: object, Kind: "pin"}); err != nil {
			log.Fatal(err)
		}
	}

	page, err := reactions.ByUser(ctx, "anna", "pin", cursor.PageRequest{Limit: 2})
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range page.Items {
		fmt.Println(a.Object)
	}
	// Output:
	// film:1
	// photo:2
}

// EraseObject removes the reactions to a deleted photo.
func ExampleRepository_EraseObject() {
	ctx := context.Background()
	reactions := open(ctx)
	for _, user := range []string{"anna", "jack"} {
		if _, _, err := reactions.React(ctx, reaction.Reaction{User: user, Object: "photo:1", Kind: "like"}); err != nil {
			log.Fatal(err)
		}
	}

	if err := reactions.EraseObject(ctx, "photo:1"); err != nil {
		log.Fatal(err)
	}
	counts, err := reactions.Counts(ctx, "photo:1")
	fmt.Println(counts, err)
	drift, err := reactions.CheckUser(ctx, "anna") // her list is consistent too
	fmt.Printf("%+v %v\n", drift, err)
	// Output:
	// map[like:0 love:0 pin:0] <nil>
	// {Counts:map[] Counters:0 Torn:0 Orphans:0 Damaged:0} <nil>
}

// open returns a repository over a new table. Like and love exclude each other;
// pin is independent.
func open(ctx context.Context) *reaction.Repository {
	reactions, _, _ := openStreamed(ctx)
	return reactions
}

// openStreamed is open, and returns the table too, which has a stream.
func openStreamed(ctx context.Context) (reactions *reaction.Repository, db *dynamo.DB, table string) {
	db, table, gen := streamtest.Example(ctx, reaction.Table)
	reactions, err := reaction.New(db, table, gen, &reaction.Options{
		Kinds:      []string{"like", "love", "pin"},
		OneOf:      [][]string{{"like", "love"}},
		Consistent: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	return reactions, db, table
}
