package stream

import "context"

// Handler handles one record. A record may come again.
type Handler func(context.Context, Record) error

// Batch handles records and returns one error for each. ErrHeld says that a
// record was not tried, because an earlier one of its item failed.
type Batch func(context.Context, []Record) []error

// Each makes a Batch of a Handler.
func Each(h Handler, lanes int) Batch { panic("TODO") }

// To makes a Batch that sends what event makes of each record to sink.
func To(sink Sink, event func(Record) (Event, bool, error), policy Policy, dead DeadLetters) Batch {
	panic("TODO")
}

// Deliver sends events to sink.
//
// Cost: 1 request of the sink for each full pack, and for each attempt.
func Deliver(ctx context.Context, sink Sink, events []Event, policy Policy, dead DeadLetters) []error {
	panic("TODO")
}
