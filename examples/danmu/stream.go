package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/live"
	"github.com/plaza-sdk/plaza/examples/guard"
)

const (
	beat    = 10 * time.Second // between two events present, at most
	sending = 10 * time.Second // for a page to take an event
	retry   = time.Second      // before a page reconnects
)

// happened is an event for the page: a danmu was sent or removed.
type happened struct {
	Sent    *message  `json:"sent,omitempty"`
	Removed *danmu.ID `json:"removed,omitempty"`
}

// encode encodes a batch once for all viewers, with one read of the owner.
func (s *service) encode(room string, events []live.Event) []byte {
	all, owner := []happened{}, ""
	if slices.ContainsFunc(events, func(e live.Event) bool { return e.Kind == live.Sent }) {
		owner = s.ownerOf(room)
	}
	for _, e := range events {
		switch e.Kind {
		case live.Sent:
			m := messageOf(*e.Comment, owner)
			m.ObjectID = room
			all = append(all, happened{Sent: &m})
		case live.Recalled, live.Removed:
			all = append(all, happened{Removed: &e.ID})
		}
	}
	text, err := json.Marshal(all)
	if err != nil { // impossible: these are only texts and numbers
		panic(err)
	}
	return text
}

// watch streams the events of a video's room as Server-Sent Events. After joined, no
// event is missed. Then there are batch; reset, after which the page must read again;
// and present, the number of viewers.
func (a *api) watch(w http.ResponseWriter, r *http.Request) {
	if err := a.admit(r, nil); err != nil {
		a.refuse(w, r, err)
		return
	}
	leave, err := a.streams.Enter(guard.Client(r))
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	defer leave()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go func() {
		select {
		case <-a.ending:
			cancel()
		case <-ctx.Done():
		}
	}()

	room, after := r.PathValue("id"), live.Pos(r.Header.Get("Last-Event-ID"))
	viewer, err := a.hub.Join(ctx, room, after)
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	defer viewer.Close()

	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	s := stream{w, http.NewResponseController(w)}
	err = s.ctrl.SetReadDeadline(time.Time{}) // the server's deadline is for requests that end
	if err == nil && after == "" {
		err = s.send("joined", "", []byte("{}"))
	}
	for err == nil {
		if err = s.send("present", "", fmt.Append(nil, a.hub.Present(room))); err == nil {
			err = s.sendBatches(ctx, viewer)
		}
	}
}

// stream writes events to one page.
type stream struct {
	w    http.ResponseWriter
	ctrl *http.ResponseController
}

// sendBatches sends batches until the next beat.
func (s stream) sendBatches(ctx context.Context, viewer *live.Viewer) error {
	until, cancel := context.WithTimeout(ctx, beat)
	defer cancel()
	for {
		b, err := viewer.Next(until)
		switch {
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			return nil
		case err != nil:
			return err
		case b.Reset || b.Dropped > 0:
			err = s.send("reset", b.Pos, []byte("{}"))
		}
		if err == nil && len(b.Events) > 0 {
			err = s.send("batch", b.Pos, b.Encoded)
		}
		if err != nil {
			return err
		}
	}
}

// send writes an event. Its data is JSON, so it is one line.
func (s stream) send(event string, pos live.Pos, data []byte) error {
	if err := s.ctrl.SetWriteDeadline(time.Now().Add(sending)); err != nil {
		return err
	}
	lines := fmt.Appendf(nil, "event: %s\nretry: %d\n", event, retry.Milliseconds())
	if pos != "" {
		lines = fmt.Appendf(lines, "id: %s\n", pos)
	}
	if _, err := s.w.Write(fmt.Appendf(lines, "data: %s\n\n", data)); err != nil {
		return err
	}
	return s.ctrl.Flush()
}
