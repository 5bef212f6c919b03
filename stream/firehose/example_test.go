package firehose_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	sdk "github.com/aws/aws-sdk-go-v2/service/firehose"

	"github.com/plaza-sdk/plaza/internal/awssink/sinktest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/firehose"
)

// Events become lines of an archive.
func Example() {
	archive := sinktest.NewScript(func(r sinktest.Request) sinktest.Answer { // instead of AWS
		var in sdk.PutRecordBatchInput
		if err := json.Unmarshal(r.Body, &in); err != nil {
			log.Fatal(err)
		}
		for _, record := range in.Records {
			fmt.Print(string(record.Data))
		}
		return sinktest.Answer{Body: answer(len(in.Records), nil)}
	})
	cfg := archive.Config() // config.LoadDefaultConfig(ctx) in a service
	sink, err := firehose.New(sdk.NewFromConfig(cfg), "archive", nil)
	if err != nil {
		log.Fatal(err)
	}
	errs := stream.Deliver(context.Background(), sink, []stream.Event{
		{ID: "1", Data: []byte(`{"user":"ann","score":60}`)},
		{ID: "2", Data: []byte("{\n  \"user\": \"bob\"\n}")},
	}, stream.Policy{}, nil)
	fmt.Println(errs)
	// Output:
	// {"user":"ann","score":60}
	// {"user":"bob"}
	// [<nil> <nil>]
}
