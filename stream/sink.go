package stream

import (
	"context"
	"time"
)

// Event is what a Sink sends of a Record.
type Event struct {
	ID     string    // the record's; consumers recognize a repeat by it
	Source string    // of EventBridge: rules match it
	Type   string    // of EventBridge: its detail-type
	Group  string    // events of one group stay in order, if the sink keeps any
	At     time.Time // the record's
	Data   []byte    // JSON
}

// Sink sends events to a bus, a queue or an archive. It makes one request.
type Sink interface {
	// Limit bounds one Put.
	Limit() Limit

	// Put returns one Outcome an event, in their order, or an error if the whole
	// request failed.
	Put(context.Context, []Event) ([]Outcome, error)
}

// Limit bounds one Put of a Sink.
type Limit struct {
	Events int // at least 1
	Bytes  int // of all events, as Size counts them
	Event  int // of one event

	// Size is what an event counts toward the bounds, as the service counts.
	Size func(Event) int
}

// Outcome is what became of one event. The zero value: delivered.
type Outcome struct {
	Err   error
	Retry bool // sending it again can help
}
