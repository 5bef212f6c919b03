package live

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/notify/message"
)

// Pos is a position in a room. It is opaque.
type Pos = live.Pos

// Batch has the events of a room since the batch before. If Reset is set, or if viewers
// came or went, Events is empty.
type Batch = live.Batch[Event]

// ErrClosed is the ErrClosed of package plaza/live.
var ErrClosed = live.ErrClosed

// Store has members and what they may see. *message.Repository is one.
type Store interface {
	Access(ctx context.Context, in message.In) (message.Access, error)
	Members(ctx context.Context, in message.In) ([]string, error)
}

// Options of a Hub. The zero value works.
type Options struct {
	// Backplane joins the hubs of several processes. No other feature may use the same
	// one, as its rooms may have the same names: give redisstream a Prefix of its own.
	// Defaults to a live.Memory of this hub's own.
	Backplane live.Backplane

	// Every is the least time between two batches of a room with 5,000 viewers or more.
	// A smaller room waits proportionally less, but at least a tenth. An event after a
	// longer pause goes out at once. Defaults to 100 ms.
	Every time.Duration

	// PresentEvery makes Next of a conversation return when viewers come or go, at most
	// once in this time. A smaller room waits less, as with Every. Then Hub.Present
	// returns the viewers. Defaults to 0: Next does not return for that.
	PresentEvery time.Duration

	// Batches and Bytes bound what a room keeps for viewers who are slow or were away;
	// the newest batch is always kept. They default to 256 and 256 KiB. Each Typing may
	// take a batch: two users who never pause fill 256 in six minutes.
	Batches, Bytes int

	// Linger is how long a room without viewers stays open. Defaults to 10 s;
	// negative closes it at once.
	Linger time.Duration

	// Encode writes what viewers get. Defaults to a JSON array of the events.
	Encode func(events []Event) []byte

	// TypingEvery is the time between two Typing events of a user. Each event lasts twice
	// as long. Defaults to 3 s.
	TypingEvery time.Duration

	// Recheck is how long a viewer of a group goes on without asking the store whether
	// the user is still a member. It bounds how long a removed user sees the group if the
	// Left event is lost. Defaults to 1 min.
	Recheck time.Duration
}

func (o *Options) setDefaults() error {
	if o.Backplane == nil {
		m, err := live.NewMemory(nil)
		if err != nil {
			return err
		}
		o.Backplane = m
	}
	o.Batches, o.Bytes = cmp.Or(o.Batches, 256), cmp.Or(o.Bytes, 256<<10)
	if o.Encode == nil {
		o.Encode = encode
	}
	return cmp.Or(
		args.DefaultAtLeast("Options.TypingEvery", &o.TypingEvery, 3*time.Second, 0),
		args.DefaultAtLeast("Options.Recheck", &o.Recheck, time.Minute, 0),
	)
}

// Hub has the rooms of one process, for conversations and inboxes. It is safe for
// concurrent use.
type Hub struct {
	store    Store
	plane    live.Backplane
	rooms    *live.Hub[Event]
	encode   func([]Event) []byte
	recheck  time.Duration
	typists  *typists
	presence presence
}

// New returns a hub. A room opens for its first viewer, and closes Options.Linger after
// its last one. Close the hub when the process stops.
func New(store Store, opts *Options) (*Hub, error) {
	if store == nil {
		return nil, &plaza.InvalidError{Field: "store", Reason: "is nil"}
	}
	o := args.Given(opts)
	if err := o.setDefaults(); err != nil {
		return nil, err
	}
	h := &Hub{
		store: store, plane: o.Backplane, encode: o.Encode, recheck: o.Recheck,
		presence: presence{by: map[string][]watcher{}},
	}
	var err error
	h.rooms, err = live.New(&live.Options[Event]{
		Backplane: o.Backplane,
		Encode:    func(_ string, events []Event) []byte { return o.Encode(events) },
		Fresh:     func() func(Event) bool { return newRepeats().isNew },
		Every:     o.Every, PresentEvery: o.PresentEvery, Linger: o.Linger,
		Batches: o.Batches, Bytes: o.Bytes,
	})
	if err != nil {
		return nil, err
	}
	h.typists, err = newTypists(o.TypingEvery)
	return h, err
}

// publishParallel is how many inboxes one Publish writes to at a time.
const publishParallel = 8

