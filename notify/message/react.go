package message

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// reactions are those of a message, by user. Each is stored as one text: the id of the last call,
// then the kind. It has no kind once it was taken back.
type reactions map[string]string

var idLength = len(ids.ID(0).String())

// React sets a user's reaction to a message, of a kind in Options.Reactions. It replaces the one
// that the user had. A recalled message is plaza.ErrRemoved, a number without a message
// plaza.ErrNotFound. A user who is not a member is ErrNotMember, and in a blocked pair
// the error is ErrBlocked. changed is true only if this call changed the reaction. Where there is
// nothing to change it writes nothing, so an earlier call that was given up may still come after it.
//
// Cost: 2 requests, 2 RCU, 1 WCU, and 1 WCU for each further KB of the message with its reactions.
//
//plaza:cost a reaction: 2 requests, 2 RCU, 1 WCU
//plaza:cost each further KB of the message with its reactions: 1 WCU
//plaza:cost each further 4 KB of them: 1 RCU
//plaza:cost each reaction that overlaps: 1 request, 1 WCU
func (r *Repository) React(ctx context.Context, in In, seq int64, kind string) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.React")
	if !slices.Contains(r.opts.Reactions, kind) {
		return false, &plaza.InvalidError{Field: "Kind", Reason: "is not one of Options.Reactions"}
	}
	return r.setReaction(ctx, "react to", in, seq, kind)
}

// Unreact takes back a user's reaction to a message. changed is true only if this call did. Errors
// are those of React.
//
// Cost: as React.
func (r *Repository) Unreact(ctx context.Context, in In, seq int64) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Unreact")
	return r.setReaction(ctx, "unreact to", in, seq, "")
}

func (r *Repository) setReaction(ctx context.Context, what string, in In, seq int64, kind string) (changed bool, err error) {
	if err := in.check("User"); err != nil {
		return false, err
	}
	if err := checkSeq("seq", seq); err != nil {
		return false, err
	}
	changed, err = r.react(ctx, in, seq, kind)
	return changed, wrapMessage(what, in.Conversation, seq, err)
}

// react requires the reaction that it has read, whose id only rises.
func (r *Repository) react(ctx context.Context, in In, seq int64, kind string) (changed bool, err error) {
	stored, err := r.editable(ctx, in, seq)
	if err != nil {
		return false, err
	}
	call, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	key, mine, applied := messageKey(in.Conversation, seq), "", false
	next := func(seen *item) (store.Write, error) {
		if seen.PK == "" || seen.Recalled != 0 {
			return nil, plaza.ErrRemoved
		}
		was := seen.Reactions[in.User]
		applied = was != "" && was == mine // its answer was lost
		last, before := parseReaction(was)
		if before == kind {
			return nil, store.ErrSame
		}
		op := call
		if op <= last {
			op = keys.After(call, last)
		}
		mine = op.String() + kind
		u := r.table.Update(key).If("attribute_exists(pk) AND attribute_not_exists(recalled)")
		switch {
		case len(seen.Reactions) == 0:
			first := &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{in.User: text(mine)}}
			return u.Set("reactions", first).If("attribute_not_exists(reactions) OR size(reactions) = ?", 0), nil
		case was == "":
			u.If("attribute_not_exists($.$)", "reactions", in.User)
		default:
			u.If("$.$ = ?", "reactions", in.User, was)
		}
		return u.SetExpr("$.$ = ?", "reactions", in.User, mine), nil
	}
	first, err := next(&stored)
	if errors.Is(err, store.ErrSame) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	changed, err = store.Merge(ctx, r.table, key, first, next)
	return changed || applied, err
}

// parseReaction returns the last call of a reaction, and its kind.
func parseReaction(stored string) (op ids.ID, kind string) {
	if len(stored) < idLength {
		return 0, ""
	}
	op, _ = ids.Parse(stored[:idLength])
	return op, stored[idLength:]
}

// UnmarshalDynamo reads reactions, and refuses those that no call leaves.
func (r *reactions) UnmarshalDynamo(value types.AttributeValue) error {
	stored, ok := value.(*types.AttributeValueMemberM)
	if !ok {
		return errors.New("reactions is not a map")
	}
	*r = make(reactions, len(stored.Value))
	for user, value := range stored.Value {
		one, ok := value.(*types.AttributeValueMemberS)
		if !ok || keys.CheckName("User", user) != nil {
			return errors.New("a reaction is not a text of a user")
		}
		if op, _ := parseReaction(one.Value); op == 0 {
			return errors.New("a reaction has no id")
		}
		(*r)[user] = one.Value
	}
	return nil
}

// byKind lists who has reacted, by kind.
func (r reactions) byKind() (users map[string][]string) {
	for _, user := range slices.Sorted(maps.Keys(r)) {
		if _, kind := parseReaction(r[user]); kind != "" {
			if users == nil {
				users = map[string][]string{}
			}
			users[kind] = append(users[kind], user)
		}
	}
	return users
}

// unreact removes the reaction of a user of whom nothing is kept.
func (r *Repository) unreact(ctx context.Context, key store.Key, user string) error {
	err := r.table.Run(ctx, r.table.Update(key).RemoveExpr("$.$", "reactions", user).If("attribute_exists($.$)", "reactions", user))
	if _, refused := store.AsRefused(err); refused { // removed meanwhile
		return nil
	}
	return err
}
