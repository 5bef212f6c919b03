package streamtest

import (
	"context"

	"github.com/plaza-sdk/plaza/stream"
)

// Queue is a DeadSource that gives its letters a few at a time, as a queue does that hides
// them for a while.
type Queue struct {
	Letters []stream.Dead
	AtOnce  int
	Given   int      // received so far
	Deleted []string // sequence numbers

	ReceiveErr, DeleteErr error
}

// Receive returns the next AtOnce letters.
func (q *Queue) Receive(context.Context) ([]stream.Dead, error) {
	if q.ReceiveErr != nil {
		return nil, q.ReceiveErr
	}
	n := min(q.AtOnce, len(q.Letters)-q.Given)
	q.Given += n
	return q.Letters[q.Given-n : q.Given], nil
}

// Delete notes a letter.
func (q *Queue) Delete(_ context.Context, d stream.Dead) error {
	if q.DeleteErr != nil {
		return q.DeleteErr
	}
	q.Deleted = append(q.Deleted, d.Seq)
	return nil
}