// Publish shows an event that is already stored to the viewers of the conversation and
// of the inboxes that its Kind names. Repeating it is harmless. After an error, some
// viewers may have got the event. If the sender of a message has left the group since,
// no inbox shows it.
//
// Cost: as live.Backplane.Publish for the conversation and for each inbox; for a message
// as Store.Members too.
func (h *Hub) Publish(ctx context.Context, e Event) error {
	ctx = plaza.WithOperation(ctx, "notify/message/live.Hub.Publish")
	if err := e.validate(); err != nil {
		return err
	}
	if err := h.publish(ctx, e); err != nil {
		return fmt.Errorf("live: publish in %q: %w", e.Conversation, err)
	}
	return nil
}

func (h *Hub) publish(ctx context.Context, e Event) error {
	payload, err := json.Marshal(e)
	if err != nil {
		return err
	}
	switch e.Kind {
	case Blocked, Unblocked:
		return h.show(ctx, payload, inboxRooms, e.User)
	case Read, Joined, Left, Cleared:
		return errors.Join(
			h.show(ctx, payload, conversationRooms, e.Conversation),
			h.show(ctx, payload, inboxRooms, e.User))
	}
	err = h.show(ctx, payload, conversationRooms, e.Conversation)
	members, err2 := h.store.Members(ctx, message.In{Conversation: e.Conversation, User: e.User})
	if err2 == nil {
		payload, err2 = json.Marshal(e.preview())
	}
	switch {
	case errors.Is(err2, message.ErrNotMember):
		return err
	case err2 != nil:
		return errors.Join(err, err2)
	}
	return errors.Join(err, h.show(ctx, payload, inboxRooms, members...))
}

// show publishes in the named rooms. An error in one does not stop the others.
func (h *Hub) show(ctx context.Context, payload []byte, kind string, names ...string) error {
	if len(names) == 1 {
		return h.plane.Publish(ctx, roomOf(kind, names[0]), payload)
	}
	group := parallel.New()
	group.SetLimit(publishParallel)
	for _, name := range names {
		group.Go(func() error { return h.plane.Publish(ctx, roomOf(kind, name), payload) })
	}
	return group.Wait()
}

// Join enters a conversation. The viewer gets the events after the position after, or
// from now on if that is empty. The first batch is a Reset if after is unknown, if some
// later events are gone, or if this hub opened the room at a later position. Messages
// that the user may not read are left out, whatever the position. A user who is not a
// member is message.ErrNotMember.
//
// A user who leaves or is removed gets nothing more once Left is published. If that
// event is lost, the viewer ends after Options.Recheck.
//
// Cost: as Store.Access, and as live.Backplane.Subscribe if the room is not open here.
func (h *Hub) Join(ctx context.Context, in message.In, after Pos) (*Viewer, error) {
	ctx = plaza.WithOperation(ctx, "notify/message/live.Hub.Join")
	if err := checkConversation(in.Conversation); err != nil {
		return nil, err
	}
	if err := keys.CheckName("User", in.User); err != nil {
		return nil, err
	}
	v := &Viewer{hub: h, in: in, group: len(keys.Split(in.Conversation)) == 1}
	if err := v.check(ctx); err != nil {
		return nil, err
	}
	if v.access.Left {
		return nil, v.left()
	}
	h.presence.enter(in) // before the room wakes others, who ask for it
	var err error
	if v.room, err = h.rooms.Join(ctx, roomOf(conversationRooms, in.Conversation), after); err != nil {
		h.presence.leave(in)
		return nil, err
	}
	return v, nil
}

// JoinInbox enters a user's inbox, which shows events of all the user's conversations.
// The position after has the same meaning as in Join. The service must check that the
// viewer is this user.
//
// Cost: as live.Backplane.Subscribe; none if the room is open here.
func (h *Hub) JoinInbox(ctx context.Context, user string, after Pos) (*Viewer, error) {
	if err := keys.CheckName("User", user); err != nil {
		return nil, err
	}
	room, err := h.rooms.Join(ctx, roomOf(inboxRooms, user), after)
	if err != nil {
		return nil, err
	}
	return &Viewer{hub: h, room: room, in: message.In{User: user}}, nil
}

// Close closes every room; their viewers get ErrClosed. Publish still reaches other
// hubs.
func (h *Hub) Close() { h.rooms.Close() }
