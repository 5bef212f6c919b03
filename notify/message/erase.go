package message

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

const eraseParallel = 4 // messages at once

// Erase removes a user whose account is deleted and who writes no more. The user leaves all
// groups and blocks all pairs, and the inbox is deleted. The user's messages keep their
// numbers and lose their content and their Sender, and the user's reactions go. Only the names of pairs' conversations
// still contain the user's name. After an error, repeat the call.
//
// Cost: for each conversation as Leave and 2 requests, 1 RCU, 2 WCU, and a read of
// its messages; each own message 1 request, 2 WCU.
//
//plaza:cost a conversation: 2 requests, 1 RCU, 2 WCU
//plaza:cost a conversation, beside that: as Leave or Block
//plaza:cost each 1,000 messages of anybody, or 1 MB: 1 request
//plaza:cost each 4 KB of messages: 1 RCU
//plaza:cost a message of the user: 1 request, 2 WCU
//plaza:cost a reaction of the user: 1 request, 1 WCU
//plaza:cost each further KB of a message: 1 WCU
//plaza:cost each 1,000 entries, or 1 MB: 1 request
//plaza:cost each 4 KB of entries: 1 RCU
func (r *Repository) Erase(ctx context.Context, user string) error {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Erase")
	if err := keys.CheckName("User", user); err != nil {
		return err
	}
	return wrap("erase", user, r.erase(ctx, user))
}

// erase returns the error of a damaged conversation after it has erased the others.
func (r *Repository) erase(ctx context.Context, user string) error {
	var damaged error
	span := store.Span{PK: userPK(user), Ascending: true, Consistent: true}
	for entries, err := range store.Pages[dynamo.Item](ctx, r.table, span) {
		if err != nil {
			return err
		}
		for _, found := range entries {
			err := r.eraseEntry(ctx, store.KeyOf(found))
			if err != nil && !r.table.Skips(err) {
				return err
			}
			damaged = errors.Join(damaged, err)
		}
	}
	return damaged
}

// eraseEntry erases a user from a conversation. The entry is deleted last, so that a repeat
// finds the conversation.
func (r *Repository) eraseEntry(ctx context.Context, key store.Key) error {
	if in, err := parseEntryKey(key); err == nil { // otherwise no call wrote the entry
		if err := r.eraseFrom(ctx, in); err != nil {
			return err
		}
	}
	return r.table.Run(ctx, r.table.Delete(key))
}

// eraseFrom stops the user from sending before it looks for the last message.
func (r *Repository) eraseFrom(ctx context.Context, in In) (err error) {
	if p, isPair := in.pair(); isPair {
		_, err = r.block(ctx, p, true)
	} else {
		_, err = r.leave(ctx, in, in.User)
	}
	if err != nil && !errors.Is(err, ErrNotMember) {
		return err
	}
	h, err := r.head(ctx, in.Conversation)
	if err != nil {
		return err
	}
	for at := int64(0); at <= h.N; at += bucketSize {
		if err := r.eraseBucket(ctx, in, at); err != nil {
			return err
		}
	}
	return nil
}

// eraseBucket erases a user's messages in the bucket of seq.
func (r *Repository) eraseBucket(ctx context.Context, in In, seq int64) error {
	span := store.Span{PK: messageKey(in.Conversation, seq).PK, From: seqSK(0), To: seqSK(1 << 62), Ascending: true, Consistent: true}
	for found, err := range store.Pages[dynamo.Item](ctx, r.table, span) {
		if err != nil {
			return err
		}
		var own []dynamo.Item
		for _, i := range found {
			switch {
			case textOf(i, "sender") == in.User:
				own = append(own, i)
			case hasReaction(i, in.User):
				if err := r.unreact(ctx, store.KeyOf(i), in.User); err != nil {
					return err
				}
			}
		}
		if err := r.eraseMessages(ctx, in.User, own); err != nil {
			return err
		}
	}
	return nil
}

// eraseMessages deletes the guards of messages first, because the messages name them.
func (r *Repository) eraseMessages(ctx context.Context, user string, own []dynamo.Item) error {
	var guards []store.Key
	for _, i := range own {
		if key := textOf(i, "key"); key != "" {
			guards = append(guards, sentKey(user, key))
		}
	}
	if err := r.table.DeleteAll(ctx, guards); err != nil {
		return err
	}
	now := r.opts.Now().UnixMilli()
	return parallel.ForEach(ctx, len(own), eraseParallel, func(ctx context.Context, i int) error {
		err := r.table.Run(ctx, r.table.Update(store.KeyOf(own[i])).
			SetExpr("recalled = if_not_exists(recalled, ?)", now).
			Remove(append(store.Deleted[item](), "sender", "key", "edit", "editBefore", "recall")...).
			If("sender = ?", user))
		if _, refused := store.AsRefused(err); refused { // erased meanwhile
			return nil
		}
		return err
	})
}

// hasReaction reports whether a message, which may be damaged, has a reaction of the user.
func hasReaction(i dynamo.Item, user string) bool {
	reactions, ok := i["reactions"].(*types.AttributeValueMemberM)
	return ok && reactions.Value[user] != nil
}

// textOf returns a text attribute of an item that may be damaged.
func textOf(i dynamo.Item, name string) string {
	if text, ok := i[name].(*types.AttributeValueMemberS); ok {
		return text.Value
	}
	return ""
}
