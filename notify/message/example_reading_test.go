package message_test

import (
	"context"
	"fmt"
	"log"
	"maps"
	"slices"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/stream"
)

// A page loads the newest messages, then older ones as the user scrolls up, and polls
// for newer ones.
func ExampleRepository_History() {
	ctx := context.Background()
	messages := open(ctx, nil)
	pair := message.Pair{User: "ann", Other: "ben"}.Conversation()
	messages.say(ctx, pair, "ann", "one", "two", "three")

	ben := message.In{Conversation: pair, User: "ben"}
	show := func(what string, c cursor.Cursor) cursor.Page[message.Message] {
		page, err := messages.History(ctx, ben, cursor.PageRequest{Cursor: c, Limit: 2})
		if err != nil {
			log.Fatal(err)
		}
		for _, m := range page.Items {
			fmt.Println(what, m.Seq, m.Text)
		}
		return page
	}
	newest := show("newest:", "")
	show("older:", newest.Next)

	messages.say(ctx, pair, "ann", "four")
	polled := show("newer:", newest.Prev)
	show("nothing newer", polled.Prev)
	// Output:
	// newest: 3 three
	// newest: 2 two
	// older: 1 one
	// newer: 4 four
}

// Ann's client shows how far each member has read.
func ExampleRepository_Receipts() {
	ctx := context.Background()
	messages := open(ctx, nil)
	pair := message.Pair{User: "ann", Other: "ben"}.Conversation()
	messages.say(ctx, pair, "ann", "one", "two", "three")
	if _, err := messages.MarkRead(ctx, message.In{Conversation: pair, User: "ben"}, 2); err != nil {
		log.Fatal(err)
	}

	read, err := messages.Receipts(ctx, message.In{Conversation: pair, User: "ann"})
	if err != nil {
		log.Fatal(err)
	}
	for _, user := range slices.Sorted(maps.Keys(read)) {
		fmt.Println(user, "has read up to", read[user])
	}
	// Output:
	// ann has read up to 3
	// ben has read up to 2
}

// A search index and push messages follow the table's stream.
func ExampleChanges() {
	ctx := context.Background()
	messages := open(ctx, nil)
	pair := message.Pair{User: "ann", Other: "ben"}.Conversation()
	messages.say(ctx, pair, "ann", "hello", "to nobody")
	ann, ben := message.In{Conversation: pair, User: "ann"}, message.In{Conversation: pair, User: "ben"}
	if _, err := messages.Recall(ctx, ann, 2); err != nil {
		log.Fatal(err)
	}
	if _, err := messages.MarkRead(ctx, ben, 1); err != nil {
		log.Fatal(err)
	}

	handler := func(_ context.Context, r stream.Record) error {
		changes, err := message.Changes(r)
		for _, c := range changes {
			switch c.Kind {
			case message.Sent:
				fmt.Println("add to the index:", c.Message.Seq, c.Message.Text)
			case message.Recalled, message.Erased:
				fmt.Println("take out of the index:", c.Message.Seq)
			case message.Read:
				if c.User == "ben" {
					fmt.Println("ben has read up to", c.Seq)
				}
			}
		}
		return err
	}
	if err := streamtest.Each(ctx, messages.db, messages.table, handler); err != nil {
		log.Fatal(err)
	}
	// Output:
	// add to the index: 1 hello
	// add to the index: 2 to nobody
	// take out of the index: 2
	// ben has read up to 1
}

// A user deletes their account. Their messages are emptied and keep their numbers.
func ExampleRepository_Erase() {
	ctx := context.Background()
	messages := open(ctx, nil)
	if _, err := messages.Create(ctx, message.Group{ID: "team", Members: []string{"ann", "ben"}}, "ann"); err != nil {
		log.Fatal(err)
	}
	messages.say(ctx, "team", "ann", "my address is …")
	messages.say(ctx, "team", "ben", "thanks")
	if err := messages.Erase(ctx, "ann"); err != nil {
		log.Fatal(err)
	}

	page, err := messages.History(ctx, message.In{Conversation: "team", User: "ben"}, cursor.PageRequest{})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range page.Items {
		fmt.Printf("%d %q by %q\n", m.Seq, m.Text, m.Sender)
	}
	// Output:
	// 2 "thanks" by "ben"
	// 1 "" by ""
}
