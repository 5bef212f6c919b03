package reaction_test

import (
	"context"
	"fmt"
	"log"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/reaction"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/engine"
)

// Anna likes a photo, thinks better of it and loves it: one call moves both
// counts.
func Example() {
	ctx := context.Background()
	db, stop := local(ctx)
	defer stop()
	gen, err := ids.New(1, nil)
	if err != nil {
		log.Fatal(err)
	}
	reactions, err := reaction.New(db, "reactions", gen, &reaction.Options{
		Kinds:      []string{"like", "love", "pin"},
		OneOf:      [][]string{{"like", "love"}},
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

// local is a database for the example, with the table.
func local(ctx context.Context) (db *dynamo.DB, stop func()) {
	e, err := engine.Start(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	client := dynamodb.NewFromConfig(e.Config(), e.Options)
	if _, err := client.CreateTable(ctx, reaction.Table("reactions")); err != nil {
		log.Fatal(err)
	}
	return dynamo.NewFromIface(client), func() {
		if _, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: reaction.Table("reactions").TableName}); err != nil {
			log.Fatal(err)
		}
		if err := e.Close(); err != nil {
			log.Fatal(err)
		}
	}
}
