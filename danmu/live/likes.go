package live

import (
	"context"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza/danmu"
)

// comment is what likes are counted of.
type comment struct {
	object string
	id     danmu.ID
}

// likes has those who like a comment tell of it one after another: whoever
// reads later tells later. Those who wait share the next read.
type likes struct {
	mu  sync.Mutex
	now map[comment]*telling
}

// telling is of one comment, while anybody is there. Reads are numbered.
type telling struct {
	present int           // under the lock of likes
	turn    chan struct{} // holds one
	begun   int           // under that lock too: the read that has begun last
	done    int           // of whose turn it is: the last one that was told
}

// tell has do read and tell, unless another's that began after this call has.
func (l *likes) tell(ctx context.Context, c comment, do func() error) error {
	t, seen := l.enter(c)
	defer l.leave(c, t)
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if t.done > seen {
		return nil
	}
	l.mu.Lock()
	t.begun++
	begun := t.begun
	l.mu.Unlock()
	if err := do(); err != nil {
		return err
	}
	t.done = begun
	return nil
}

func (l *likes) enter(c comment) (t *telling, begun int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t = l.now[c]
	if t == nil {
		t = &telling{turn: make(chan struct{}, 1)}
		l.now[c] = t
	}
	t.present++
	return t, t.begun
}

func (l *likes) leave(c comment, t *telling) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.present--
	if t.present == 0 {
		delete(l.now, c)
	}
}

// tellLikes tells how many there are, as a read that begins now or later has it.
func (h *Hub) tellLikes(ctx context.Context, a danmu.Action) error {
	return h.likes.tell(ctx, comment{a.Object, a.ID}, func() error {
		// A count, where a difference would be right but once: what is told twice,
		// or is in what a viewer has just read, does no harm.
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
		return nil // it is gone since
	})
}
