package message

import (
	"context"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

// Block ends the conversation of a pair until User unblocks Other: neither can send. It
// also blocks in Options.Blocks. Groups that both are in go on. Changed is true only if
// this call began the block.
//
// Cost: 2 requests, 1 RCU, 1 WCU, and the cost of Options.Blocks.
func (r *Repository) Block(ctx context.Context, p Pair) (changed bool, err error) {
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

// Unblock takes a Block back, and ends one in Options.Blocks.
//
// Cost: as Block.
func (r *Repository) Unblock(ctx context.Context, p Pair) (changed bool, err error) {
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

// block makes the head of a pair say whether the user blocks the other. It also writes
// where that changes nothing: the head names the call, so that an earlier one which
// arrives late changes nothing.
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
	}
	return false, plaza.ErrBusy
}

// blocking writes a head that names the call which was seen there.
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
