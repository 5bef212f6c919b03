// Package sse writes Server-Sent Events to a page, and reads them. Copy it, and
// examples/pinboard/live.go for streams that end with the server.
package sse

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

const (
	sending = 10 * time.Second // for a page to take an event
	retry   = time.Second      // before a page reconnects, and up to as much again
)

// Event is one event.
type Event struct {
	Name string
	ID   string // sent back as Last-Event-ID by a page that reconnects, or ""
	Data string // one line, such as JSON
}

// Stream writes events to one page. It is for one goroutine.
type Stream struct {
	w     http.ResponseWriter
	ctrl  *http.ResponseController
	retry time.Duration
}

// Start begins the answer. The deadlines of the server, which are for requests that
// end, no longer hold. Proxies are asked to pass on each event when it is sent. Pages
// reconnect at different times, so that a server that restarts does not get all at once.
func Start(w http.ResponseWriter) (*Stream, error) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store, no-transform") // a proxy that compresses waits for more
	w.Header().Set("X-Accel-Buffering", "no")                 // nginx
	s := &Stream{w, http.NewResponseController(w), retry + rand.N(retry)}
	return s, s.ctrl.SetReadDeadline(time.Time{})
}

// Send writes an event. A page that does not take it within 10 s is an error.
func (s *Stream) Send(e Event) error {
	if err := s.ctrl.SetWriteDeadline(time.Now().Add(sending)); err != nil {
		return err
	}
	lines := fmt.Appendf(nil, "event: %s\nretry: %d\n", e.Name, s.retry.Milliseconds())
	if e.ID != "" {
		lines = fmt.Appendf(lines, "id: %s\n", e.ID)
	}
	if _, err := s.w.Write(fmt.Appendf(lines, "data: %s\n\n", e.Data)); err != nil {
		return err
	}
	return s.ctrl.Flush()
}

// Next reads the next event that a Stream wrote. The end is io.EOF.
func Next(lines *bufio.Scanner) (e Event, err error) {
	for lines.Scan() && lines.Text() != "" {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "event":
			e.Name = value
		case "id":
			e.ID = value
		case "data":
			e.Data = value
		}
	}
	if err = lines.Err(); err == nil && e == (Event{}) {
		err = io.EOF
	}
	return e, err
}
