package live

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/jsontext"
)

// Options of a Hub. The zero value works.
type Options[E any] struct {
	// Backplane joins the hubs of several processes. Defaults to a Memory of
	// this hub's own.
	Backplane Backplane

	// Decode reads what Publish wrote. An event that it fails to read is counted
	// in Batch.Dropped. Defaults to json.Unmarshal.
	Decode func(room string, payload []byte) (E, error)

	// Encode writes what viewers get. Defaults to a JSON array of the events.
	Encode func(room string, events []E) []byte

	// Fresh is called for each room that opens. The function it returns reports
	// whether an event is shown; it is called in the order of events, by one
	// goroutine at a time. By default all events are shown.
	Fresh func() func(E) bool

	// Every is the least time between two batches of a room with 5,000 viewers or more.
	// A smaller room waits proportionally less, but at least a tenth. An event after a
	// longer pause goes out at once. Defaults to 100 ms.
	Every time.Duration

	// PresentEvery makes Next return with Batch.Present when viewers come or go, at
	// most once in this time. A smaller room waits less, as with Every. Defaults to 0:
	// Next does not return for that.
	PresentEvery time.Duration

	// Known is called before a room opens, once for all viewers who wait to join.
	// If it returns an error, such as plaza.ErrNotFound, the room does not open
	// and Join returns that error. Publish does not call it. By default all rooms
	// open.
	Known func(ctx context.Context, room string) error

	// Batches and Bytes bound what a room keeps for viewers who are slow or
	// were away; the newest batch is always kept. Default to 1,024 and 4 MiB.
	Batches, Bytes int

	// Linger is how long a room without viewers stays open. Defaults to 10 s;
	// negative closes it at once.
	Linger time.Duration
}

func (o *Options[E]) setDefaults() error {
	o.Linger = cmp.Or(o.Linger, 10*time.Second)
	if o.Decode == nil {
		o.Decode = decode[E]
	}
	if o.Encode == nil {
		o.Encode = encode[E]
	}
	err := cmp.Or(
		args.DefaultAtLeast("Options.Every", &o.Every, 100*time.Millisecond, 0),
		args.AtLeast("Options.PresentEvery", o.PresentEvery, 0),
		args.DefaultAtLeast("Options.Batches", &o.Batches, 1024, 0),
		args.DefaultAtLeast("Options.Bytes", &o.Bytes, 4<<20, 0),
	)
	if err != nil {
		return err
	}
	if o.Backplane == nil {
		m, err := NewMemory(nil)
		if err != nil {
			return err
		}
		o.Backplane = m
	}
	return nil
}

func decode[E any](_ string, payload []byte) (e E, err error) {
	err = jsontext.Unmarshal(payload, &e)
	return e, err
}

// encode panics if an event cannot be written.
func encode[E any](_ string, events []E) []byte {
	data, err := json.Marshal(events)
	if err != nil {
		panic(err)
	}
	return data
}
