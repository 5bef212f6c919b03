package message

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// Access is what a user may see and do in a conversation.
type Access struct {
	// The user may read the messages after From and, if the user has Left, up to Till.
	// Both are numbers of messages; Till is 0 for members.
	From, Till int64

	Left  bool
	Muted bool // by the user

	// One of a pair has blocked the other. A block in Options.Blocks alone counts here only until
	// the pair's first message.
	Blocked bool
}

// Access returns what a user may see and do in a conversation. If the user never was a
// member, the error is ErrNotMember. It is strongly consistent.
//
// Cost: 1 request, 1 RCU for a group, 2 RCU for a pair; and twice Options.Blocks for a
// pair without messages.
func (r *Repository) Access(ctx context.Context, in In) (Access, error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Access")
	if err := in.check("User"); err != nil {
		return Access{}, err
	}
	a, err := r.access(ctx, in)
	return a, wrap("access to", in.Conversation, err)
}

func (r *Repository) access(ctx context.Context, in In) (Access, error) {
	keys := []store.Key{entryKey(in)}
	p, isPair := in.pair()
	if isPair {
		keys = append(keys, headKey(in.Conversation))
	}
	items, err := r.table.GetAll(ctx, keys, true, 1)
	if err != nil {
		return Access{}, err
	}
	own, err := r.entryOf(in, items)
	if err != nil {
		return Access{}, err
	}
	a := Access{From: own.From, Muted: own.Muted}
	if own.Till != nil {
		a.Left, a.Till = true, *own.Till
	}
	if !isPair {
		return a, nil
	}
	h, err := r.headOf(in.Conversation, items)
	if err != nil {
		return Access{}, err
	}
	a.Blocked = len(h.Blocked) > 0
	if !a.Blocked && h.N == 0 {
		a.Blocked, err = r.blockedElsewhere(ctx, p)
	}
	return a, err
}

const blocksParallel = 16 // members of a group for whom Options.Blocks is asked at once

// mayMeet is ErrBlocked if Options.Blocks knows that a user and one of others block each
// other.
func (r *Repository) mayMeet(ctx context.Context, user string, others ...string) error {
	return parallel.ForEach(ctx, len(others), blocksParallel, func(ctx context.Context, i int) error {
		if others[i] == user {
			return nil
		}
		blocked, err := r.blockedElsewhere(ctx, Pair{user, others[i]})
		if err == nil && blocked {
			err = fmt.Errorf("%q and %q: %w", user, others[i], ErrBlocked)
		}
		return err
	})
}

// blockedElsewhere asks Options.Blocks whether one of a pair blocks the other.
func (r *Repository) blockedElsewhere(ctx context.Context, p Pair) (bool, error) {
	if r.opts.Blocks == nil {
		return false, nil
	}
	ways := []prefs.Pair{{User: p.User, Actor: p.Other}, {User: p.Other, Actor: p.User}}
	var blocked [2]bool
	err := parallel.ForEach(ctx, len(ways), len(ways), func(ctx context.Context, i int) (err error) {
		blocked[i], err = r.opts.Blocks.Blocked(ctx, ways[i])
		return err
	})
	return blocked[0] || blocked[1], err
}
