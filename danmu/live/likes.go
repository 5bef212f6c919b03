package live

import (
	"context"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
)

// Like counts a like of a.User and publishes how many there are. Callers who
// like a comment at the same time share the read of that number. Repeating it
// publishes again. changed is false for a repeat.
//
// This hub publishes the counts of a comment in their order. If two hubs publish
// at the same moment, the older count may come last; the next like, and every
// read, has the right one.
//
// Cost: as danmu.Repository.Like, and a strongly consistent
// danmu.Repository.Window of one millisecond.
func (h *Hub) Like(ctx context.Context, a danmu.Action) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "danmu/live.Hub.Like")
	return h.react(ctx, a, h.store.Like)
}

// Unlike takes back the like of a.User and publishes the count, as Like does.
//
// Cost: as Like.
func (h *Hub) Unlike(ctx context.Context, a danmu.Action) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "danmu/live.Hub.Unlike")
	return h.react(ctx, a, h.store.Unlike)
}

func (h *Hub) react(ctx context.Context, a danmu.Action, do func(context.Context, danmu.Action) (bool, error)) (bool, error) {
	if err := h.rates.take(a.Object, a.User); err != nil {
		return false, err
	}
	changed, err := do(ctx, a)
	if err != nil {
		h.rates.refund(a.Object, a.User, err)
		return changed, err
	}
	return changed, h.publishLikes(ctx, a)
}

// publishLikes publishes the count of a read that begins now or later.
func (h *Hub) publishLikes(ctx context.Context, a danmu.Action) error {
	return h.likes.inTurn(ctx, liked{a.Object, a.ID}, func() error {
		// Publish the count and not a difference, so that a repeat is harmless, and so is a
		// like that the viewer has already read.
		at := a.ID.Progress()
		opts := danmu.WindowOptions{Consistent: true, WithHidden: true}
		window, err := h.store.Window(ctx, a.Object, at, at+time.Millisecond, &opts)
		if err != nil {
			return err
		}
		for _, c := range window.Comments {
			if c.ID == a.ID {
				return h.Publish(ctx, a.Object, Event{Kind: Liked, ID: a.ID, Likes: c.Likes})
			}
		}
		return nil // it was removed meanwhile
	})
}

// liked identifies a comment.
type liked struct {
	object string
	id     danmu.ID
}

// likes makes the callers for one comment read and publish its count one after another,
// so that a later read is published later. Callers who wait share the next read.
type likes struct {
	mu     sync.Mutex
	queues map[liked]*queue
}

// queue is the queue of one comment, while it has callers. Reads are numbered.
type queue struct {
	callers int           // guarded by the lock of likes
	turn    chan struct{} // has a capacity of one
	begun   int           // the last read that has begun; guarded by the same lock
	done    int           // the last read that was published; guarded by turn
}

// inTurn calls do, which reads and publishes. It need not if another caller's do begins after
// this call and succeeds.
func (l *likes) inTurn(ctx context.Context, c liked, do func() error) error {
	q, seen := l.enter(c)
	defer l.leave(c, q)
	select {
	case q.turn <- struct{}{}:
		defer func() { <-q.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if q.done > seen {
		return nil
	}
	l.mu.Lock()
	q.begun++
	begun := q.begun
	l.mu.Unlock()
	if err := do(); err != nil {
		return err
	}
	q.done = begun
	return nil
}

func (l *likes) enter(c liked) (q *queue, begun int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q = l.queues[c]
	if q == nil {
		if l.queues == nil {
			l.queues = map[liked]*queue{}
		}
		q = &queue{turn: make(chan struct{}, 1)}
		l.queues[c] = q
	}
	q.callers++
	return q, q.begun
}

func (l *likes) leave(c liked, q *queue) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q.callers--
	if q.callers == 0 {
		delete(l.queues, c)
	}
}
