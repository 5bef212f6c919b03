package stream

import (
	"context"
	"time"
)

// Policy says how often something is tried and how long to wait in between.
type Policy struct {
	// Attempts is how often a record or an event is tried. Defaults to 3.
	Attempts int

	// Wait is the longest pause before the second attempt. It doubles with each
	// attempt up to MaxWait, and each pause is a random part of it. They default
	// to 100 ms and 5 s.
	Wait, MaxWait time.Duration

	// Sleep waits, and returns the context's error if that ends first. Defaults
	// to a timer.
	Sleep func(context.Context, time.Duration) error
}
