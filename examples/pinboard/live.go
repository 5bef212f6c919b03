package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/guard"
	"github.com/plaza-sdk/plaza/examples/pinboard/people"
	"github.com/plaza-sdk/plaza/examples/sse"
	"github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/notify"
	"github.com/plaza-sdk/plaza/notify/message"
	msglive "github.com/plaza-sdk/plaza/notify/message/live"
	"github.com/plaza-sdk/plaza/stream"
)

// beat is the longest time between two events of a stream, so that a page that is gone is
// noticed.
const beat = 20 * time.Second

// ring says that something in a person's bell has changed. It has no content: a page that
// gets one reads again, so a ring that is lost or comes twice does no harm.
type ring struct{}

// newRings has a room for each person.
func newRings() (*live.Hub[ring], error) {
	// Several processes would need a live/redisstream backplane.
	return live.New(&live.Options[ring]{Encode: func(string, []ring) []byte { return []byte("{}") }})
}

// onNotice rings the bells on open pages. A mark in one of a person's windows
// changes the others in the same way.
func (a *app) onNotice(ctx context.Context, r stream.Record) error {
	changes, err := notify.Changes(r)
	for _, c := range changes {
		err = errors.Join(err, a.rings.Publish(ctx, c.User, ring{}))
	}
	return err
}

func (s *api) liveRoutes() {
	if s.onLambda {
		s.mux.HandleFunc("GET /api/events", s.glance)
		s.mux.HandleFunc("GET "+watching+"/videos/{id}/live", s.glance)
		return
	}
	s.mux.HandleFunc("GET /api/events", s.events)
}

// events streams what happens to a person, and in the conversation that the window shows,
// as Server-Sent Events. A window has one stream, since a browser has few connections.
// After joined no event is missed.
//
//	joined    read now
//	bell      read the bell again
//	inbox     what happened in any conversation of the person
//	batch     what happened in the one that is open
//	present   the people who have it open
//	gone      the person is not a member any more
//	reset     read all again
//	beat      nothing
func (s *api) events(w http.ResponseWriter, r *http.Request) {
	me, err := s.admit(r, []string{"as", "with"})
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	leave, err := s.streams.Enter(guard.Client(r))
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	defer leave()
	watched, err := s.watch(r.Context(), me, r.URL.Query().Get("with"))
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	defer watched.close()

	group, ctx := errgroup.WithContext(r.Context())
	events := make(chan sse.Event)
	send := func(e sse.Event) error {
		select {
		case events <- e:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	group.Go(func() error { return passRings(ctx, watched.bell, send) })
	group.Go(func() error { return passInbox(ctx, watched.inbox, send) })
	if watched.room != nil {
		group.Go(func() error { return s.passRoom(ctx, watched.room, watched.in.Conversation, send) })
	}
	group.Go(func() error { return s.stream(ctx, w, events) })
	_ = group.Wait() // the page is gone, or the service stops
}

// glance answers with a stream that ends at once, since API Gateway passes on nothing
// before the end: the page reads all now, and asks again later.
func (s *api) glance(w http.ResponseWriter, r *http.Request) {
	if err := s.requests.Take(guard.Client(r)); err != nil {
		s.refuse(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = fmt.Fprintf(w, "retry: %d\nevent: joined\ndata: {}\n\nevent: pause\ndata: {}\n\n", s.askAgain.Milliseconds())
}

// watched has the viewers of a window.
type watched struct {
	in    message.In
	bell  *live.Viewer[ring]
	inbox *msglive.Viewer
	room  *msglive.Viewer // of the conversation that is open, nil if none is
}

func (s *api) watch(ctx context.Context, me people.Person, with string) (w watched, err error) {
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if w.bell, err = s.rings.Join(ctx, me.ID, ""); err != nil {
		return w, err
	}
	if w.inbox, err = s.talks.JoinInbox(ctx, me.ID, ""); err != nil || with == "" {
		return w, err
	}
	if w.in, err = talkWith(me, with); err == nil {
		w.room, err = s.talks.Join(ctx, w.in, "")
	}
	return w, err
}

func (w watched) close() {
	if w.bell != nil {
		w.bell.Close()
	}
	if w.inbox != nil {
		w.inbox.Close()
	}
	if w.room != nil {
		w.room.Close()
	}
}

type sender func(sse.Event) error

func passRings(ctx context.Context, viewer *live.Viewer[ring], send sender) error {
	for {
		_, err := viewer.Next(ctx) // what is lost rings too
		if err == nil {
			err = send(sse.Event{Name: "bell", Data: "{}"})
		}
		if err != nil {
			return err
		}
	}
}

func passInbox(ctx context.Context, viewer *msglive.Viewer, send sender) error {
	for {
		batch, err := viewer.Next(ctx)
		if err == nil {
			err = send.pass("inbox", batch)
		}
		if err != nil {
			return err
		}
	}
}

// passRoom passes on the events of a conversation, and who has it open, while the person
// is a member.
func (s *api) passRoom(ctx context.Context, viewer *msglive.Viewer, conversation string, send sender) error {
	var before []string
	for {
		batch, err := viewer.Next(ctx) // also when somebody comes or goes
		if errors.Is(err, plaza.ErrForbidden) {
			return send(sse.Event{Name: "gone", Data: "{}"})
		}
		if err == nil {
			err = send.pass("batch", batch)
		}
		if here := s.talks.Present(conversation); err == nil && !slices.Equal(here, before) {
			before = here
			var names []byte
			if names, err = json.Marshal(here); err == nil {
				err = send(sse.Event{Name: "present", Data: string(names)})
			}
		}
		if err != nil {
			return err
		}
	}
}

// pass passes on a batch of a conversation or an inbox.
func (send sender) pass(name string, b msglive.Batch) error {
	if b.Reset || b.Dropped > 0 {
		if err := send(sse.Event{Name: "reset", Data: "{}"}); err != nil {
			return err
		}
	}
	if len(b.Events) == 0 {
		return nil
	}
	return send(sse.Event{Name: name, Data: string(b.Encoded)})
}

// stream writes events to a page until the page is gone or the service stops.
func (s *api) stream(ctx context.Context, w http.ResponseWriter, events <-chan sse.Event) error {
	page, err := sse.Start(w)
	for next := (sse.Event{Name: "joined", Data: "{}"}); err == nil; {
		if err = page.Send(next); err != nil {
			break
		}
		select {
		case next = <-events:
		case <-time.After(beat):
			next = sse.Event{Name: "beat", Data: "{}"}
		case <-s.ending:
			err = context.Canceled
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return err
}
