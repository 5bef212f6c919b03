package stream

import (
	"context"
	"time"
)

// Event is a message that a Sink sends.
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

	// Put returns an Outcome for each event, in their order, or an error if the
	// whole request failed.
	Put(context.Context, []Event) ([]Outcome, error)
}

// Limit bounds one Put of a Sink.
type Limit struct {
	Events int // at least 1
	Bytes  int // of all events, as Size counts them
	Event  int // of one event

	// Size returns the bytes that an event takes of the bounds, as the service
	// counts them. Defaults to those of Data.
	Size func(Event) int
}

// Outcome says whether an event was delivered. The zero value says that it was.
type Outcome struct {
	Err   error
	Retry bool // sending it again can help
}
