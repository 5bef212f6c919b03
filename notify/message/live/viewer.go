package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/notify/message"
)

// Viewer is a place in a conversation or an inbox. It is for one goroutine, except for
// Close.
type Viewer struct {
	hub   *Hub
	in    message.In // without a Conversation for an inbox
	group bool       // which members may leave
	room  *live.Viewer[Event]

	access  message.Access
	checked time.Time // when the store was asked for it
	held    *Batch    // what Next could not check or write yet
	closed  atomic.Bool
}

// Since is when the viewer joined or took its last Reset. A read of what is stored that
// begins later, and Next, together miss nothing.
func (v *Viewer) Since() time.Time { return v.room.Since() }

// Close leaves the room. The second time it does nothing.
func (v *Viewer) Close() {
	v.room.Close()
	if !v.closed.Swap(true) && v.in.Conversation != "" {
		v.hub.presence.leave(v.in)
	}
}

// Next waits for the next batch. Once the user has left the conversation it returns
// message.ErrNotMember, and once the viewer or its hub is closed ErrClosed; Close does not
// wake a Next that waits. After another error the next call goes on with the same batch.
//
// Cost: none; where the user left, joined again or cleared the history, where events were
// lost, and in a group after Options.Recheck, as Store.Access.
func (v *Viewer) Next(ctx context.Context) (Batch, error) {
	for {
		if v.access.Left {
			return Batch{}, v.left()
		}
		if v.held == nil {
			b, err := v.room.Next(ctx)
			if err != nil {
				return Batch{}, err
			}
			v.held = &b
		}
		if v.doubts(v.held) {
			if err := v.check(ctx); err != nil {
				return Batch{}, err
			}
		}
		b, err := v.own(*v.held)
		if err != nil {
			return Batch{}, err
		}
		v.held = nil
		if v.access.Left {
			v.Close()
		}
		if len(b.Events) > 0 || b.Reset || b.Dropped > 0 {
			return b, nil
		}
	}
}

// doubts reports whether the store must be asked before the user is shown these events.
func (v *Viewer) doubts(b *Batch) bool {
	if v.in.Conversation == "" {
		return false
	}
	if v.group && time.Since(v.checked) >= v.hub.recheck {
		return true
	}
	lost := b.Reset || b.Dropped > 0 // that the user has left, perhaps
	return lost || slices.ContainsFunc(b.Events, func(e Event) bool {
		return (e.Kind == Left || e.Kind == Joined || e.Kind == Cleared) && e.User == v.in.User
	})
}

// check asks the store what the user may see.
func (v *Viewer) check(ctx context.Context) error {
	now := time.Now()
	access, err := v.hub.store.Access(ctx, v.in)
	if errors.Is(err, message.ErrNotMember) {
		access, err = message.Access{Left: true}, nil
	}
	if err != nil {
		return fmt.Errorf("live: conversation %q: %w", v.in.Conversation, err)
	}
	v.access, v.checked = access, now
	return nil
}

func (v *Viewer) left() error {
	return fmt.Errorf("live: conversation %q: %w", v.in.Conversation, message.ErrNotMember)
}

// own is b without what is not the user's to see, or is over.
func (v *Viewer) own(b Batch) (Batch, error) {
	if v.in.Conversation == "" || !slices.ContainsFunc(b.Events, v.hides) {
		return b, nil
	}
	b.Events = slices.DeleteFunc(slices.Clone(b.Events), v.hides)
	b.Encoded = nil
	if len(b.Events) == 0 {
		return b, nil
	}
	err := parallel.Catch(func() error {
		b.Encoded = v.hub.encode(b.Events)
		return nil
	})
	if err != nil {
		return Batch{}, fmt.Errorf("live: encode in %q: %w", v.in.Conversation, err)
	}
	return b, nil
}

// hides reports whether the user is not shown e. Of those who have left, messages sent
// until then are still theirs.
func (v *Viewer) hides(e Event) bool {
	switch e.Kind {
	case Sent, Edited, Recalled:
		return e.Seq <= v.access.From || v.access.Left && e.Seq > v.access.Till
	case Typing:
		return v.access.Left || !time.Now().Before(e.Until)
	case Cleared:
		return v.access.Left || e.User != v.in.User
	case Left:
		return v.access.Left && e.User != v.in.User
	}
	return v.access.Left
}
