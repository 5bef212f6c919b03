package live_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/live"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/engine"
)

// Jack opens a video and sees the comments from before. Then Chris sends one and
// takes it back.
func Example() {
	ctx := context.Background()
	comments, stop := openTable(ctx)
	defer stop()
	hub, err := live.New(comments, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer hub.Close()

	send := func(text string, at time.Duration) danmu.Action {
		sent, _, err := hub.Send(ctx, danmu.Comment{Object: "video", User: "chris", Text: text, Progress: at})
		if err != nil {
			log.Fatal(err)
		}
		return danmu.Action{Object: "video", ID: sent.ID, User: "chris"}
	}
	send("first!", 2*time.Second)

	jack, err := hub.Join(ctx, "video", "") // before CatchUp, so that no comment is missing
	if err != nil {
		log.Fatal(err)
	}
	defer jack.Close()
	window, err := jack.CatchUp(ctx, 0, time.Minute, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range window.Comments {
		fmt.Println("before:", c.Progress, c.Text)
	}

	comment := send("look at that bird", 14*time.Second)
	if _, err := hub.Recall(ctx, comment); err != nil {
		log.Fatal(err)
	}
	for events := 0; events < 2; {
		batch, err := jack.Next(ctx)
		if err != nil {
			log.Fatal(err)
		}
		for _, e := range batch.Events {
			switch e.Kind {
			case live.Sent:
				fmt.Println("now:", e.Comment.Progress, e.Comment.Text)
			case live.Recalled:
				fmt.Println("now: taken back")
			}
			events++
		}
	}
	fmt.Println("watching:", hub.Present("video"))
	// Output:
	// before: 2s first!
	// now: 14s look at that bird
	// now: taken back
	// watching: 1
}

// openTable creates a table on a local engine.
func openTable(ctx context.Context) (comments *danmu.Repository, stop func()) {
	local, err := engine.Shared(ctx)
	if err != nil {
		log.Fatal(err)
	}
	gen, err := ids.New(0, nil)
	if err != nil {
		log.Fatal(err)
	}
	name, err := gen.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	db := dynamo.New(local.Config())
	if _, err := db.Client().CreateTable(ctx, danmu.Table(name.String())); err != nil {
		log.Fatal(err)
	}
	if comments, err = danmu.New(db, name.String(), gen, nil); err != nil {
		log.Fatal(err)
	}
	return comments, func() { _ = local.Close() }
}
