package leaderboard_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/stream"
)

// Boards follow a table of hackathon projects: each item has a version that rises
// with its writes. The records would come from stream.Processor or a poller.
func ExampleProject() {
	ctx := context.Background()
	boards, done := openBoards(ctx, nil)
	defer done()
	for _, hackathon := range []string{"StarWar", "WarCraft"} {
		if _, err := boards.Define(ctx, leaderboard.Board{Name: hackathon, Operator: leaderboard.Set}); err != nil {
			log.Fatal(err)
		}
	}

	type metaData struct {
		HackathonName string `dynamo:"hackathonName"`
	}
	type item struct {
		ID       string   `dynamo:"Id"`
		MetaData metaData `dynamo:"metaData"`
		Score    int64    `dynamo:"projectScore"`
		User     string   `dynamo:"userName"`
		Version  uint64   `dynamo:"version"`
	}
	handle := leaderboard.Project(boards, func(_ context.Context, image map[string]types.AttributeValue) (leaderboard.Projection, error) {
		var i item
		if err := dynamo.UnmarshalItem(image, &i); err != nil {
			return leaderboard.Projection{}, &plaza.InvalidError{Field: "item", Reason: "is no project"}
		}
		return leaderboard.Projection{
			Board: i.MetaData.HackathonName, Player: i.ID, Name: i.User,
			Score: leaderboard.Int(i.Score), Version: i.Version,
		}, nil
	})
	image := func(i item) map[string]types.AttributeValue {
		image, err := dynamo.MarshalItem(i)
		if err != nil {
			log.Fatal(err)
		}
		return image
	}
	a := image(item{"1", metaData{"StarWar"}, 60, "userA", 1})
	b := image(item{"2", metaData{"StarWar"}, 90, "userB", 1})
	c := image(item{"3", metaData{"StarWar"}, 70, "userC", 1})
	d := image(item{"4", metaData{"WarCraft"}, 100, "userD", 1})
	better := image(item{"1", metaData{"StarWar"}, 95, "userA", 2})
	moved := image(item{"3", metaData{"WarCraft"}, 70, "userC", 2})

	show := func(what string, records ...stream.Record) {
		for _, r := range append(records, records...) { // a stream delivers at least once
			if err := handle(ctx, r); err != nil {
				log.Fatal(err)
			}
		}
		fmt.Println(what)
		for _, hackathon := range []string{"StarWar", "WarCraft"} {
			page, err := boards.Top(ctx, leaderboard.In{Board: hackathon}, cursor.PageRequest{})
			if err != nil {
				log.Fatal(err)
			}
			for _, row := range page.Items {
				fmt.Println(" ", hackathon, row.Name, row.Score)
			}
		}
	}
	show("inserted", stream.Record{New: a}, stream.Record{New: b}, stream.Record{New: c}, stream.Record{New: d})
	show("changed, moved, deleted",
		stream.Record{Old: b}, stream.Record{Old: c, New: moved}, stream.Record{Old: a, New: better}, stream.Record{New: a})
	// Output:
	// inserted
	//   StarWar userB 90
	//   StarWar userC 70
	//   StarWar userA 60
	//   WarCraft userD 100
	// changed, moved, deleted
	//   StarWar userA 95
	//   WarCraft userD 100
	//   WarCraft userC 70
}

// A board of the most liked songs of the week. Each like is an Increment by its own
// id, and its end takes that back.
func ExampleRepository_Retract() {
	ctx := context.Background()
	boards, done := openBoards(ctx, nil)
	defer done()
	_, err := boards.Define(ctx, leaderboard.Board{Name: "week", Operator: leaderboard.Increment, Cron: "@weekly", Grace: 24 * time.Hour})
	if err != nil {
		log.Fatal(err)
	}

	like := func(song string, id ids.ID) leaderboard.Submission {
		return leaderboard.Submission{Board: "week", Player: song, Op: id, Score: leaderboard.Int(1), Retractable: true}
	}
	now := ids.At(time.Now())
	for _, id := range []ids.ID{now, now + 1, now + 2, now + 1} { // one comes twice
		if _, _, err := boards.Submit(ctx, like("song", id)); err != nil {
			log.Fatal(err)
		}
	}
	for _, id := range []ids.ID{now + 1, now + 3} { // one comes before its like
		changed, err := boards.Retract(ctx, like("song", id))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("changed:", changed)
	}
	_, _, err = boards.Submit(ctx, like("song", now+3))
	fmt.Println("removed:", errors.Is(err, plaza.ErrRemoved))

	entry, err := boards.Entry(ctx, leaderboard.In{Board: "week"}, "song")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("likes:", entry.Score)
	// Output:
	// changed: true
	// changed: false
	// removed: true
	// likes: 2
}
