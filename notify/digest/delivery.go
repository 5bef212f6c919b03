package digest

import (
	"context"
	"errors"
	"time"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/notify"
)

// Sender renders and sends a digest. It must return when its context ends, which is
// within 30 s. After an error it is called again, unless that is Permanent.
type Sender interface {
	Send(context.Context, Delivery) error
}

// Delivery is a digest to send.
type Delivery struct {
	// Key is the digest's identity: its user, channel and slot. It is the same in every
	// attempt.
	Key     string    `json:"key"`
	User    string    `json:"user"`
	Channel string    `json:"channel"`
	From    time.Time `json:"from"` // when its slot began,
	Slot    time.Time `json:"slot"` // and when it ended

	// Entries are the newest unread groups of the slot, newest first, at most 100.
	Entries []notify.Entry `json:"entries"`
	More    bool           `json:"more"` // there are more

	// Unsubscribe is what WorkerOptions.Unsubscribe returned, for links.
	Unsubscribe string `json:"unsubscribe,omitzero"`

	Attempt int `json:"attempt"` // 1 is the first; one after a crash has the same number
}

// MaxEntries is how many entries a Delivery has at most.
const MaxEntries = 100

// deliveryKey is the Key of a user's digest.
func deliveryKey(user, channel string, slot ids.ID) string {
	return keys.Join(user, channel, slot.String())
}

// Permanent wraps an error of a Sender to say that another attempt cannot help, such as
// an address that does not exist. It keeps err's text. Nil stays nil.
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

// Attempt is what became of an attempt to deliver a digest. If User is empty, it is a
// failed attempt to find digests that are due.
type Attempt struct {
	Key     string
	User    string
	Channel string
	Slot    time.Time
	Entries int  // how many there were to send
	Sent    bool // the Sender returned without an error
	Done    bool // it is not tried again: it was sent, is empty, not wanted any more, or given up

	// Err is why it was not sent. With Done it was given up: the error is Permanent, or
	// the digest has failed for 24 hours.
	Err error
}
