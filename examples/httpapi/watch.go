package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/examples/sse"
	"github.com/plaza-sdk/plaza/notify/message"
	msglive "github.com/plaza-sdk/plaza/notify/message/live"
)

// watchMessages streams what happens in a user's inbox, and in the conversation that
// the user has open, as Server-Sent Events: one stream, since a browser has few
// connections. After joined, no event is missed. A page that was cut off joins and
// reads again.
//
//	joined    read now
//	inbox     what happened in any conversation of the user
//	batch     what happened in the one that is open
//	present   the users who have it open, on this server
//	gone      the user is not a member any more
//	reset     read again
//	beat      nothing, so that a page that is gone is noticed
func (a *api) watchMessages(w http.ResponseWriter, r *http.Request) {
	in := message.In{Conversation: r.URL.Query().Get("conversation"), User: r.PathValue("user")}
	if err := checkQuery(r, []string{"conversation"}); err != nil {
		a.refuse(w, r, err)
		return
	}
	ctx, leave, err := a.enter(r)
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	defer leave()
	inbox, err := a.talks.JoinInbox(ctx, in.User, "")
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	defer inbox.Close()
	var room *msglive.Viewer
	if in.Conversation != "" {
		if room, err = a.talks.Join(ctx, in, ""); err != nil {
			a.refuse(w, r, err)
			return
		}
		defer room.Close()
	}

	group, ctx := errgroup.WithContext(ctx)
	events := make(chan sse.Event)
	send := func(e sse.Event) error {
		select {
		case events <- e:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	group.Go(func() error { return passInbox(ctx, inbox, send) })
	if room != nil {
		group.Go(func() error { return a.passRoom(ctx, room, in.Conversation, send) })
	}
	group.Go(func() error { return stream(ctx, w, events) })
	_ = group.Wait() // the page disconnected, or the service stops
}

type sender func(sse.Event) error

// pass passes on a batch.
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

// passRoom passes on the events of a conversation, and who has it open, while the user is
// a member.
func (a *api) passRoom(ctx context.Context, viewer *msglive.Viewer, conversation string, send sender) error {
	var before []string
	for {
		batch, err := viewer.Next(ctx) // also when somebody comes or goes
		if errors.Is(err, plaza.ErrForbidden) {
			return send(sse.Event{Name: "gone", Data: "{}"})
		}
		if err == nil {
			err = send.pass("batch", batch)
		}
		if here := a.talks.Present(conversation); err == nil && !slices.Equal(here, before) {
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

// stream writes events to a page until the page disconnects.
func stream(ctx context.Context, w http.ResponseWriter, events <-chan sse.Event) error {
	s, err := sse.Start(w)
	for next := (sse.Event{Name: "joined", Data: "{}"}); err == nil; {
		if err = s.Send(next); err != nil {
			break
		}
		select {
		case next = <-events:
		case <-time.After(beat):
			next = sse.Event{Name: "beat", Data: "{}"}
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return err
}
