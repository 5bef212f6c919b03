package stream_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/letters"
)

// A process handles the changes of a table without Lambda. Run it in as many
// processes as there is work for.
func ExampleNewPoller() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	local, err := engine.Shared(ctx) // an application has its own configuration
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = local.Close() }()
	db := dynamo.New(local.Config())
	streams := dynamodbstreams.NewFromConfig(local.Config())

	at := time.Now().UnixNano()
	scores, leases, dead := fmt.Sprint("scores-", at), fmt.Sprint("leases-", at), fmt.Sprint("dead-", at)
	for _, table := range []*dynamodb.CreateTableInput{stream.Table(leases), letters.Table(dead)} {
		if _, err := db.Client().CreateTable(ctx, table); err != nil {
			log.Fatal(err)
		}
	}
	created, err := db.Client().CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            &scores,
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("player"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("player"), KeyType: types.KeyTypeHash}},
		StreamSpecification: &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, score := range []int{60, 90} {
		item := struct {
			Player string `dynamo:"player"`
			Score  int    `dynamo:"score"`
		}{"ann", score}
		if err := db.Table(scores).Put(item).Run(ctx); err != nil {
			log.Fatal(err)
		}
	}

	unhandled, err := letters.New(db, dead, "print", nil)
	if err != nil {
		log.Fatal(err)
	}
	handle := func(_ context.Context, r stream.Record) error {
		score := r.New["score"].(*types.AttributeValueMemberN).Value
		fmt.Println(r.Kind, score)
		if score == "90" {
			stop()
		}
		return nil
	}
	processor, err := stream.NewProcessor(stream.Each(handle, 4), unhandled, nil)
	if err != nil {
		log.Fatal(err)
	}
	group := stream.PollerGroup{Table: leases, Stream: *created.TableDescription.LatestStreamArn, Name: "print"}
	poller, err := stream.NewPoller(db, streams, group, processor, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(poller.Run(ctx))
	// Output:
	// INSERT 60
	// MODIFY 90
	// context canceled
}
