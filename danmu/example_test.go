package danmu_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/engine"
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

	sent, _, err := comments.Send(ctx, danmu.Comment{Object: "episode 1", User: "jack", Text: "the butler did it"})
	if err != nil {
		log.Fatal(err)
	}
	jacks := danmu.Action{Object: "episode 1", ID: sent.ID, User: "jack"}
	for range 2 {
		recalled, err := comments.Recall(ctx, jacks)
		fmt.Println(recalled, err)
	}
	// Output:
	// true <nil>
	// false <nil>
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

// local is a database for the example, with the table.
func local(ctx context.Context) (db *dynamo.DB, stop func()) {
	e, err := engine.Start(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	client := dynamodb.NewFromConfig(e.Config(), e.Options)
	if _, err := client.CreateTable(ctx, danmu.Table("danmu")); err != nil {
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
