package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/notify/message"
)

// Viewer reads the events of a conversation or an inbox. Only Close may be called from
// another goroutine.
type Viewer struct {
	hub   *Hub
	in    message.In // without a Conversation for an inbox
	group bool       // so the user may be removed
	room  *live.Viewer[Event]

	access  message.Access
	checked time.Time // when the store was asked last
	held    *Batch    // what Next could not check or write yet
	closed  atomic.Bool
}

// Since returns when the viewer joined or got its last Reset. If you read History or
// Inbox after that time and then call Next, you miss nothing.
func (v *Viewer) Since() time.Time { return v.room.Since() }

// Close leaves the room. A second call does nothing.
func (v *Viewer) Close() {
	if !v.closed.Swap(true) && v.in.Conversation != "" {
		v.hub.presence.leave(v.in) // before the room wakes others, who ask for it
	}
	v.room.Close()
}

// Next waits for the next batch. It returns message.ErrNotMember once the user has left
// the conversation, and ErrClosed once the viewer or its hub is closed. Viewer.Close
// does not wake a waiting Next: cancel its context. After any other error, the next
// call returns the same batch.
//
// Cost: none; where the user left, joined again or cleared the history, where events were
// lost, and in a group after Options.Recheck, as Store.Access.
func (v *Viewer) Next(ctx context.Context) (Batch, error) {
	ctx = plaza.WithOperation(ctx, "notify/message/live.Viewer.Next")
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
		moved := len(v.held.Events) == 0 && v.in.Conversation != "" && !v.access.Left
		v.held = nil
		if v.access.Left {
			v.Close()
		}
		if len(b.Events) > 0 || b.Reset || b.Dropped > 0 || moved {
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
	lost := b.Reset || b.Dropped > 0 // a lost event may be that the user left
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

// own returns b without the events that the user may not see or that are over.
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

// hides reports whether the user may not see e. A user who has left may still see the
// messages sent before.
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
