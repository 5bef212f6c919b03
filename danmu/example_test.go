package danmu_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/engine"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/ratelimit"
)

func Example() {
	ctx := context.Background()
	db, stop := local(ctx)
	defer stop()
	gen, err := ids.New(1, nil)
	if err != nil {
		log.Fatal(err)
	}
	comments, err := danmu.New(db, "danmu", gen, nil)
	if err != nil {
		log.Fatal(err)
	}

	for _, c := range []danmu.Comment{
		{User: "anna", Progress: 20_400 * time.Millisecond, Text: "前方高能"},
		{User: "jack", Progress: 20 * time.Second, Text: "haha", Color: danmu.RGB(0xFFD700)},
		{User: "zoe", Progress: 21 * time.Second, Text: "2333"},
	} {
		c.Object = "episode 1"
		if _, _, err := comments.Send(ctx, c); err != nil {
			log.Fatal(err)
		}
	}

	window, err := comments.Window(ctx, "episode 1", 20*time.Second, 21*time.Second, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range window.Comments {
		fmt.Println(c.Progress, c.User, c.Text)
	}
	// Output:
	// 20s jack haha
	// 20.4s anna 前方高能
}

func ExampleRepository_Recall() {
	ctx := context.Background()
	comments, stop := open(ctx, nil)
	defer stop()

	sent := send(ctx, comments, danmu.Comment{Object: "episode 1", User: "jack", Text: "the butler did it"})
	jacks := danmu.Action{Object: "episode 1", ID: sent.ID, User: "jack"}
	for range 2 {
		recalled, err := comments.Recall(ctx, jacks)
		fmt.Println(recalled, err)
	}
	// Output:
	// true <nil>
	// false <nil>
}

func ExampleRepository_Like() {
	ctx := context.Background()
	comments, stop := open(ctx, nil)
	defer stop()
	sent := send(ctx, comments, danmu.Comment{Object: "episode 1", User: "jack", Text: "haha"})
	annas := danmu.Action{Object: "episode 1", ID: sent.ID, User: "anna"}
	for range 2 {
		changed, err := comments.Like(ctx, annas)
		fmt.Println(changed, err)
	}
	reactions, err := comments.Reactions(ctx, "anna", "episode 1", 0, time.Minute)
	fmt.Printf("%+v %v\n", reactions[sent.ID], err)
	liked, err := comments.Get(ctx, "episode 1", sent.ID)
	fmt.Println(liked.Likes, err)
	// Output:
	// true <nil>
	// false <nil>
	// {Liked:true Reported:false} <nil>
	// 1 <nil>
}

// A moderator keeps one comment and removes another.
func ExampleRepository_Remove() {
	ctx := context.Background()
	comments, stop := open(ctx, nil)
	defer stop()
	fine := send(ctx, comments, danmu.Comment{Object: "episode 1", User: "jack", Text: "a fine translation"})
	bad := send(ctx, comments, danmu.Comment{Object: "episode 1", User: "jack", Text: "an insult"})

	fmt.Println(comments.Protect(ctx, danmu.Moderation{Object: "episode 1", ID: fine.ID}))
	fmt.Println(comments.Remove(ctx, danmu.Moderation{Object: "episode 1", ID: bad.ID}))
	window, err := comments.Window(ctx, "episode 1", 0, time.Minute, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range window.Comments {
		fmt.Println(c.Text, c.Protected)
	}
	// Output:
	// true <nil>
	// true <nil>
	// a fine translation true
}

// A popular episode gets more shards while it is running.
func ExampleRepository_Configure() {
	ctx := context.Background()
	comments, stop := open(ctx, nil)
	defer stop()

	fmt.Println(comments.Configure(ctx, "episode 1", danmu.Settings{Owner: "jack", Duration: 24 * time.Minute}))
	fmt.Println(comments.Configure(ctx, "episode 1", danmu.Settings{Owner: "jack", Duration: 24 * time.Minute, Shards: 4}))
	fmt.Println(comments.Settings(ctx, "episode 1"))
	// Output:
	// true <nil>
	// true <nil>
	// {jack 24m0s 6m0s 4} <nil>
}

// A crowded second is thinned: repeats are merged, and a cap keeps the rest
// readable.
func ExampleRepository_Window() {
	ctx := context.Background()
	comments, stop := open(ctx, nil)
	defer stop()
	for _, user := range []string{"anna", "jack", "zoe"} {
		send(ctx, comments, danmu.Comment{Object: "episode 1", User: user, Text: "2333", Progress: time.Second})
	}

	window, err := comments.Window(ctx, "episode 1", 0, time.Minute, &danmu.WindowOptions{Merge: 5 * time.Second, Cap: 50})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range window.Comments {
		fmt.Println(c.Text, "and", c.Repeats, "more")
	}
	heat, err := comments.Heatmap(ctx, "episode 1", 3)
	fmt.Println(heat, err)
	// Output:
	// 2333 and 2 more
	// [3 0 0] <nil>
}

// Every list is read to its end by cursor.All.
func ExampleRepository_ByObject() {
	ctx := context.Background()
	comments, stop := open(ctx, nil)
	defer stop()
	for i, text := range []string{"later", "first"} {
		send(ctx, comments, danmu.Comment{Object: "episode 1", User: "jack", Text: text, Progress: time.Duration(9-i) * time.Minute})
	}

	list := func(ctx context.Context, req cursor.PageRequest) (cursor.Page[danmu.Comment], error) {
		return comments.ByObject(ctx, "episode 1", 0, req)
	}
	for c, err := range cursor.All(ctx, list) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(c.Progress, c.Text)
	}
	sent, err := comments.ByUser(ctx, "jack", cursor.PageRequest{Limit: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("sent last:", sent.Items[0].Text)
	// Output:
	// 8m0s first
	// 9m0s later
	// sent last: first
}

// Comments move from one video to another; importing them again changes nothing.
func ExampleRepository_Import() {
	ctx := context.Background()
	comments, stop := open(ctx, nil)
	defer stop()
	for _, text := range []string{"haha", "2333"} {
		send(ctx, comments, danmu.Comment{Object: "episode 1", User: "jack", Text: text})
	}

	for range 2 {
		result, err := comments.Import(ctx, "director's cut", comments.Export(ctx, "episode 1"), nil)
		fmt.Printf("%+v %v\n", result, err)
	}
	// Output:
	// {Read:2 Written:2 Present:0 Refused:0} <nil>
	// {Read:2 Written:0 Present:2 Refused:0} <nil>
}

// A user sends one comment at once, then one in ten seconds.
func ExampleOptions_rate() {
	ctx := context.Background()
	comments, stop := open(ctx, &danmu.Options{
		Rate:       ratelimit.Rate{Every: 10 * time.Second, Burst: 1},
		SharedRate: true, // whichever process the user sends to
	})
	defer stop()

	for range 2 {
		_, created, err := comments.Send(ctx, danmu.Comment{Object: "episode 1", User: "jack", Text: "haha"})
		var rate *ratelimit.Error
		if errors.As(err, &rate) {
			fmt.Println("wait", rate.Wait.Round(10*time.Second))
			continue
		}
		fmt.Println(created, err)
	}
	// Output:
	// true <nil>
	// wait 10s
}

// A user leaves.
func ExampleRepository_Erase() {
	ctx := context.Background()
	comments, stop := open(ctx, nil)
	defer stop()
	send(ctx, comments, danmu.Comment{Object: "episode 1", User: "jack", Text: "haha"})

	fmt.Println(comments.Erase(ctx, "jack"))
	window, err := comments.Window(ctx, "episode 1", 0, time.Minute, nil)
	fmt.Println(len(window.Comments), err)
	// Output:
	// <nil>
	// 0 <nil>
}

func ExampleNewFilter() {
	f, err := danmu.NewFilter(danmu.FilterRules{
		Words:    []string{"spoiler"},
		Patterns: []string{`^2{1,2}3+$`},
		Modes:    []danmu.Mode{danmu.Top},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range []danmu.Comment{{Text: "SPOILER: the butler"}, {Text: "23333"}, {Text: "hi", Mode: danmu.Top}, {Text: "haha"}} {
		fmt.Println(c.Text, f.Blocks(c))
	}
	// Output:
	// SPOILER: the butler true
	// 23333 true
	// hi true
	// haha false
}

// send sends a comment that the example needs.
func send(ctx context.Context, comments *danmu.Repository, c danmu.Comment) danmu.Comment {
	sent, _, err := comments.Send(ctx, c)
	if err != nil {
		log.Fatal(err)
	}
	return sent
}

// open returns a repository over a local database.
func open(ctx context.Context, opts *danmu.Options) (comments *danmu.Repository, stop func()) {
	db, stop := local(ctx)
	return on(db, opts), stop
}

// on returns a repository over a database.
func on(db *dynamo.DB, opts *danmu.Options) *danmu.Repository {
	gen, err := ids.New(1, nil)
	if err != nil {
		log.Fatal(err)
	}
	comments, err := danmu.New(db, "danmu", gen, opts)
	if err != nil {
		log.Fatal(err)
	}
	return comments
}

// local starts a database for an example and creates the table.
func local(ctx context.Context) (db *dynamo.DB, stop func()) {
	e, err := engine.Shared(ctx)
	if err != nil {
		log.Fatal(err)
	}
	client := dynamodb.NewFromConfig(e.Config())
	if _, err := client.CreateTable(ctx, streamtest.Streamed(danmu.Table)("danmu")); err != nil {
		log.Fatal(err)
	}
	return dynamo.NewFromIface(client), func() {
		if _, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: danmu.Table("danmu").TableName}); err != nil {
			log.Fatal(err)
		}
		if err := e.Close(); err != nil {
			log.Fatal(err)
		}
	}
}
