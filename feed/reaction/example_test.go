package reaction_test

import (
	"context"
	"fmt"
	"log"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/streamtest"
)

// Anna likes a photo, then changes her mind and loves it. One call changes both
// counts.
func Example() {
	ctx := context.Background()
	db, table, gen := streamtest.Example(ctx, reaction.Table)
	reactions, err := reaction.New(db, table, gen, &reaction.Options{
		Kinds:      []string{"like", "love", "pin"},
		OneOf:      [][]string{{"like", "love"}}, // pin is independent
		Consistent: true,
	})
	if err != nil {
		log.Fatal(err)
	}

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
