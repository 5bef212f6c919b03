package examples_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

func taste(ctx context.Context, db *dynamo.DB) error {
	gen, err := ids.New(1, nil) // this process's number; ids/lease borrows one
	if err != nil {
		return err
	}
	follows, err := follow.New(db, "follow", gen, nil)
	if err != nil {
		return err
	}
	feeds, err := feed.New(db, "feed", gen, follows, nil)
	if err != nil {
		return err
	}
	chris, jack := feeds.Outbox("chris"), feeds.Home("jack")
	if _, err := jack.Follow(ctx, "chris", nil); err != nil {
		return err
	}
	if _, _, err := chris.Publish(ctx, feed.Activity{
		Actor: feed.Ref{ID: "chris"}, Verb: "add", Object: feed.Ref{Kind: "picture", ID: "10"},
		ForeignID: "picture:10", Data: json.RawMessage(`{"message": "Beautiful bird!"}`),
	}); err != nil {
		return err
	}
	page, err := jack.List(ctx, cursor.PageRequest{Limit: 10}) // page.Next goes on
	if err != nil {
		return err
	}
	for _, a := range page.Items {
		fmt.Println(a.Actor, a.Verb, a.Object, string(a.Data))
	}
	_, err = chris.RemoveForeign(ctx, "picture:10") // one write; gone from every home
	return err
}

func Example() {
	ctx := context.Background()
	env, err := plazatest.Open(ctx, &plazatest.Options{Tables: tables.Names{Machines: "machines"}})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = env.Close() }()
	cfg := env.Config
	// DynamoDB Local keeps the tables of each access key apart.
	cfg.Credentials = credentials.NewStaticCredentialsProvider(rand.Text(), "secret", "")
	db := dynamo.New(cfg)
	if _, err := db.Client().CreateTable(ctx, follow.Table("follow")); err != nil {
		log.Fatal(err)
	}
	if _, err := db.Client().CreateTable(ctx, feed.Table("feed")); err != nil {
		log.Fatal(err)
	}
	if err := taste(ctx, db); err != nil {
		log.Fatal(err)
	}
	// Output:
	// chris add picture:10 {"message": "Beautiful bird!"}
}

func TestTheReadmeShowsThisCode(t *testing.T) {
	t.Parallel()
	readme := strings.ReplaceAll(read(t, "../README.md"), "\r\n", "\n")
	_, shown, ok := strings.Cut(readme, "```go\n")
	require.True(t, ok)
	shown, _, _ = strings.Cut(shown, "```")

	code := strings.ReplaceAll(read(t, "readme_test.go"), "\r\n", "\n")
	_, code, ok = strings.Cut(code, "\nfunc taste(")
	require.True(t, ok)
	code, _, _ = strings.Cut(code, "\n}\n")
	require.Equal(t, "func taste("+code+"\n}\n", shown)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}
