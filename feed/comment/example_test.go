package comment_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
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

// A repeated Add, for example after a timeout, adds one comment.
func ExampleRepository_Add() {
	ctx := context.Background()
	comments := open(ctx, &comment.Options{Consistent: true})

	c := comment.Comment{Object: "picture:10", User: "ann", Text: "Beautiful bird!", Key: "form-7"}
	for range 2 {
		_, created, err := comments.Add(ctx, c)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(created)
	}
	c.Text = "Ugly bird!"
	_, _, err := comments.Add(ctx, c)
	fmt.Println(errors.Is(err, plaza.ErrConflict))

	counts, err := comments.Counts(ctx, "picture:10")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(counts.All)
	// Output:
	// true
	// false
	// true
	// 1
}

// Replies reads a whole thread. ByUser lists a user's comments on all objects.
func ExampleRepository_Replies() {
	ctx := context.Background()
	comments := open(ctx, &comment.Options{Consistent: true})

	root, _, err := comments.Add(ctx, comment.Comment{Object: "picture:10", User: "ann", Text: "Which bird?"})
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"A heron.", "A kingfisher.", "No, a heron."} {
		if _, _, err := comments.Add(ctx, comment.Comment{Object: "picture:10", Root: root.ID, User: "bob", Text: text}); err != nil {
			log.Fatal(err)
		}
	}
	thread := func(ctx context.Context, req cursor.PageRequest) (cursor.Page[comment.Comment], error) {
		return comments.Replies(ctx, root.Address(), req, &comment.ListOptions{Oldest: true})
	}
	for reply, err := range cursor.All(ctx, thread) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(reply.Text)
	}
	page, err := comments.ByUser(ctx, "bob", cursor.PageRequest{Limit: 1}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("bob's latest:", page.Items[0].Text)
	// Output:
	// A heron.
	// A kingfisher.
	// No, a heron.
	// bob's latest: No, a heron.
}

// A moderator hides, removes and pins.
func ExampleRepository_Hide() {
	ctx := context.Background()
	comments := open(ctx, &comment.Options{Consistent: true})

	var added []comment.Comment
	for _, text := range []string{"Buy cheap watches!", "A kingfisher.", "First!"} {
		c, _, err := comments.Add(ctx, comment.Comment{Object: "picture:10", User: "bob", Text: text})
		if err != nil {
			log.Fatal(err)
		}
		added = append(added, c)
	}
	if _, err := comments.Remove(ctx, added[0].Address(), comment.Removal{By: "moderator", Reason: "spam"}); err != nil {
		log.Fatal(err)
	}
	if _, err := comments.Pin(ctx, added[1].Address()); err != nil {
		log.Fatal(err)
	}
	for range 2 {
		changed, err := comments.Hide(ctx, added[2].Address())
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("hidden:", changed)
	}
	pinned, err := comments.Pinned(ctx, "picture:10")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("pinned:", pinned.Text)
	page, err := comments.ByObject(ctx, "picture:10", cursor.PageRequest{}, &comment.ListOptions{WithHidden: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range page.Items {
		fmt.Println(c.Text, c.Hidden)
	}
	// Output:
	// hidden: true
	// hidden: false
	// pinned: A kingfisher.
	// First! true
	// A kingfisher. false
}

// Erase deletes all comments of a user who leaves. Comments with answers become
// tombstones without a name.
func ExampleRepository_Erase() {
	ctx := context.Background()
	comments := open(ctx, &comment.Options{Consistent: true})

	root, _, err := comments.Add(ctx, comment.Comment{Object: "picture:10", User: "ann", Text: "Which bird?"})
	if err != nil {
		log.Fatal(err)
	}
	if _, _, err := comments.Add(ctx, comment.Comment{Object: "picture:10", Root: root.ID, User: "bob", Text: "A heron."}); err != nil {
		log.Fatal(err)
	}
	if err := comments.Erase(ctx, "ann"); err != nil {
		log.Fatal(err)
	}
	left, err := comments.Get(ctx, root.Address())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q %q %v %d\n", left.User, left.Text, left.Removed != nil, left.Replies)
	// Output: "" "" true 1
}

// open returns a repository over a new table.
func open(ctx context.Context, opts *comment.Options) *comment.Repository {
	comments, _, _ := openStreamed(ctx, opts)
	return comments
}

// openStreamed is open, and returns the table too, which has a stream.
func openStreamed(ctx context.Context, opts *comment.Options) (comments *comment.Repository, db *dynamo.DB, table string) {
	db, table, gen := streamtest.Example(ctx, comment.Table)
	comments, err := comment.New(db, table, gen, opts)
	if err != nil {
		log.Fatal(err)
	}
	return comments, db, table
}
