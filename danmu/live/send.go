package live

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Send stores a comment and tells its room. Beside an error the answer may say
// that it is stored: then perhaps nobody was told, and a repeat tells them.
// Over a rate it is a danmu.RateError: this call stored nothing. What the store
// refuses with plaza.ErrInvalid counts for no rate.
func (h *Hub) Send(ctx context.Context, c danmu.Comment) (sent danmu.Comment, created bool, err error) {
	if err := h.rates.take(c.Object, c.User); err != nil {
		return danmu.Comment{}, false, err
	}
	sent, created, err = h.store.Send(ctx, c)
	if err != nil {
		h.rates.refused(c.Object, c.User, err)
		return sent, created, err
	}
	return sent, created, h.Publish(ctx, c.Object, Event{Kind: Sent, ID: sent.ID, Comment: &sent})
}

// Recall takes back what a.User sent, and tells the room. Repeating it tells
// them again, where they have forgotten.
func (h *Hub) Recall(ctx context.Context, a danmu.Action) (bool, error) {
	recalled, err := h.store.Recall(ctx, a)
	if err != nil {
		return recalled, err
	}
	return recalled, h.Publish(ctx, a.Object, Event{Kind: Recalled, ID: a.ID})
}

// Remove takes a comment away, and tells the room. Repeating it tells them
// again, where they have forgotten.
func (h *Hub) Remove(ctx context.Context, m danmu.Moderation) (bool, error) {
	removed, err := h.store.Remove(ctx, m)
	if err != nil {
		return removed, err
	}
	return removed, h.Publish(ctx, m.Object, Event{Kind: Removed, ID: m.ID})
}

// Like counts a like of a.User and tells the room how many there are, which
// costs a strongly consistent Window of one millisecond; those who like one
// comment at one time share it. Repeating it tells them again.
//
// This hub tells the counts of a comment in their order. Where another tells of
// the same comment at the same moment, the older count may come last: the next
// like, and whoever reads the table, has the right one.
func (h *Hub) Like(ctx context.Context, a danmu.Action) (bool, error) {
	return h.react(ctx, a, h.store.Like)
}

// Unlike takes the like of a.User back, as Like gives it.
func (h *Hub) Unlike(ctx context.Context, a danmu.Action) (bool, error) {
	return h.react(ctx, a, h.store.Unlike)
}

func (h *Hub) react(ctx context.Context, a danmu.Action, do func(context.Context, danmu.Action) (bool, error)) (bool, error) {
	if err := h.rates.take(a.Object, a.User); err != nil {
		return false, err
	}
	changed, err := do(ctx, a)
	if err != nil {
		h.rates.refused(a.Object, a.User, err)
		return changed, err
	}
	return changed, h.tellLikes(ctx, a)
}

// Publish tells a room what was stored elsewhere. Telling it twice does no
// harm. It is told by the time Publish returns without an error; after one, it
// may have been.
//
// Tell of a comment within two minutes of its Sent. Viewers who have caught up
// leave out an older one, as read: of those that were imported with the time at
// which they were sent once, tell nobody.
func (h *Hub) Publish(ctx context.Context, room string, e Event) error {
	if err := keys.CheckName("room", room); err != nil {
		return err
	}
	if err := e.validate(room); err != nil {
		return err
	}
	payload, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("live: publish in %q: %w", room, err)
	}
	if err := h.opts.Backplane.Publish(ctx, room, payload); err != nil {
		return fmt.Errorf("live: publish in %q: %w", room, err)
	}
	return nil
}
