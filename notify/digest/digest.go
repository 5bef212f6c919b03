package digest

import (
	"context"
	"errors"
	"time"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/notify"
)

// Sender renders and sends a digest, often by the Digest's Channel. It must return
// when its context ends, which is within 30 s. After an error it is called again, unless
// the error is Permanent, and not before the time of RetryAfter. It is called by several goroutines at once.
type Sender interface {
	Send(context.Context, Digest) error
}

// Digest has the unread groups of a user's slot, for a Sender.
type Digest struct {
	// Key is the digest's identity: its user, channel and slot. It is the same in every
	// attempt.
	Key     string    `json:"key"`
	User    string    `json:"user"`
	Channel string    `json:"channel"`
	From    time.Time `json:"from"` // when its slot began
	Slot    time.Time `json:"slot"` // when its slot ended

	// Entries are the newest unread groups of the slot, newest first, at most 100.
	Entries []notify.Entry `json:"entries"`
	More    bool           `json:"more"` // there were more than Entries has

	// Unsubscribe is the text that WorkerOptions.Unsubscribe returned, for links.
	Unsubscribe string `json:"unsubscribe,omitzero"`

	Attempt int `json:"attempt"` // begins at 1; does not grow if the worker died
}

// MaxEntries is the most entries of a Digest.
const MaxEntries = 100

// digestKey returns the Key of a user's digest.
func digestKey(user, channel string, slot ids.ID) string {
	return keys.Join(user, channel, slot.String())
}

// Permanent wraps a Sender's error to say that another attempt cannot help, for
// example because an address does not exist. It keeps err's text. Nil stays nil.
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

// RetryAfter wraps a Sender's error to say how long the receiver wants to be left alone, such
// as the Retry-After of its answer 429. The next attempt waits as long, at least 30 s and at most
// 24 hours. Any error with such a method in its chain does the same. It keeps err's text. Nil
// stays nil.
func RetryAfter(err error, wait time.Duration) error {
	if err == nil {
		return nil
	}
	return &waitError{err, wait}
}

type waitError struct {
	error
	wait time.Duration
}

func (w *waitError) Unwrap() error { return w.error }

func (w *waitError) RetryAfter() time.Duration { return w.wait }

// Attempt is one attempt to send a digest. If User is empty, it is a failed attempt to find
// digests that are due.
type Attempt struct {
	Key     string
	User    string
	Channel string
	Slot    time.Time
	Entries int  // of the Digest
	Sent    bool // the Sender returned without an error
	Done    bool // it is not tried again: it was sent, empty, no longer wanted, or given up

	// Err is why it was not sent. If Done is set too, the digest was given up: the error
	// is Permanent, or the digest has failed for 24 hours.
	Err error
}
