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

// ring is a hint that a user's notifications have changed.
type ring struct {
	Group  string `json:"group,omitempty"`  // a group is new or has changed
	Marked bool   `json:"marked,omitempty"` // some were seen or read, on another device
}

// Each user's bell is a room. A ring says what to read again, not what is there. So a
// ring that comes twice does no harm, and after a Reset everything is read again.
func ExampleHub_bell() {
	ctx := context.Background()
	bells, err := live.New(&live.Options[ring]{Batches: 16}) // a bell has few rings, and there are many bells
	if err != nil {
		log.Fatal(err)
	}
	defer bells.Close()
	unseen := 0 // what is stored
	publish := func(user string, r ring) {
		if err := bells.Publish(ctx, user, r); err != nil {
			log.Print(err) // it is stored: the next read finds it
		}
	}
	hear := func(device string, bell *live.Viewer[ring]) {
		batch, err := bell.Next(ctx)
		if err != nil {
			log.Fatal(err)
		}
		if batch.Reset || batch.Dropped > 0 {
			fmt.Printf("%s: read everything, %d unseen\n", device, unseen)
		}
		for _, r := range batch.Events {
			fmt.Printf("%s: %+v, %d unseen\n", device, r, unseen)
		}
	}

	phone, err := bells.Join(ctx, "ann", "") // first join, then read what is stored
	if err != nil {
		log.Fatal(err)
	}
	defer phone.Close()
	unseen++ // store, then ring
	publish("ann", ring{Group: "pins"})
	hear("phone", phone)
	unseen = 0 // Ann looks at her laptop
	publish("ann", ring{Marked: true})
	hear("phone", phone)

	tablet, err := bells.Join(ctx, "ann", "a position of last week")
	if err != nil {
		log.Fatal(err)
	}
	defer tablet.Close()
	hear("tablet", tablet)
	// Output:
	// phone: {Group:pins Marked:false}, 1 unseen
	// phone: {Group: Marked:true}, 0 unseen
	// tablet: read everything, 0 unseen
}
