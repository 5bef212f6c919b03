package live

import (
	"context"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/share"
	"github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// Pos is a position in a room. It is opaque.
type Pos = live.Pos

// Batch has the events of a room since the batch before. Events is empty if Reset
// is set, if viewers came or went, or if CatchUp has returned all of them.
type Batch = live.Batch[Event]

// ErrClosed is the ErrClosed of package plaza/live.
var ErrClosed = live.ErrClosed

// Store has the calls of a danmu.Repository that a hub makes.
type Store interface {
	Send(ctx context.Context, c danmu.Comment) (sent danmu.Comment, created bool, err error)
	Window(ctx context.Context, object string, from, to time.Duration, opts *danmu.WindowOptions) (danmu.Window, error)
	Recall(ctx context.Context, a danmu.Action) (bool, error)
	Remove(ctx context.Context, m danmu.Moderation) (bool, error)
	Like(ctx context.Context, a danmu.Action) (bool, error)
	Unlike(ctx context.Context, a danmu.Action) (bool, error)
}

// Options of a Hub. The zero value works.
type Options struct {
	// Backplane joins the hubs of several processes. Defaults to a Memory of
	// this hub's own.
	Backplane live.Backplane

	// Every is the least time between two batches of a room with 5,000 viewers or more.
	// A smaller room waits proportionally less, but at least a tenth. An event after a
	// longer pause goes out at once. Defaults to 100 ms.
	Every time.Duration

	// PresentEvery makes Next return with Batch.Present when viewers come or go, at
	// most once in this time. A smaller room waits less, as with Every. Defaults to 0:
	// Next does not return for that.
	PresentEvery time.Duration

	// Known is called before a room opens, once for all who wait to join. If it
	// returns an error, such as plaza.ErrNotFound, the room does not open and
	// Join returns that error. Publish does not call it, nor does Send: the Store
	// takes comments on every object. By default all rooms open.
	Known func(ctx context.Context, room string) error

	// Batches and Bytes bound what a room keeps for viewers who are slow or
	// were away; the newest batch is always kept. Default to 1,024 and 4 MiB.
	Batches, Bytes int

	// Linger is how long a room without viewers stays open. Defaults to 10 s;
	// negative closes it at once.
	Linger time.Duration

	// Encode writes what viewers get. Defaults to a JSON array of the events.
	Encode func(room string, events []Event) []byte

	// UserRate bounds how often one user may send and like in one room through
	// this hub, and RoomRate how often all users may. The zero value is no bound:
	// the repository has one for each user. The hub remembers the last 65,536
	// users and rooms.
	UserRate, RoomRate ratelimit.Rate
}

// Hub is the rooms of one process. It is safe for concurrent use.
type Hub struct {
	store   Store
	rooms   *live.Hub[Event]
	encode  func(room string, events []Event) []byte
	rates   *rates
	answers share.Group[question, *answer]
	likes   likes
}

// New returns a hub without rooms: one opens for its first viewer, and closes
// Options.Linger after its last.
func New(store Store, opts *Options) (*Hub, error) {
	if store == nil {
		return nil, &plaza.InvalidError{Field: "store", Reason: "is nil"}
	}
	o := args.Given(opts)
	if o.Encode == nil {
		o.Encode = encode
	}
	h := &Hub{store: store, encode: o.Encode}
	var err error
	h.rooms, err = live.New(&live.Options[Event]{
		Backplane: o.Backplane,
		Decode:    decode,
		Encode:    o.Encode,
		Fresh:     func() func(Event) bool { return new(repeats).isNew },
		Known:     o.Known,
		Every:     o.Every, PresentEvery: o.PresentEvery, Linger: o.Linger,
		Batches: o.Batches, Bytes: o.Bytes,
	})
	if err != nil {
		return nil, err
	}
	if h.rates, err = newRates(o.UserRate, o.RoomRate); err != nil {
		return nil, err
	}
	return h, nil
}

// Join enters the room of a video. Its viewer gets what happens after the
// position after, or from now on if that is empty. The first batch is a Reset if
// after is unknown, if some of what followed it is gone, or if this hub opened
// the room at a later position.
//
// Cost: as live.Backplane.Subscribe; none if the room is open here.
func (h *Hub) Join(ctx context.Context, room string, after Pos) (*Viewer, error) {
	v, err := h.rooms.Join(ctx, room, after)
	if err != nil {
		return nil, err
	}
	return &Viewer{hub: h, place: v, room: room}, nil
}

// Publish shows a room's viewers an event that is already stored. Repeating it is
// harmless. After an error, some viewers may have got the event.
//
// Publish a comment within two minutes of its Sent: viewers who have caught up
// leave out older ones, since they have read them. So publish none that were
// imported with an earlier Sent.
//
// Cost: as live.Backplane.Publish.
func (h *Hub) Publish(ctx context.Context, room string, e Event) error {
	if err := keys.CheckName("room", room); err != nil {
		return err
	}
	if err := e.validate(room); err != nil {
		return err
	}
	return h.rooms.Publish(ctx, room, e)
}

// Present returns how many viewers of this hub are in the room. It does not count
// those of other processes.
func (h *Hub) Present(room string) int { return h.rooms.Present(room) }

// Close ends every room: their viewers get ErrClosed. What is sent from then on
// is still stored and published to other hubs.
func (h *Hub) Close() { h.rooms.Close() }

// Send stores a comment and publishes it. Over a rate it stores nothing and
// returns a *ratelimit.Error; a comment that the store refuses with
// plaza.ErrInvalid counts toward no rate. If it returns both a stored comment and
// an error, the comment may not have been published: a repeat of Send publishes
// it.
//
// Cost: as danmu.Repository.Send.
func (h *Hub) Send(ctx context.Context, c danmu.Comment) (sent danmu.Comment, created bool, err error) {
	ctx = plaza.WithOperation(ctx, "danmu/live.Hub.Send")
	if err := h.rates.take(c.Object, c.User); err != nil {
		return danmu.Comment{}, false, err
	}
	sent, created, err = h.store.Send(ctx, c)
	if err != nil {
		h.rates.refund(c.Object, c.User, err)
		return sent, created, err
	}
	return sent, created, h.Publish(ctx, c.Object, Event{Kind: Sent, ID: sent.ID, Comment: &sent})
}

// Recall takes back a comment of a.User and publishes that. Repeating it
// publishes it again.
//
// Cost: as danmu.Repository.Recall.
func (h *Hub) Recall(ctx context.Context, a danmu.Action) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "danmu/live.Hub.Recall")
	if changed, err = h.store.Recall(ctx, a); err != nil {
		return changed, err
	}
	return changed, h.Publish(ctx, a.Object, Event{Kind: Recalled, ID: a.ID})
}

// Remove removes a comment and publishes that. Repeating it publishes it again.
//
// Cost: as danmu.Repository.Remove.
func (h *Hub) Remove(ctx context.Context, m danmu.Moderation) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "danmu/live.Hub.Remove")
	if changed, err = h.store.Remove(ctx, m); err != nil {
		return changed, err
	}
	return changed, h.Publish(ctx, m.Object, Event{Kind: Removed, ID: m.ID})
}
