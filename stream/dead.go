package stream

import (
	"context"
	"time"
)

// Dead is a record or an event that was given up on: a dead letter.
type Dead struct {
	Stream   string // the stream's ARN
	Shard    string // "" if it is from a Lambda event
	Seq      string
	LastSeq  string // of a position of several records: the last one
	KeyHash  string // a hash of table and key; equal for records of one item
	Reason   string // holds no data of the item
	Attempts int
	At       time.Time // when the record was written

	// Record is what Encode wrote, or the record's JSON in a Lambda event if it
	// could not be read. Empty: a position, to be read from the stream within 24
	// hours.
	Record []byte

	// Receipt is the DeadSource's, for its Delete. It is not stored.
	Receipt string `json:"-"`
}

// DeadLetters keeps dead letters. A repeat of Put is harmless.
type DeadLetters interface {
	Put(context.Context, Dead) error
}

// DeadSource is where Redrive gets dead letters from.
type DeadSource interface {
	// Receive returns the next letters, oldest first, none at the end. A letter
	// that was received and not deleted does not come again.
	Receive(context.Context) ([]Dead, error)

	// Delete removes a letter. Nothing happens if it is gone.
	Delete(context.Context, Dead) error
}

// Redriven counts what Redrive did.
type Redriven struct {
	Handled   int // and deleted
	Failed    int // left where they were
	Held      int // left, because an earlier letter of the same item failed
	Positions int // left: they hold no record
}

// Fit returns the letter with at most limit bytes of Record: without the old
// image, the new one, or any record.
func (d Dead) Fit(limit int) Dead { panic("TODO") }

// Redrive hands letters to b, oldest first, until src has no more. It deletes
// those that were handled, and leaves the others. A letter that is driven twice
// is harmless if b is.
//
// Cost: that of src and b.
func Redrive(ctx context.Context, src DeadSource, b Batch) (Redriven, error) { panic("TODO") }

// ParseFailure reads what AWS sends to an on-failure destination or a dead-letter queue.
func ParseFailure(raw []byte, limits Limits) ([]Dead, error) { panic("TODO") }
