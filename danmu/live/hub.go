package live

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

// ErrClosed is returned once the hub, or the viewer, is closed. It unwraps to
// plaza.ErrUnavailable.
var ErrClosed = fmt.Errorf("live: closed: %w", plaza.ErrUnavailable)

// opening bounds how long a backplane may take to open a room.
const opening = 10 * time.Second

// Store is what a hub needs of a danmu.Repository.
type Store interface {
	Send(ctx context.Context, c danmu.Comment) (sent danmu.Comment, created bool, err error)
	Window(ctx context.Context, object string, from, to time.Duration, opts *danmu.WindowOptions) (danmu.Window, error)
	Recall(ctx context.Context, a danmu.Action) (bool, error)
	Remove(ctx context.Context, m danmu.Moderation) (bool, error)
	Like(ctx context.Context, a danmu.Action) (bool, error)
	Unlike(ctx context.Context, a danmu.Action) (bool, error)
}

// Hub is the rooms of one process. It is safe for concurrent use.
type Hub struct {
	store Store
	opts  Options
	rates *rates

	readings readings
	likes    likes

	mu      sync.Mutex
	rooms   map[string]*room
	closed  bool
	opening sync.WaitGroup
}

// New returns a hub without rooms: they open as viewers join, and close when
// they have left.
func New(store Store, opts *Options) (*Hub, error) {
	if store == nil {
		return nil, &plaza.InvalidError{Field: "store", Reason: "is nil"}
	}
	h := &Hub{store: store, rooms: map[string]*room{}, readings: readings{now: map[question]*reading{}}, likes: likes{now: map[comment]*telling{}}}
	if opts != nil {
		h.opts = *opts
	}
	if err := h.opts.setDefaults(); err != nil {
		return nil, err
	}
	rates, err := newRates(h.opts.UserRate, h.opts.RoomRate)
	if err != nil {
		return nil, err
	}
	h.rates = rates
	return h, nil
}

// Join enters a room, which is a video. Next then tells what happens in it
// after the position after, or from now on where that is empty. Where it is not
// known, or not all that followed, the first batch is a Reset: so it is also
// where somebody else has opened the room here, and after a later position.
func (h *Hub) Join(ctx context.Context, room string, after Pos) (*Viewer, error) {
	if err := keys.CheckName("room", room); err != nil {
		return nil, err
	}
	r, err := h.enter(ctx, room, after)
	if err != nil {
		return nil, err
	}
	select {
	case <-r.opened:
		err = r.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		h.leave(r)
		return nil, fmt.Errorf("live: join %q: %w", room, err)
	}
	v := &Viewer{hub: h, room: r}
	r.mu.RLock()
	defer r.mu.RUnlock()
	v.since, v.seen, v.early = time.Now(), r.log.end, after == ""
	if after != "" {
		if at, ok := r.log.find(after); ok {
			v.seen = at
		} else {
			v.reset = r.log.last()
		}
	}
	return v, nil
}

// enter counts a viewer in. Who comes first opens the room.
func (h *Hub) enter(ctx context.Context, name string, after Pos) (*room, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ErrClosed
	}
	r := h.rooms[name]
	if r == nil {
		// Others wait for it too: it must not end with the first one's ctx.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), opening)
		r = newRoom(name, &h.opts, cancel)
		r.broken = func() { h.expel(r) }
		h.rooms[name] = r
		h.opening.Go(func() { h.open(ctx, r, after) })
	}
	if r.idle != nil {
		r.idle.Stop()
		r.idle = nil
	}
	r.viewers++
	return r, nil
}

func (h *Hub) open(ctx context.Context, r *room, after Pos) {
	defer r.cancel()
	var s Subscription
	err := parallel.Catch(func() (err error) {
		s, err = h.opts.Backplane.Subscribe(ctx, r.name, after, r.deliver)
		return err
	})
	if err == nil {
		r.start(s)
	}

	h.mu.Lock()
	wanted := h.rooms[r.name] == r
	if wanted && err != nil {
		delete(h.rooms, r.name)
	}
	r.stop, r.err = s.Stop, err
	if !wanted {
		r.err = ErrClosed
	}
	h.mu.Unlock()
	close(r.opened)
	if !wanted && err == nil {
		h.shut(r, s.Stop)
	}
}

// leave counts a viewer out. The room closes when it stays empty.
func (h *Hub) leave(r *room) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r.viewers--
	if r.viewers == 0 && h.rooms[r.name] == r {
		r.idle = time.AfterFunc(max(h.opts.Linger, 0), func() { h.expire(r) })
	}
}

// expire closes a room that nobody has come back to.
func (h *Hub) expire(r *room) {
	h.mu.Lock()
	if r.viewers > 0 || h.rooms[r.name] != r {
		h.mu.Unlock()
		return
	}
	delete(h.rooms, r.name)
	stop := r.stop
	h.mu.Unlock()
	h.shut(r, stop)
}

// expel ends a room that has failed. Who joins then opens it again.
func (h *Hub) expel(r *room) {
	h.mu.Lock()
	if h.rooms[r.name] == r {
		delete(h.rooms, r.name)
	}
	stop := r.stop
	h.mu.Unlock()
	h.shut(r, stop)
}

// shut ends a room that is no longer among the hub's. While the backplane has
// not answered, open stops it. A panic of its Stop ends nothing else.
func (h *Hub) shut(r *room, stop func()) {
	r.cancel()
	if stop != nil {
		_ = parallel.Catch(func() error { stop(); return nil })
	}
	r.end()
}

// Present tells how many viewers of this hub are in the room.
func (h *Hub) Present(room string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.rooms[room]; r != nil {
		return r.viewers
	}
	return 0
}

// Close ends every room: their viewers get ErrClosed. What is sent from then on
// is still stored and told to other hubs.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	rooms, stops := make([]*room, 0, len(h.rooms)), make([]func(), 0, len(h.rooms))
	for _, r := range h.rooms {
		if r.idle != nil {
			r.idle.Stop()
		}
		rooms, stops = append(rooms, r), append(stops, r.stop)
	}
	clear(h.rooms)
	h.mu.Unlock()
	for i, r := range rooms {
		h.shut(r, stops[i])
	}
	h.opening.Wait()
}
