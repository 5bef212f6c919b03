package ratelimit_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/plaza-sdk/plaza/ratelimit"
)

// A user sends once, then once in ten seconds. Repeats are free.
func ExampleMemory() {
	limiter, err := ratelimit.NewMemory(ratelimit.Rate{Every: 10 * time.Second, Burst: 1}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, id := range []string{"m1", "m1", "m2"} {
		wait, err := limiter.Take(context.Background(), ratelimit.Attempt{Object: "ann and bob", User: "ann", ID: id})
		fmt.Println(id, wait.Round(10*time.Second), err)
	}
	// Output:
	// m1 0s <nil>
	// m1 0s <nil>
	// m2 10s <nil>
}
