package reaction_test

import (
	"context"
	"fmt"
	"log"

	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/stream"
)

// A switch from one kind to another is one record with two changes.
func ExampleChanges() {
	ctx := context.Background()
	reactions, db, table := openStreamed(ctx)
	for _, kind := range []string{"like", "love"} {
		_, _, err := reactions.React(ctx, reaction.Reaction{User: "jack", Object: "photo", Kind: kind})
		if err != nil {
			log.Fatal(err)
		}
	}

	handler := func(_ context.Context, r stream.Record) error {
		changes, err := reaction.Changes(r)
		for _, c := range changes {
			fmt.Println(c.Reaction.User, c.Kind, c.Reaction.Kind, c.Reaction.Object)
		}
		return err
	}
	if err := streamtest.Each(ctx, db, table, handler); err != nil {
		log.Fatal(err)
	}
	// Output:
	// jack reacted like photo
	// jack unreacted like photo
	// jack reacted love photo
}
