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
	"github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/notify/message"
)

// watchMessages streams what happens in a user's inbox, and in the conversation that the
// user has open, as Server-Sent Events: one stream, since a browser has few connections.
// After joined, none is missed. A page that was cut off joins again, and reads again.
// The others are
//
//	inbox     something in the inbox has changed
//	batch     what happened in the conversation
//	present   the users who have the conversation open
//	gone      the user is no member any more
//	reset     read again
//	beat      nothing, so that a page that is gone is noticed
func (a *api) watchMessages(w http.ResponseWriter, r *http.Request) {
	in := message.In{Conversation: r.URL.Query().Get("conversation"), User: r.PathValue("user")}
	err := checkQuery(r, []string{"conversation"})
	if err == nil {
		err = checkName("user", in.User) // a room may have any name
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
	inbox, err := a.rooms.inboxes.Join(ctx, in.User, "")
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	defer inbox.Close()
	var room *live.Viewer[happened]
	if in.Conversation != "" {
		if room, err = a.join(ctx, in); err != nil {
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
		a.present(ctx, in, 1)
		defer a.present(context.WithoutCancel(ctx), in, -1)
		group.Go(func() error { return a.passRoom(ctx, room, in, send) })
	}
	group.Go(func() error { return stream(ctx, w, events) })
	_ = group.Wait() // the page went, or the service stops
}

// join enters the room of a conversation as one of its members.
func (a *api) join(ctx context.Context, in message.In) (*live.Viewer[happened], error) {
	viewer, err := a.rooms.talks.Join(ctx, in.Conversation, "")
	if err != nil {
		return nil, err
	}
	if _, err := a.messages.Members(ctx, in); err != nil {
		viewer.Close()
		return nil, err
	}
	return viewer, nil
}

// passInbox passes on that the inbox has changed.
func passInbox(ctx context.Context, viewer *live.Viewer[ring], send func(sse.Event) error) error {
	for {
		batch, err := viewer.Next(ctx)
		name := "inbox"
		if batch.Reset || batch.Dropped > 0 {
			name = "reset"
		}
		if err == nil {
			err = send(sse.Event{Name: name, Data: "{}"})
		}
		if err != nil {
			return err
		}
	}
}

// passRoom passes on what is said in a conversation, as long as the user is a member.
func (a *api) passRoom(ctx context.Context, viewer *live.Viewer[happened], in message.In, send func(sse.Event) error) error {
	present := func() error {
		names, err := json.Marshal(a.rooms.present(in.Conversation))
		if err != nil {
			return err
		}
		return send(sse.Event{Name: "present", Data: string(names)})
	}
	has := func(b live.Batch[happened], kind string) bool {
		return b.Reset || b.Dropped > 0 || slices.ContainsFunc(b.Events, func(h happened) bool { return h.Kind == kind })
	}
	err := present()
	for err == nil {
		var batch live.Batch[happened]
		if batch, err = viewer.Next(ctx); err != nil {
			return err
		}
		if has(batch, membersEvent) {
			switch _, err = a.messages.Members(ctx, in); {
			case errors.Is(err, plaza.ErrForbidden):
				return send(sse.Event{Name: "gone", Data: "{}"})
			case err != nil:
				return err
			}
		}
		if batch.Reset || batch.Dropped > 0 {
			err = send(sse.Event{Name: "reset", Data: "{}"})
		}
		if err == nil && len(batch.Events) > 0 {
			err = send(sse.Event{Name: "batch", Data: string(batch.Encoded)})
		}
		if err == nil && has(batch, presentEvent) {
			err = present()
		}
	}
	return err
}

// stream writes events to a page until it goes.
func stream(ctx context.Context, w http.ResponseWriter, events <-chan sse.Event) error {
	s, err := sse.Start(w)
	next := sse.Event{Name: "joined", Data: "{}"}
	for err == nil {
		if err = s.Send(next); err != nil {
			return err
		}
		select {
		case next = <-events:
		case <-time.After(beat):
			next = sse.Event{Name: "beat", Data: "{}"}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}
