package message

import (
	"context"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// Block stops both users of a pair from sending until User unblocks Other. Both may
// still read. It also blocks in Options.Blocks. Groups that both are in are not
// affected. changed is true only if this call began the block. If the answer is lost
// and the users block or unblock twice meanwhile, it may be plaza.ErrUnknownOutcome:
// repeat the call if it is still wanted.
//
// Cost: 2 requests, 1 RCU, 1 WCU, and the cost of Options.Blocks.
func (r *Repository) Block(ctx context.Context, p Pair) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Block")
	if err := p.check(); err != nil {
		return false, err
	}
	elsewhere := false
	if r.opts.Blocks != nil {
		if elsewhere, err = r.opts.Blocks.Block(ctx, prefs.Pair{User: p.User, Actor: p.Other}); err != nil {
			return false, wrap("block in", p.Conversation(), err)
		}
	}
	changed, err = r.block(ctx, p, true)
	return changed || elsewhere, wrap("block in", p.Conversation(), err)
}

// Unblock ends a block by User, also in Options.Blocks. A block by Other stays. Changed
// is true only if this call ended the block. plaza.ErrUnknownOutcome is as in Block.
//
// Cost: as Block.
func (r *Repository) Unblock(ctx context.Context, p Pair) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Unblock")
	if err := p.check(); err != nil {
		return false, err
	}
	elsewhere := false
	if r.opts.Blocks != nil {
		if elsewhere, err = r.opts.Blocks.Unblock(ctx, prefs.Pair{User: p.User, Actor: p.Other}); err != nil {
			return false, wrap("unblock in", p.Conversation(), err)
		}
	}
	changed, err = r.block(ctx, p, false)
	return changed || elsewhere, wrap("unblock in", p.Conversation(), err)
}

// block stores in the head of a pair whether the user blocks the other.
func (r *Repository) block(ctx context.Context, p Pair, on bool) (changed bool, err error) {
	call, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	expiry := r.opts.Now().AddDate(0, 0, keyDays).Unix()
	_, changed, err = store.Change[head]{
		Key: headKey(p.Conversation()), Call: call, Part: "block", Last: (*head).lastBlock,
		Absent: func(note *store.Update) { note.Set("ttl", expiry) },
		Next: func(seen *head, g store.Guard) (store.Write, error) {
			switch {
			case slices.Contains(seen.Blocked, p.User) == on:
				return nil, store.ErrSame
			case on:
				return g.Update().Add("blocked", []string{p.User}).Remove("ttl"), nil
			}
			u := g.Update().Drop("blocked", []string{p.User})
			if seen.N == 0 && len(seen.Blocked) == 1 { // a head without messages is kept for a block
				return u.Set("ttl", expiry).If("attribute_not_exists(n)"), nil
			}
			return u, nil
		},
	}.Run(ctx, r.table)
	return changed, err
}
