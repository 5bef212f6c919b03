package stream

import (
	"errors"
	"fmt"

	"github.com/plaza-sdk/plaza"
)

var (
	// ErrEvent is returned when an event is no event of a DynamoDB stream, or is
	// larger than Limits allow. None of its records can be read.
	ErrEvent = fmt.Errorf("stream: not an event of a stream: %w", plaza.ErrInvalid)

	// ErrRecord is returned when a record cannot be read or is not one that
	// DynamoDB writes.
	ErrRecord = fmt.Errorf("stream: record cannot be read: %w", plaza.ErrInvalid)

	// ErrView is returned when a stream does not carry both images of an item.
	// Its StreamViewType must be NEW_AND_OLD_IMAGES.
	ErrView = fmt.Errorf("stream: the stream lacks new and old images: %w", plaza.ErrTable)

	// ErrGap is returned when records are gone before they were handled: a stream
	// keeps them for 24 hours. Rebuild what they feed, then begin with a new group or
	// with poller.Reader.Reset.
	ErrGap = fmt.Errorf("stream: records are gone that were not handled: %w", plaza.ErrNotFound)

	// ErrEnd is returned by poller.Reader.Next if the stream was switched off and read
	// to its end.
	ErrEnd = fmt.Errorf("stream: the stream is switched off: %w", plaza.ErrTable)

	// ErrTruncated is returned when a handler needs an image that Encode dropped.
	ErrTruncated = fmt.Errorf("stream: record was truncated: %w", plaza.ErrInvalid)

	// ErrTooLarge is returned when a record is over the limit without its images,
	// or an event over its sink's limit.
	ErrTooLarge = fmt.Errorf("stream: too large to send: %w", plaza.ErrInvalid)

	// ErrHeld is returned for a record or an event that was not tried, because an
	// earlier one of its item or group failed.
	ErrHeld = fmt.Errorf("stream: held back behind an earlier failure: %w", plaza.ErrBusy)

	// ErrOutcomes is returned when a Batch or a Sink did not return one answer
	// for each record or event.
	ErrOutcomes = fmt.Errorf("stream: answers are missing: %w", plaza.ErrUnknownOutcome)
)

// Permanent wraps an error of a Handler, a Batch or a Sink to say that another
// attempt cannot help. It keeps err's text. Nil stays nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanent{err}
}

type permanent struct{ error }

func (p *permanent) Unwrap() error { return p.error }

func isPermanent(err error) bool {
	var p *permanent
	return errors.As(err, &p)
}

func isHeld(err error) bool { return errors.Is(err, ErrHeld) }
