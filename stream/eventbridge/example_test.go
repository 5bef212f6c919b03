package eventbridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	sdk "github.com/aws/aws-sdk-go-v2/service/eventbridge"

	"github.com/plaza-sdk/plaza/internal/awssink/sinktest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/eventbridge"
)

// The changes of a table go to a bus. A rule for the source update.aws.dynamodb
// sends them on to a board.
func Example() {
	bus := sinktest.NewScript(func(r sinktest.Request) sinktest.Answer { // instead of AWS
		var in sdk.PutEventsInput
		if err := json.Unmarshal(r.Body, &in); err != nil {
			log.Fatal(err)
		}
		fmt.Println(*in.Entries[0].Source, *in.Entries[0].DetailType, *in.Entries[0].Detail)
		return sinktest.Answer{Body: answer(1, nil)}
	})
	cfg := bus.Config() // config.LoadDefaultConfig(ctx) in a service
	sink, err := eventbridge.New(sdk.NewFromConfig(cfg), "fanoutBus", nil)
	if err != nil {
		log.Fatal(err)
	}
	send := stream.To(sink, func(r stream.Record) (stream.Event, bool, error) {
		data, err := stream.Encode(r, 1000<<10)
		return stream.Event{Source: "update.aws.dynamodb", Type: string(r.Kind), Data: data}, true, err
	}, stream.Policy{}, nil)

	change := stream.Record{
		ID: "e1", Seq: "1", Table: "Main", Kind: stream.Insert,
		Keys: map[string]types.AttributeValue{"Id": &types.AttributeValueMemberS{Value: "a"}},
		New:  map[string]types.AttributeValue{"Id": &types.AttributeValueMemberS{Value: "a"}},
	}
	fmt.Println(send(context.Background(), []stream.Record{change}))
	// Output:
	// update.aws.dynamodb INSERT {"v":1,"id":"e1","seq":"1","table":"Main","kind":"INSERT","keys":{"Id":{"S":"a"}},"new":{"Id":{"S":"a"}}}
	// [<nil>]
}
