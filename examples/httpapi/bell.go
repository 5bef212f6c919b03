package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/sse"
	"github.com/plaza-sdk/plaza/live"
)

const (
	beat = 20 * time.Second // the longest time between two events of a stream, so that a page that is gone is noticed

	streamsEach, streamsAll = 50, 10_000 // by address
)

// ring says that something about a user's notifications has changed. It has no content:
// a page that gets one reads again, so a ring that is lost or comes twice does no harm.
type ring struct{}

// newHub has a room for each user.
func newHub() (*live.Hub[ring], error) {
	// Several processes would need a live/redisstream backplane.
	return live.New(&live.Options[ring]{Encode: func(string, []ring) []byte { return []byte("{}") }})
}

// ring notifies all pages of a user.
func (s *service) ring(ctx context.Context, user string) {
	if err := s.hub.Publish(ctx, user, ring{}); err != nil {
		s.log.Warn("a bell did not ring", "err", err)
	}
}

// enter counts a stream. Its context ends with it, and when the service stops.
func (a *api) enter(r *http.Request) (ctx context.Context, leave func(), err error) {
	uncount, err := a.streams.Enter(guard.Client(r))
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(r.Context())
	go func() {
		select {
		case <-a.ending:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(); uncount() }, nil
}

// watch streams the rings of a user as Server-Sent Events. After joined, none is missed.
// After reset the page must read again too.
func (a *api) watch(w http.ResponseWriter, r *http.Request) {
	user := r.PathValue("user")
	err := checkQuery(r, nil)
	if err == nil {
		err = checkName("user", user) // a room may have any name
	}
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	ctx, leave, err := a.enter(r)
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	defer leave()

	after := live.Pos(r.Header.Get("Last-Event-ID"))
	viewer, err := a.hub.Join(ctx, user, after)
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	defer viewer.Close()

	s, err := sse.Start(w)
	if err == nil && after == "" {
		err = s.Send(sse.Event{Name: "joined", Data: "{}"})
	}
	for err == nil {
		err = sendRing(ctx, s, viewer)
	}
}

// sendRing sends the next ring, or a beat if none comes in time.
func sendRing(ctx context.Context, s *sse.Stream, viewer *live.Viewer[ring]) error {
	until, cancel := context.WithTimeout(ctx, beat)
	defer cancel()
	batch, err := viewer.Next(until)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return s.Send(sse.Event{Name: "beat", Data: "{}"})
	case err != nil:
		return err
	case batch.Reset || batch.Dropped > 0:
		return s.Send(sse.Event{Name: "reset", ID: string(batch.Pos), Data: "{}"})
	}
	return s.Send(sse.Event{Name: "ring", ID: string(batch.Pos), Data: string(batch.Encoded)})
}
