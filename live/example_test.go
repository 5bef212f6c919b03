package live_test

import (
	"context"
	"fmt"
	"log"

	"github.com/plaza-sdk/plaza/live"
)

// said is an event of a chat.
type said struct {
	Who  string `json:"who"`
	Text string `json:"text"`
}

// Ann watches a room from one process while Bob writes in another.
func Example() {
	ctx := context.Background()
	backplane, err := live.NewMemory(nil) // between processes: redisstream.New
	if err != nil {
		log.Fatal(err)
	}
	here, err := live.New(&live.Options[said]{Backplane: backplane})
	if err != nil {
		log.Fatal(err)
	}
	defer here.Close()
	there, err := live.New(&live.Options[said]{Backplane: backplane})
	if err != nil {
		log.Fatal(err)
	}
	defer there.Close()

	ann, err := here.Join(ctx, "kitchen", "")
	if err != nil {
		log.Fatal(err)
	}
	if err := there.Publish(ctx, "kitchen", said{"bob", "dinner!"}); err != nil {
		log.Fatal(err)
	}
	batch, err := ann.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(batch.Events[0].Who, "says", batch.Events[0].Text)
	fmt.Println(string(batch.Encoded)) // to Ann's browser, as it is

	// Ann loses her connection and comes back to where she was.
	ann.Close()
	if err := there.Publish(ctx, "kitchen", said{"bob", "it gets cold"}); err != nil {
		log.Fatal(err)
	}
	if ann, err = here.Join(ctx, "kitchen", batch.Pos); err != nil {
		log.Fatal(err)
	}
	defer ann.Close()
	if batch, err = ann.Next(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(batch.Events[0].Who, "says", batch.Events[0].Text)
	fmt.Println("watching:", here.Present("kitchen"))
	// Output:
	// bob says dinner!
	// [{"who":"bob","text":"dinner!"}]
	// bob says it gets cold
	// watching: 1
}
