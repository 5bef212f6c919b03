package live

import (
	"context"

	"github.com/plaza-sdk/plaza/danmu"
)

// Send stores a comment and publishes it. Over a rate it stores nothing and
// returns a danmu.RateError; a comment that the store refuses with
// plaza.ErrInvalid counts for no rate. Beside an error the answer may say that
// the comment is stored: then perhaps it was not published, and a repeat of Send
// publishes it.
//
// Cost: as danmu.Repository.Send.
func (h *Hub) Send(ctx context.Context, c danmu.Comment) (sent danmu.Comment, created bool, err error) {
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
	if changed, err = h.store.Recall(ctx, a); err != nil {
		return changed, err
	}
	return changed, h.Publish(ctx, a.Object, Event{Kind: Recalled, ID: a.ID})
}

// Remove removes a comment and publishes that. Repeating it publishes it again.
//
// Cost: as danmu.Repository.Remove.
func (h *Hub) Remove(ctx context.Context, m danmu.Moderation) (changed bool, err error) {
	if changed, err = h.store.Remove(ctx, m); err != nil {
		return changed, err
	}
	return changed, h.Publish(ctx, m.Object, Event{Kind: Removed, ID: m.ID})
}
