package live_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/message/live"
)

// Ben has the conversation open while Ann writes to him.
func Example() {
	ctx := context.Background()
	messages, hub := open(ctx)
	defer hub.Close()
	conversation := message.Pair{User: "ann", Other: "ben"}.Conversation()
	ann, ben := message.In{Conversation: conversation, User: "ann"}, message.In{Conversation: conversation, User: "ben"}
	send := func(key, text string) {
		m, _, err := messages.Send(ctx, message.Message{Conversation: conversation, Sender: "ann", Key: key, Text: text})
		if err != nil {
			log.Fatal(err)
		}
		if err := hub.Publish(ctx, live.Said(m)); err != nil {
			log.Fatal(err)
		}
	}
	send("1", "Hi Ben")

	viewer, err := hub.Join(ctx, ben, "") // before History, so that no message is missing
	if err != nil {
		log.Fatal(err)
	}
	defer viewer.Close()
	page, err := messages.History(ctx, ben, cursor.PageRequest{})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range page.Items {
		fmt.Println("before:", m.Seq, m.Text)
	}

	if _, err := hub.Typing(ctx, ann); err != nil {
		log.Fatal(err)
	}
	send("2", "Are you there?")
	for shown := 0; shown < 2; {
		batch, err := viewer.Next(ctx)
		if err != nil {
			log.Fatal(err)
		}
		for _, e := range batch.Events {
			switch e.Kind {
			case live.Typing:
				fmt.Println("now:", e.User, "is typing")
			case live.Sent:
				fmt.Println("now:", e.Seq, e.Message.Text)
			}
			shown++
		}
	}
	fmt.Println("watching:", hub.Present(conversation))
	// Output:
	// before: 1 Hi Ben
	// now: ann is typing
	// now: 2 Are you there?
	// watching: [ben]
}

// An inbox is updated although none of its conversations is open.
func ExampleHub_JoinInbox() {
	ctx := context.Background()
	messages, hub := open(ctx)
	defer hub.Close()
	inbox, err := hub.JoinInbox(ctx, "ben", "")
	if err != nil {
		log.Fatal(err)
	}
	defer inbox.Close()

	conversation := message.Pair{User: "ann", Other: "ben"}.Conversation()
	m, _, err := messages.Send(ctx, message.Message{Conversation: conversation, Sender: "ann", Key: "1", Text: "Hi Ben"})
	if err == nil {
		err = hub.Publish(ctx, live.Said(m))
	}
	if err != nil {
		log.Fatal(err)
	}
	batch, err := inbox.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	unread, err := messages.Unread(ctx, "ben")
	fmt.Println(batch.Events[0].User, "writes:", batch.Events[0].Message.Text, unread.Messages, err)

	_, err = hub.Join(ctx, message.In{Conversation: conversation, User: "eve"}, "")
	fmt.Println("eve may listen:", !errors.Is(err, message.ErrNotMember))
	// Output:
	// ann writes: Hi Ben 1 <nil>
	// eve may listen: false
}

// open returns a repository over a new table, and a hub over it.
func open(ctx context.Context) (*message.Repository, *live.Hub) {
	db, table, gen := streamtest.Example(ctx, message.Table)
	messages, err := message.New(db, table, gen, nil)
	if err != nil {
		log.Fatal(err)
	}
	hub, err := live.New(messages, nil)
	if err != nil {
		log.Fatal(err)
	}
	return messages, hub
}
