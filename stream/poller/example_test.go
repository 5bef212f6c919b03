package poller_test

import (
	"context"
	"fmt"
	"log"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/letters"
	"github.com/plaza-sdk/plaza/stream/poller"
)

// A process handles the changes of a table without Lambda. Run it in as many
// processes as there is work for.
func ExampleNew() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	db, scores, _ := streamtest.Example(ctx, poller.Table) // any table that has a stream
	_, leases, _ := streamtest.Example(ctx, poller.Table)
	for _, score := range []int{60, 90} {
		item := struct {
			PK    string `dynamo:"pk"`
			SK    string `dynamo:"sk"`
			Score int    `dynamo:"score"`
		}{"ann", "score", score}
		if err := db.Table(scores).Put(item).Run(ctx); err != nil {
			log.Fatal(err)
		}
	}
	table, err := db.Client().DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &scores})
	if err != nil {
		log.Fatal(err)
	}
	local, err := engine.Shared(ctx) // an application has its own configuration
	if err != nil {
		log.Fatal(err)
	}
	streams := dynamodbstreams.NewFromConfig(local.Config())

	handle := func(_ context.Context, r stream.Record) error {
		score := r.New["score"].(*types.AttributeValueMemberN).Value
		fmt.Println(r.Kind, score)
		if score == "90" {
			stop()
		}
		return nil
	}
	_, deadLetters, _ := streamtest.Example(ctx, letters.Table)
	dead, err := letters.New(db, deadLetters, "print", nil)
	if err != nil {
		log.Fatal(err)
	}
	processor, err := stream.NewProcessor(stream.Each(handle, 4), dead, nil)
	if err != nil {
		log.Fatal(err)
	}
	group := poller.Group{Table: leases, Stream: *table.Table.LatestStreamArn, Name: "print"}
	p, err := poller.New(db, streams, group, processor, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Run(ctx))
	// Output:
	// INSERT 60
	// MODIFY 90
	// context canceled
}
