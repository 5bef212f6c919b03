package kit_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/plazatest"
)

// Ann closes her account: she gets her data, and then nothing of her is left but what is
// listed.
func ExampleKit_Erase() {
	ctx := context.Background()
	env, err := plazatest.Open(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = env.Close() }()
	k, err := kit.New(env.DB, nil, &kit.Options{Names: env.Tables, Features: []kit.Feature{kit.Follow, kit.Feed}})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = k.Close(ctx) }()
	if _, err := k.Feeds.Home("ann").Follow(ctx, "ben", nil); err != nil {
		log.Fatal(err)
	}

	var data strings.Builder
	at, err := k.Export(ctx, "ann", &data, kit.Checkpoint{}) // after an error, go on from at
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("complete:", at.Done(), strings.Contains(data.String(), `"followee":"ben"`))

	left, err := k.Erase(ctx, "ann", nil) // after an error, call it again
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range left.Left[:2] {
		fmt.Println(l.Feature, "keeps", l.What)
	}
	// Output:
	// complete: true true
	// follow keeps ids of follows that ended, and that all was erased
	// feed keeps entries in other people's homes, hidden
}
