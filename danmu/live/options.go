package live

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
)

// Options of a Hub. The zero value works.
type Options struct {
	// Backplane joins the hubs of several processes. Defaults to a Memory of
	// this hub's own.
	Backplane Backplane

	// Every is how far apart the batches of a room are. Defaults to 100 ms.
	Every time.Duration

	// Batches and Bytes are how much of a room's log is kept for who is slow or
	// was away; the newest batch is kept in any case. Default to 256 and 4 MiB.
	Batches, Bytes int

	// Linger is how long a room stays open without viewers, so that they may
	// come back. Defaults to 10 s; negative is not at all.
	Linger time.Duration

	// Encode writes what viewers get. Defaults to a JSON array of the events.
	Encode func(room string, events []Event) []byte

	// UserRate bounds what one user sends and likes in one room through this
	// hub, and RoomRate what all do. Zero ones are none: the repository has a
	// bound for each user already. The last 65,536 users and rooms are known.
	UserRate, RoomRate danmu.Rate
}

func (o *Options) setDefaults() error {
	if o.Every == 0 {
		o.Every = 100 * time.Millisecond
	}
	if o.Batches == 0 {
		o.Batches = 256
	}
	if o.Bytes == 0 {
		o.Bytes = 4 << 20
	}
	if o.Linger == 0 {
		o.Linger = 10 * time.Second
	}
	if o.Encode == nil {
		o.Encode = encode
	}
	switch {
	case o.Every < 0:
		return &plaza.InvalidError{Field: "Options.Every", Reason: "is negative"}
	case o.Batches < 0:
		return &plaza.InvalidError{Field: "Options.Batches", Reason: fmt.Sprintf("is %d", o.Batches)}
	case o.Bytes < 0:
		return &plaza.InvalidError{Field: "Options.Bytes", Reason: fmt.Sprintf("is %d", o.Bytes)}
	}
	if err := setRate("Options.UserRate", &o.UserRate); err != nil {
		return err
	}
	if err := setRate("Options.RoomRate", &o.RoomRate); err != nil {
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

func setRate(field string, r *danmu.Rate) error {
	if *r == (danmu.Rate{}) {
		return nil
	}
	r.Every, r.Burst = cmp.Or(r.Every, time.Second), cmp.Or(r.Burst, 5)
	if r.Every < 0 || r.Burst < 0 {
		return &plaza.InvalidError{Field: field, Reason: "is negative"}
	}
	return nil
}

// encode cannot fail: the events were JSON when they came.
func encode(_ string, events []Event) []byte {
	data, err := json.Marshal(events)
	if err != nil {
		return nil
	}
	return data
}
