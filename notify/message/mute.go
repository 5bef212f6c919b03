package message

import (
	"cmp"
	"context"
	"errors"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Mute leaves a conversation out of the user's Unread. It stays in the inbox, and moves up with each
// message. Access says it to your service, which sends no push then. A pair without messages is
// plaza.ErrNotFound. changed is true only if this call muted it.
//
// Cost: 2 requests, 1 RCU, 2 WCU.
func (r *Repository) Mute(ctx context.Context, in In) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Mute")
	return r.setMuted(ctx, "mute", in, true)
}

// Unmute undoes Mute. changed is true only if this call did.
//
// Cost: as Mute.
func (r *Repository) Unmute(ctx context.Context, in In) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Unmute")
	return r.setMuted(ctx, "unmute", in, false)
}

func (r *Repository) setMuted(ctx context.Context, what string, in In, on bool) (changed bool, err error) {
	if err := in.check("User"); err != nil {
		return false, err
	}
	call, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	_, changed, err = store.Change[entry]{
		Key: entryKey(in), Call: call, Part: "mute", Last: (*entry).lastMute,
		Next: func(seen *entry, g store.Guard) (store.Write, error) {
			switch {
			case seen.Muted == on:
				return nil, store.ErrSame
			case on:
				return g.Update().Set("muted", true), nil
			}
			return g.Update().Remove("muted"), nil
		},
	}.Run(ctx, r.table)
	return changed, wrap(what, in.Conversation, in.stranger(err))
}

// stranger is ErrNotMember for a group that has no entry of the user.
func (in In) stranger(err error) error {
	if _, isPair := in.pair(); !isPair && errors.Is(err, plaza.ErrNotFound) {
		return ErrNotMember
	}
	return err
}

// MarkUnread marks a conversation as unread from a message on, which the user has read: it counts
// among those with unread messages, and its Entry has UnreadFrom, until a MarkRead that begins later.
// Receipts do not change. changed is false if the message is unread anyway, or marked.
//
// Cost: 2 requests, 1 RCU, 2 WCU.
func (r *Repository) MarkUnread(ctx context.Context, in In, from int64) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.MarkUnread")
	if err := cmp.Or(in.check("User"), args.AtLeast("From", from, 1)); err != nil {
		return false, err
	}
	changed, err = r.markUnread(ctx, in, from)
	return changed, wrap("mark unread", in.Conversation, in.stranger(err))
}

func (r *Repository) markUnread(ctx context.Context, in In, from int64) (changed bool, err error) {
	call, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	return store.Merge(ctx, r.table, entryKey(in), nil, func(seen *entry) (store.Write, error) {
		switch {
		case seen.PK == "":
			return nil, plaza.ErrNotFound
		case from <= seen.From || from > seen.Read, seen.Unread == from, seen.Marked > call:
			return nil, store.ErrSame
		}
		return r.table.Update(entryKey(in)).Set("unread", from).Set("marked", call).
			If("attribute_exists(pk) AND (attribute_not_exists(marked) OR marked < ?)", call), nil
	})
}
