package stream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/letters"
)

// exampleEvent is what Lambda sends for two changes. The second has a malformed
// number.
const exampleEvent = `{"Records": [{
	"eventID": "1", "eventName": "INSERT", "eventSource": "aws:dynamodb",
	"eventSourceARN": "arn:aws:dynamodb:eu-west-1:123456789012:table/Games/stream/2026-01-02T03:04:05.678",
	"dynamodb": {
		"SequenceNumber": "100", "StreamViewType": "NEW_AND_OLD_IMAGES", "ApproximateCreationDateTime": 1767323045,
		"Keys": {"Id": {"S": "g1"}}, "NewImage": {"Id": {"S": "g1"}, "score": {"N": "60"}}
	}
}, {
	"eventID": "2", "eventName": "INSERT", "eventSource": "aws:dynamodb",
	"eventSourceARN": "arn:aws:dynamodb:eu-west-1:123456789012:table/Games/stream/2026-01-02T03:04:05.678",
	"dynamodb": {
		"SequenceNumber": "101", "StreamViewType": "NEW_AND_OLD_IMAGES", "ApproximateCreationDateTime": 1767323046,
		"Keys": {"Id": {"S": "g2"}}, "NewImage": {"Id": {"S": "g2"}, "score": {"N": "many"}}
	}
}]}`

// A function on a table's stream. The record that cannot be read becomes a dead
// letter, and the stream moves on.
func ExampleProcessor_Lambda() {
	ctx := context.Background()
	dead := openLetters(ctx)

	handle := func(_ context.Context, r stream.Record) error {
		fmt.Println(r.Kind, r.Table, r.New["score"].(*types.AttributeValueMemberN).Value)
		return nil
	}
	p, err := stream.NewProcessor(stream.Each(handle, 8), dead, nil)
	if err != nil {
		log.Fatal(err)
	}
	response, err := p.Lambda(ctx, []byte(exampleEvent))
	answer, _ := json.Marshal(response)
	fmt.Println(string(answer), err)

	page, err := dead.List(ctx, cursor.PageRequest{})
	for _, letter := range page.Items {
		fmt.Println("dead:", letter.Seq, err)
	}
	// Output:
	// INSERT Games 60
	// {"batchItemFailures":[]} <nil>
	// dead: 101 <nil>
}

// Once the handler is fixed, dead letters are redriven.
func ExampleRedrive() {
	ctx := context.Background()
	dead := openLetters(ctx)

	mended := false
	handle := func(_ context.Context, r stream.Record) error {
		if !mended {
			return stream.Permanent(errors.New("the board does not know this game"))
		}
		fmt.Println("handled", r.Seq)
		return nil
	}
	board := stream.Each(handle, 8)
	p, err := stream.NewProcessor(board, dead, nil)
	if err != nil {
		log.Fatal(err)
	}
	items, err := stream.Decode([]byte(exampleEvent), stream.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	done, err := p.Process(ctx, items[:1])
	fmt.Println("done:", done, err)

	mended = true
	redriven, err := stream.Redrive(ctx, dead.Source(), board)
	fmt.Println("redriven:", redriven.Handled, redriven.Failed, err)
	redriven, err = stream.Redrive(ctx, dead.Source(), board)
	fmt.Println("again:", redriven.Handled, redriven.Failed, err)
	// Output:
	// done: 1 <nil>
	// handled 100
	// redriven: 1 0 <nil>
	// again: 0 0 <nil>
}

// printer is a Sink that takes two events a request and refuses one at first.
type printer struct{ refused bool }

func (*printer) Limit() stream.Limit { return stream.Limit{Events: 2} }

func (p *printer) Put(_ context.Context, events []stream.Event) ([]stream.Outcome, error) {
	outcomes := make([]stream.Outcome, len(events))
	for i, e := range events {
		fmt.Printf("(%s)", e.ID)
		if e.ID == "2" && !p.refused {
			p.refused = true
			outcomes[i] = stream.Outcome{Err: errors.New("throttled"), Retry: true}
		}
	}
	fmt.Println()
	return outcomes, nil
}

// Only what failed is sent again.
func ExampleDeliver() {
	events := []stream.Event{{ID: "1"}, {ID: "2"}, {ID: "3"}}
	for _, err := range stream.Deliver(context.Background(), &printer{}, events, stream.Policy{}, nil) {
		fmt.Println(err)
	}
	// Output:
	// (1)(2)
	// (3)
	// (2)
	// <nil>
	// <nil>
	// <nil>
}

// openLetters makes a table for dead letters.
func openLetters(ctx context.Context) *letters.Repository {
	db, table, _ := streamtest.Example(ctx, letters.Table)
	dead, err := letters.New(db, table, "board", nil)
	if err != nil {
		log.Fatal(err)
	}
	return dead
}
