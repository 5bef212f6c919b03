package comment_test

import (
	"context"
	"fmt"
	"log"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/streamtest"
)

// Nested comments: a page of roots with the first replies of each.
func Example() {
	ctx := context.Background()
	comments := open(ctx, &comment.Options{Consistent: true})

	say := func(c comment.Comment) comment.Comment {
		c.Object = "picture:10"
		c, _, err := comments.Add(ctx, c)
		if err != nil {
			log.Fatal(err)
		}
		return c
	}
	bird := say(comment.Comment{User: "ann", Text: "Beautiful bird!"})
	name := say(comment.Comment{User: "bob", Text: "What is it called?", Root: bird.ID})
	say(comment.Comment{User: "ann", Text: "A kingfisher.", Root: bird.ID, Parent: name.ID})
	say(comment.Comment{User: "chris", Text: "Where was that?"})

	if _, err := comments.Delete(ctx, comment.Action{Address: bird.Address(), User: "ann"}); err != nil {
		log.Fatal(err)
	}
	page, err := comments.Threads(ctx, "picture:10", cursor.PageRequest{Limit: 20}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, root := range page.Items {
		if root.Removed != nil {
			root.Text = "(deleted)"
		}
		fmt.Printf("%s: %s (%d replies)\n", root.User, root.Text, root.Replies)
		for _, reply := range root.First {
			fmt.Printf("  %s: %s\n", reply.User, reply.Text)
		}
	}
	// Output:
	// chris: Where was that? (0 replies)
	// ann: (deleted) (2 replies)
	//   bob: What is it called?
	//   ann: A kingfisher.
}

// A quote follows the comment that it quotes.
func ExampleRepository_ByObject() {
	ctx := context.Background()
	comments := open(ctx, &comment.Options{Consistent: true})

	first, _, err := comments.Add(ctx, comment.Comment{Object: "picture:10", User: "ann", Text: "Beautyful bird!"})
	if err != nil {
		log.Fatal(err)
	}
	_, _, err = comments.Add(ctx, comment.Comment{
		Object: "picture:10", User: "bob", Text: "It is.",
		Parent: first.ID, Quote: &comment.Quote{Address: first.Address()},
	})
	if err != nil {
		log.Fatal(err)
	}
	first.Text = "Beautiful bird!"
	if _, _, err := comments.Edit(ctx, first); err != nil {
		log.Fatal(err)
	}
	page, err := comments.ByObject(ctx, "picture:10", cursor.PageRequest{}, &comment.ListOptions{Oldest: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range page.Items {
		if c.Quote != nil {
			fmt.Printf("> %s: %s\n", c.Quote.User, c.Quote.Excerpt)
		}
		fmt.Printf("%s: %s\n", c.User, c.Text)
	}
	// Output:
	// ann: Beautiful bird!
	// > ann: Beautiful bird!
	// bob: It is.
}

// Top sorts by likes, which the application counts.
func ExampleRepository_Top() {
	ctx := context.Background()
	likes := map[ids.ID]int64{}
	comments := open(ctx, &comment.Options{
		Consistent: true,
		Score:      func(_ context.Context, at comment.Address) (int64, error) { return likes[at.ID], nil },
	})

	for n, text := range []string{"First!", "Beautiful bird!", "Nice."} {
		c, _, err := comments.Add(ctx, comment.Comment{Object: "picture:10", User: "ann", Text: text})
		if err != nil {
			log.Fatal(err)
		}
		likes[c.ID] = int64(n % 2)
		if _, err := comments.UpdateScore(ctx, c.Address()); err != nil { // after each change of its likes
			log.Fatal(err)
		}
	}
	page, err := comments.Top(ctx, "picture:10", cursor.PageRequest{})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range page.Items {
		fmt.Println(likes[c.ID], c.Text)
	}
	// Output:
	// 1 Beautiful bird!
	// 0 Nice.
	// 0 First!
}

// open returns a repository over a new table.
func open(ctx context.Context, opts *comment.Options) *comment.Repository {
	db, table, gen := streamtest.Example(ctx, comment.Table)
	comments, err := comment.New(db, table, gen, opts)
	if err != nil {
		log.Fatal(err)
	}
	return comments
}
