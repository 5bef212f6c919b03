package message

import (
	"context"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// Block stops both users of a pair from sending until User unblocks Other. Both may
// still read. It also blocks in Options.Blocks. Groups that both are in are not
// affected. changed is true only if this call began the block. If the answer is lost
// and either user blocks or unblocks meanwhile, it is plaza.ErrUnknownOutcome: repeat
// the call if it is still wanted.
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

// block stores in the head of a pair whether the user blocks the other. It writes even
// if nothing changes: the head then names this call, and an earlier request that
// arrives late is refused.
func (r *Repository) block(ctx context.Context, p Pair, on bool) (changed bool, err error) {
	call, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	conversation := p.Conversation()
	h, err := r.head(ctx, conversation)
	for range maxTries {
		if err != nil {
			return false, err
		}
		if h.Call != call { // otherwise the SDK sent it twice
			changed = slices.Contains(h.Blocked, p.User) != on
			err = r.table.Run(ctx, r.blocking(p, on, h.Call, call))
		}
		refused, ok := store.AsRefused(err)
		if !ok {
			return err == nil && changed, err
		}
		h, err = head{}, nil
		if item, _ := refused.At(0); item != nil {
			err = r.table.Decode(item, &h)
		}
		if err == nil && h.Call != call && refused.Doubtful() {
			err = plaza.ErrUnknownOutcome
		}
	}
	return false, plaza.ErrBusy
}

// blocking changes the head if it still names the call that was read from it.
func (r *Repository) blocking(p Pair, on bool, seen, call ids.ID) *store.Update {
	u := r.table.Update(headKey(p.Conversation())).Set("call", call)
	if seen == 0 {
		u.If("attribute_not_exists('call')")
	} else {
		u.If("'call' = ?", seen)
	}
	if on {
		return u.Add("blocked", []string{p.User})
	}
	return u.Drop("blocked", []string{p.User})
}
