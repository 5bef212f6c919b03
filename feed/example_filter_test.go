package feed_test

import (
	"context"
	"fmt"
	"log"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
)

// blocked hides activities of people on the reader's block list.
func blocked(lists map[string][]string) feed.Filter {
	return func(_ context.Context, reader string, as []feed.Activity) ([]bool, error) {
		hide := make([]bool, len(as))
		for i, a := range as {
			for _, name := range lists[reader] {
				hide[i] = hide[i] || a.Actor.ID == name
			}
		}
		return hide, nil
	}
}

// muted hides activities with the verb.
func muted(verb string) feed.Filter {
	return func(_ context.Context, _ string, as []feed.Activity) ([]bool, error) {
		hide := make([]bool, len(as))
		for i, a := range as {
			hide[i] = a.Verb == verb
		}
		return hide, nil
	}
}

// strangersReplies hides replies to people whom the reader does not follow,
// except replies to the reader and to the author. The target of a reply is the
// person replied to. It takes one request for a whole page.
func strangersReplies(follows *follow.Repository) feed.Filter {
	return func(ctx context.Context, reader string, as []feed.Activity) ([]bool, error) {
		var addressed []string
		for _, a := range as {
			if a.Verb == "reply" {
				addressed = append(addressed, a.Target.ID)
			}
		}
		relations, err := follows.Relations(ctx, reader, addressed)
		if err != nil {
			return nil, err
		}
		hide := make([]bool, len(as))
		for i, a := range as {
			to := a.Target.ID
			hide[i] = a.Verb == "reply" && to != reader && to != a.Actor.ID && !relations[to].Follows
		}
		return hide, nil
	}
}

// each combines filters: it hides what any of them hides.
func each(filters ...feed.Filter) feed.Filter {
	return func(ctx context.Context, reader string, as []feed.Activity) ([]bool, error) {
		hide := make([]bool, len(as))
		for _, filter := range filters {
			more, err := filter(ctx, reader, as)
			if err != nil {
				return nil, err
			}
			for i := range more {
				hide[i] = hide[i] || more[i]
			}
		}
		return hide, nil
	}
}

// Jack's home hides a person that he blocked, likes, and replies to people whom
// he does not follow.
func ExampleFilter() {
	ctx := context.Background()
	tables := openTables(ctx)
	feeds := tables.feeds(&feed.Options{
		Consistent: true,
		Filter: each(
			blocked(map[string][]string{"jack": {"mallory"}}),
			muted("like"),
			strangersReplies(tables.follows),
		),
	})
	jack := feeds.Home("jack")
	for _, source := range []string{"chris", "ann", "mallory"} {
		if _, err := jack.Follow(ctx, source, nil); err != nil {
			log.Fatal(err)
		}
	}
	for _, a := range []feed.Activity{
		{Actor: feed.Ref{ID: "chris"}, Verb: "add"},
		{Actor: feed.Ref{ID: "mallory"}, Verb: "add"},
		{Actor: feed.Ref{ID: "chris"}, Verb: "like"},
		{Actor: feed.Ref{ID: "chris"}, Verb: "reply", Target: feed.Ref{ID: "ann"}},
		{Actor: feed.Ref{ID: "chris"}, Verb: "reply", Target: feed.Ref{ID: "jack"}},
		{Actor: feed.Ref{ID: "chris"}, Verb: "reply", Target: feed.Ref{ID: "chris"}},
		{Actor: feed.Ref{ID: "chris"}, Verb: "reply", Target: feed.Ref{ID: "stranger"}},
	} {
		if _, _, err := feeds.Outbox(a.Actor.ID).Publish(ctx, a); err != nil {
			log.Fatal(err)
		}
	}
	page, err := jack.List(ctx, cursor.PageRequest{})
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range page.Items {
		fmt.Println(a.Actor, a.Verb, a.Target)
	}
	// Output:
	// chris reply chris
	// chris reply jack
	// chris reply ann
	// chris add
}
