package sqs_test

import (
	"context"
	"fmt"
	"log"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/plaza-sdk/plaza/internal/awssink/sinktest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/sqs"
)

// After the handler was fixed, the letters of a queue are handled again.
func ExampleDeadLetters_Source() {
	record, err := stream.Encode(change("a", 1, "hello"), 0)
	if err != nil {
		log.Fatal(err)
	}
	queued := []sinktest.Answer{received(inQueue("m", 1, 1, fmt.Sprintf(`{"reason":"panic","attempts":3,"record":%s}`, record)))}
	cfg := play(queued...).Config() // config.LoadDefaultConfig(ctx) in a service
	letters, err := sqs.NewDeadLetters(sdk.NewFromConfig(cfg), queue, &sqs.DeadLettersOptions{Visibility: time.Minute})
	if err != nil {
		log.Fatal(err)
	}
	mended := stream.Each(func(_ context.Context, r stream.Record) error {
		fmt.Println("handled", r.Seq)
		return nil
	}, 1)
	total, err := stream.Redrive(context.Background(), letters.Source(), mended)
	fmt.Println(total.Handled, total.Failed, err)
	// Output:
	// handled 1
	// 1 0 <nil>
}
