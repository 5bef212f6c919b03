package live

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

// ErrClosed is returned once the hub, or the viewer, is closed. It unwraps to
// plaza.ErrUnavailable.
var ErrClosed = fmt.Errorf("live: closed: %w", plaza.ErrUnavailable)

// openTimeout bounds how long a backplane may take to open a room.
const openTimeout = 10 * time.Second

// Hub is the rooms of one process, for events of type E. It is safe for
// concurrent use.
type Hub[E any] struct {
	opts Options[E]

	mu      sync.Mutex
	rooms   map[string]*room[E]
	closed  bool
	opening sync.WaitGroup
}

// New returns a hub without rooms: one opens for its first viewer, and closes
// Options.Linger after its last.
func New[E any](opts *Options[E]) (*Hub[E], error) {
	h := &Hub[E]{rooms: map[string]*room[E]{}, opts: args.Given(opts)}
	if err := h.opts.setDefaults(); err != nil {
		return nil, err
	}
	return h, nil
}

// Publish sends e, as JSON, to the viewers of room in all processes. After an
// error it may have been sent or not.
//
// Cost: as Backplane.Publish.
func (h *Hub[E]) Publish(ctx context.Context, room string, e E) error {
	if err := keys.CheckName("room", room); err != nil {
		return err
	}
	payload, err := json.Marshal(e)
	if err == nil {
		err = h.opts.Backplane.Publish(ctx, room, payload)
	}
	if err != nil {
		return fmt.Errorf("live: publish in %q: %w", room, err)
	}
	return nil
}

// Join enters a room. The viewer gets what happens after the position after, or
// from now on if that is empty. The first batch is a Reset if after is unknown,
// if some of what followed it is gone, or if a room that is open here began
// later.
//
// Cost: as Backplane.Subscribe; none if the room is open here.
func (h *Hub[E]) Join(ctx context.Context, room string, after Pos) (*Viewer[E], error) {
	if err := keys.CheckName("room", room); err != nil {
		return nil, err
	}
	v := &Viewer[E]{hub: h, early: after == ""}
	opened, err := h.enter(ctx, v, room, after)
	if err != nil {
		return nil, err
	}
	r := v.room
	if opened != nil {
		err = await(ctx, opened)
	}
	if err == nil {
		err = r.err
	}
	if err != nil {
		h.leave(r)
		return nil, fmt.Errorf("live: join %q: %w", room, err)
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	v.since, v.seen = time.Now(), r.log.end
	if after != "" {
		if at, ok := r.log.find(after); ok {
			v.seen = at
		} else {
			v.reset = r.log.last()
		}
	}
	return v, nil
}

// enter adds a viewer to a room. The first one opens the room. If opened is not nil, wait
// for it.
func (h *Hub[E]) enter(ctx context.Context, v *Viewer[E], name string, after Pos) (opened <-chan struct{}, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ErrClosed
	}
	r := h.rooms[name]
	if r == nil {
		// Other viewers wait for it too, so it must not end with the first one's ctx.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), openTimeout)
		r = &room[E]{name: name, hub: h, stop: cancel, opened: make(chan struct{}), wake: make(chan struct{})}
		h.rooms[name] = r
		h.opening.Go(func() {
			defer cancel()
			h.open(ctx, r, after)
		})
	}
	if r.idle != nil {
		r.idle.Stop()
		r.idle = nil
	}
	r.addViewers(1)
	v.room, v.changes = r, r.changes
	if h.opts.PresentEvery > 0 {
		v.present, v.changed = int(r.viewers.Load()), true
	}
	return r.opened, nil
}

func (h *Hub[E]) open(ctx context.Context, r *room[E], after Pos) {
	var s Subscription
	err := parallel.Catch(func() (err error) {
		if h.opts.Known != nil {
			if err := h.opts.Known(ctx, r.name); err != nil {
				return err
			}
		}
		if h.opts.Fresh != nil {
			r.fresh = h.opts.Fresh()
		}
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
	opened := r.opened
	// The room may stay open for long, so it must not hold on to the first ctx.
	r.opened, r.stop, r.err = nil, s.Stop, err
	if !wanted {
		r.err = ErrClosed
	}
	h.mu.Unlock()
	close(opened)
	if !wanted && err == nil {
		h.shut(r, s.Stop)
	}
}

// leave removes a viewer from a room. The room closes if it stays empty.
func (h *Hub[E]) leave(r *room[E]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r.addViewers(-1)
	if r.viewers.Load() == 0 && h.rooms[r.name] == r {
		r.idle = time.AfterFunc(max(h.opts.Linger, 0), func() { h.expire(r) })
	}
}

// expire closes a room that is still empty.
func (h *Hub[E]) expire(r *room[E]) {
	h.mu.Lock()
	if r.viewers.Load() > 0 || h.rooms[r.name] != r {
		h.mu.Unlock()
		return
	}
	delete(h.rooms, r.name)
	stop := r.stop
	h.mu.Unlock()
	h.shut(r, stop)
}

// expel ends a room that has failed. The next viewer opens it again.
func (h *Hub[E]) expel(r *room[E]) {
	h.mu.Lock()
	if h.rooms[r.name] == r {
		delete(h.rooms, r.name)
	}
	stop := r.stop
	h.mu.Unlock()
	h.shut(r, stop)
}

// shut ends a room that the hub has forgotten. If the backplane has not answered yet,
// stop cancels the request, and open stops the subscription. A panic of stop has no
// other effect.
func (h *Hub[E]) shut(r *room[E], stop func()) {
	_ = parallel.Catch(func() error { stop(); return nil })
	r.end()
}

// Close ends every room: their viewers get ErrClosed. Publish still reaches
// other hubs.
func (h *Hub[E]) Close() {
	h.mu.Lock()
	h.closed = true
	rooms, stops := make([]*room[E], 0, len(h.rooms)), make([]func(), 0, len(h.rooms))
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
