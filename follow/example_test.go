package follow_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/internal/streamtest"
)

// Repeating a call is harmless, and its answer says what this call changed.
func Example() {
	ctx := context.Background()
	follows, _, _ := open(ctx)

	edge, created, err := follows.Follow(ctx, follow.Edge{Follower: "jack", Followee: "chris"})
	fmt.Println("follow:", created, err)
	_, created, err = follows.Follow(ctx, follow.Edge{Follower: "jack", Followee: "chris"})
	fmt.Println("follow again:", created, err)
	counts, err := follows.Counts(ctx, "chris")
	fmt.Println("counts:", counts.Followers, counts.Following, err)

	removed, err := follows.Unfollow(ctx, edge)
	fmt.Println("unfollow:", removed, err)
	removed, err = follows.Unfollow(ctx, edge)
	fmt.Println("unfollow again:", removed, err)
	_, _, err = follows.Follow(ctx, edge) // a late request
	fmt.Println("the old edge:", errors.Is(err, plaza.ErrRemoved))
	// Output:
	// follow: true <nil>
	// follow again: false <nil>
	// counts: 1 0 <nil>
	// unfollow: true <nil>
	// unfollow again: false <nil>
	// the old edge: true
}

// A repeat of an import changes nothing. After a crash, the same call resumes.
func ExampleRepository_Import() {
	ctx := context.Background()
	follows, _, _ := open(ctx)
	var old iter.Seq2[follow.Edge, error] = func(yield func(follow.Edge, error) bool) {
		for _, fan := range []string{"anna", "jack", "zoe"} {
			if !yield(follow.Edge{Follower: fan, Followee: "chris"}, nil) {
				return
			}
		}
	}

	for range 2 {
		result, err := follows.Import(ctx, "old system", old, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.Created, "created,", result.Resumed, "windows done before")
	}
	// Output:
	// 3 created, 0 windows done before
	// 3 created, 1 windows done before
}

// open returns a repository over a new table, which has a stream.
func open(ctx context.Context) (follows *follow.Repository, db *dynamo.DB, table string) {
	db, table, gen := streamtest.Example(ctx, follow.Table)
	follows, err := follow.New(db, table, gen, &follow.Options{Consistent: true})
	if err != nil {
		log.Fatal(err)
	}
	return follows, db, table
}
