package stream

import (
	"context"
	"encoding/json"
	"time"
)

// ProcessorOptions are the options of a Processor. The zero value works.
type ProcessorOptions struct {
	Policy Policy // attempts at each record
	Limits Limits // of a Lambda event

	// Reason is the text for a dead letter's Reason. It must hold no data of the
	// item. Defaults to the error's class.
	Reason func(error) string

	// Margin is how long before the end of its time Lambda stops, to answer in
	// time. Defaults to 500 ms.
	Margin time.Duration

	// OnDead is called with each dead letter that was stored and its cause.
	OnDead func(Dead, error)

	// OnStop is called with the error that stopped Lambda before the end of an
	// event.
	OnStop func(error)
}

// Processor handles records with attempts and dead letters. It is safe for
// concurrent use.
type Processor struct{}

// NewProcessor does no I/O.
func NewProcessor(b Batch, dead DeadLetters, opts *ProcessorOptions) (*Processor, error) {
	panic("TODO")
}

// Process handles items.
//
// Cost: that of the Batch, and 1 Put for each dead letter.
func (p *Processor) Process(ctx context.Context, items []Item) (done int, err error) { panic("TODO") }

// Response is the answer to Lambda.
type Response struct {
	BatchItemFailures []BatchItemFailure `json:"batchItemFailures"`
}

// BatchItemFailure names the first record that was not handled.
type BatchItemFailure struct {
	ItemIdentifier string `json:"itemIdentifier"`
}

// Lambda handles a Lambda event.
//
// Cost: as Process.
func (p *Processor) Lambda(ctx context.Context, raw json.RawMessage) (Response, error) { panic("TODO") }
