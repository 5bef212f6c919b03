package message_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/prefs"
	"github.com/plaza-sdk/plaza/stream"
)

// Ann writes to Ben, whose inbox shows it until he has read it.
func Example() {
	ctx := context.Background()
	messages := open(ctx, nil)
	conversation := message.Pair{User: "ann", Other: "ben"}.Conversation() // begins with its first message

	hello := message.Message{Conversation: conversation, Sender: "ann", Key: "made by ann's device", Text: "Are you there?"}
	for range 2 { // the answer was lost, and the device sends it again
		sent, created, err := messages.Send(ctx, hello)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("number:", sent.Seq, "new:", created)
	}

	show := func() {
		inbox, err := messages.Inbox(ctx, "ben", cursor.PageRequest{})
		if err != nil {
			log.Fatal(err)
		}
		for _, e := range inbox.Items {
			fmt.Printf("%s: %q, unread: %d\n", e.Other, e.Last.Text, e.Unread)
		}
	}
	show()
	if _, err := messages.MarkRead(ctx, message.In{Conversation: conversation, User: "ben"}, 1); err != nil {
		log.Fatal(err)
	}
	show()
	// Output:
	// number: 1 new: true
	// number: 1 new: false
	// ann: "Are you there?", unread: 1
	// ann: "Are you there?", unread: 0
}

// A user who joins a group sees what is sent from then on. A user who leaves it can
// still read what was sent before.
func ExampleRepository_Create() {
	ctx := context.Background()
	messages := open(ctx, nil)
	const trip = "trip"
	if _, err := messages.Create(ctx, message.Group{ID: trip, Members: []string{"ann", "ben"}}, "ann"); err != nil {
		log.Fatal(err)
	}
	say := func(sender, text string) {
		_, _, err := messages.Send(ctx, message.Message{Conversation: trip, Sender: sender, Key: text, Text: text})
		if errors.Is(err, message.ErrNotMember) {
			fmt.Println(sender, "is not a member")
		} else if err != nil {
			log.Fatal(err)
		}
	}
	say("ann", "Shall we go by train?")
	if _, err := messages.Add(ctx, message.In{Conversation: trip, User: "cleo"}, "ann"); err != nil {
		log.Fatal(err)
	}
	say("ben", "Yes, at nine.")
	if _, err := messages.Leave(ctx, message.In{Conversation: trip, User: "ann"}); err != nil {
		log.Fatal(err)
	}
	say("ann", "At ten.")
	say("cleo", "Nine is fine.")

	for _, user := range []string{"ann", "ben", "cleo"} {
		page, err := messages.History(ctx, message.In{Conversation: trip, User: user}, cursor.PageRequest{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(user, ":")
		for _, m := range page.Items {
			fmt.Printf(" %d %q", m.Seq, m.Text)
		}
		fmt.Println()
	}
	// Output:
	// ann is not a member
	// ann: 2 "Yes, at nine." 1 "Shall we go by train?"
	// ben: 3 "Nine is fine." 2 "Yes, at nine." 1 "Shall we go by train?"
	// cleo: 3 "Nine is fine." 2 "Yes, at nine."
}

// A message is edited, and then taken back. Its number stays.
func ExampleRepository_Edit() {
	ctx := context.Background()
	messages := open(ctx, nil)
	sent, _, err := messages.Send(ctx, message.Message{
		Conversation: message.Pair{User: "ann", Other: "ben"}.Conversation(), Sender: "ann", Key: "1", Text: "See you at nin",
	})
	if err != nil {
		log.Fatal(err)
	}
	sent.Text = "See you at nine"
	edited, changed, err := messages.Edit(ctx, sent)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(edited.Text, changed, !edited.Edited.IsZero())

	ann := message.In{Conversation: sent.Conversation, User: sent.Sender}
	if _, err := messages.Recall(ctx, ann, sent.Seq); err != nil {
		log.Fatal(err)
	}
	page, err := messages.History(ctx, ann, cursor.PageRequest{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d: %q, recalled: %t\n", page.Items[0].Seq, page.Items[0].Text, !page.Items[0].Recalled.IsZero())
	// Output:
	// See you at nine true true
	// 1: "", recalled: true
}

// Ben blocks Ann: neither can write to the other, and her actions ring no bell.
func ExampleRepository_Block() {
	ctx := context.Background()
	db, table, gen := streamtest.Example(ctx, notify.Table)
	preferences, err := prefs.New(db, table, gen, nil)
	if err != nil {
		log.Fatal(err)
	}
	messages := open(ctx, &message.Options{Blocks: preferences})
	if _, err := messages.Block(ctx, message.Pair{User: "ben", Other: "ann"}); err != nil {
		log.Fatal(err)
	}
	for _, sender := range []string{"ann", "ben"} {
		_, _, err := messages.Send(ctx, message.Message{
			Conversation: message.Pair{User: "ann", Other: "ben"}.Conversation(), Sender: sender, Key: "1", Text: "Hello",
		})
		fmt.Println(sender, errors.Is(err, message.ErrBlocked))
	}
	blocked, err := preferences.Blocked(ctx, prefs.Pair{User: "ben", Actor: "ann"})
	fmt.Println(blocked, err)
	// Output:
	// ann true
	// ben true
	// true <nil>
}

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

// streamed is a repository over a new table that has a stream.
type streamed struct {
	*message.Repository
	db    *dynamo.DB
	table string
}

func open(ctx context.Context, opts *message.Options) streamed {
	db, table, gen := streamtest.Example(ctx, message.Table)
	messages, err := message.New(db, table, gen, opts)
	if err != nil {
		log.Fatal(err)
	}
	return streamed{messages, db, table}
}

// say sends some messages of a user.
func (s streamed) say(ctx context.Context, conversation, sender string, texts ...string) {
	for _, text := range texts {
		m := message.Message{Conversation: conversation, Sender: sender, Key: text, Text: text}
		if _, _, err := s.Send(ctx, m); err != nil {
			log.Fatal(err)
		}
	}
}
