package feed_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/plaza-sdk/plaza/internal/faults"
)

// harsh is faults.Standard with other failures that may pass.
var harsh = faults.Rates{
	LostBefore: 0.05, LostAfter: 0.10, Throttled: 0.05, Twice: 0.05,
	Conflict: 0.05, Unprocessed: 0.10, Stale: 0.20,
}

// retried repeats a call until it succeeds.
func retried[T any](t testing.TB, call func() (T, error)) (got T) {
	t.Helper()
	for range 100 {
		var err error
		if got, err = call(); !faults.Passing(err) {
			assert.NoError(t, err, "it does not pass")
			return got
		}
	}
	t.Errorf("no answer in 100 calls")
	return got
}

// deliverAll finishes all deliveries. The clock of later must be past every
// lease.
func deliverAll(t testing.TB, later world) {
	t.Helper()
	for {
		if later.deliver(t) == 0 {
			return
		}
	}
}

var people = []string{"ann", "bob", "chris", "dora", "eve"}
