package plaza_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// Every error of every package has a status.
func ExampleStatus() {
	_, err := ids.Parse("not an id")
	fmt.Println(plaza.Status(err))
	fmt.Println(plaza.Status(cursor.ErrExpired))
	fmt.Println(plaza.Status(fmt.Errorf("follow: %w", plaza.ErrNotFound)))
	fmt.Println(plaza.Status(ids.ErrClockRollback))
	fmt.Println(plaza.Status(&ratelimit.Error{Wait: 2 * time.Second}))
	// Output:
	// 400 0s
	// 400 0s
	// 404 0s
	// 503 1s
	// 429 2s
}

// An InvalidError names the argument, for the answer to a client.
func ExampleInvalidError() {
	err := fmt.Errorf("follow: %w", &plaza.InvalidError{Field: "Followee", Reason: "is empty"})
	var invalid *plaza.InvalidError
	if errors.As(err, &invalid) {
		fmt.Println(invalid.Field, invalid.Reason)
	}
	// Output:
	// Followee is empty
}
