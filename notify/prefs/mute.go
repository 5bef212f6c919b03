package prefs

import (
	"context"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Topic is a user, and an object that notifications may be about: an activity's
// Target, or its Object if it has none.
type Topic struct {
	User   string   `json:"user"`
	Object feed.Ref `json:"object"`
}

// Mute is an object about which a user wants no notifications.
type Mute struct {
	Object feed.Ref  `json:"object"`
	Since  time.Time `json:"since"`
}

// Mute drops notifications about the object from now on, except critical ones and
// those of verbs that pierce. Those in the list stay. changed is true only if this call
// began the mute.
//
// Cost: as Block.
func (r *Repository) Mute(ctx context.Context, t Topic) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/prefs.Repository.Mute")
	if err := t.check(); err != nil {
		return false, err
	}
	_, changed, err = r.change(ctx, muteKey(t), r.begin)
	return changed, wrap("mute for", t.User, err)
}

// Unmute ends a mute. Notifications that were dropped do not come back. changed is
// true only if this call ended the mute.
//
// Cost: as Block.
func (r *Repository) Unmute(ctx context.Context, t Topic) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/prefs.Repository.Unmute")
	if err := t.check(); err != nil {
		return false, err
	}
	_, changed, err = r.change(ctx, muteKey(t), end)
	return changed, wrap("unmute for", t.User, err)
}

// Mutes lists the objects that a user has muted, in the order of their text. Pages may
// be short if the user called Unmute in the last 30 days. It is strongly consistent.
//
// Cost: as Blocks.
func (r *Repository) Mutes(ctx context.Context, user string, req cursor.PageRequest) (cursor.Page[Mute], error) {
	ctx = plaza.WithOperation(ctx, "notify/prefs.Repository.Mutes")
	return list(ctx, r, mutes, user, req, func(found row) Mute {
		object, _ := feed.ParseRef(found.name()) // the row was checked
		return Mute{object, found.since()}
	})
}

func (t Topic) check() error {
	if err := keys.CheckName("User", t.User); err != nil {
		return err
	}
	text := t.Object.String()
	if err := checkSK("Object", text, muteKey(t).SK); err != nil {
		return err
	}
	if same, err := feed.ParseRef(text); err != nil || same != t.Object {
		return &plaza.InvalidError{Field: "Object", Reason: "is not what feed.ParseRef reads"}
	}
	return nil
}
