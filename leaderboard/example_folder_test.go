package leaderboard_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/leaderboard"
	"github.com/plaza-sdk/plaza/stream/poller"
)

// A board of millions is folded: a folder publishes counts, from which a rank is
// found at a small cost. Any number of processes may run a folder.
func ExampleFolder() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	boards, db, table, done := openStreamed(ctx, nil)
	defer done()
	starWar := leaderboard.In{Board: "StarWar"}
	if _, err := boards.Define(ctx, leaderboard.Board{Name: starWar.Board, Ranking: leaderboard.RankByFold}); err != nil {
		log.Fatal(err)
	}

	folder, err := leaderboard.NewFolder(boards, readerOf(ctx, db, table), &leaderboard.FolderOptions{
		Settle: time.Millisecond, // the index of a local DynamoDB does not lag
	})
	if err != nil {
		log.Fatal(err)
	}
	stopped := make(chan error)
	go func() { stopped <- folder.Run(ctx) }()

	submit(ctx, boards, time.Now().Add(-time.Hour),
		leaderboard.Submission{Board: "StarWar", Player: "userA", Score: leaderboard.Int(60)},
		leaderboard.Submission{Board: "StarWar", Player: "userB", Score: leaderboard.Int(90)},
		leaderboard.Submission{Board: "StarWar", Player: "userC", Score: leaderboard.Int(70)},
	)
	for {
		rank, err := boards.Rank(ctx, starWar, "userC")
		if err != nil {
			log.Fatal(err)
		}
		if rank.Folded { // until the folder has published, ranks are counted
			fmt.Println(rank.Ordinal)
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	fmt.Println(<-stopped)
	// Output:
	// 2
	// context canceled
}

// readerOf returns a reader of the table's stream. CreateTable or UpdateTable
// switches a stream on.
func readerOf(ctx context.Context, db *dynamo.DB, table string) *poller.Reader {
	client := db.Client().(*dynamodb.Client)
	described, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		log.Fatal(err)
	}
	o := client.Options()
	streams := dynamodbstreams.New(dynamodbstreams.Options{BaseEndpoint: o.BaseEndpoint, Region: o.Region, Credentials: o.Credentials})
	reader, err := poller.NewReader(streams, *described.Table.LatestStreamArn, &poller.ReaderOptions{Idle: 20 * time.Millisecond, List: 20 * time.Millisecond})
	if err != nil {
		log.Fatal(err)
	}
	return reader
}
