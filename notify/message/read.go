package message

import (
	"cmp"
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Read marks a conversation as read up to the number upTo, the Seq of the last message
// that was shown. A lower number than before changes nothing. A number beyond the last
// message is plaza.ErrInvalid.
//
// Cost: 1 request, 2 WCU; 1 WCU where nothing changes; where a message was sent just
// before, or a member has no row, 3 requests, 2 RCU, 3 WCU.
func (r *Repository) Read(ctx context.Context, in In, upTo int64) error {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Read")
	if err := cmp.Or(in.check("User"), args.AtLeast("UpTo", upTo, 1)); err != nil {
		return err
	}
	return wrap("read", in.Conversation, r.read(ctx, in, upTo))
}

func (r *Repository) read(ctx context.Context, in In, upTo int64) error {
	err := r.table.Run(ctx, r.advance(in, "read", upTo).If("lastSeq >= ?", upTo))
	refused, ok := store.AsRefused(err)
	if !ok {
		return err
	}
	if item, _ := refused.At(0); item != nil {
		var own row
		if err := r.table.Decode(item, &own); err != nil {
			return err
		}
		if own.Read >= upTo {
			return nil
		}
	}
	own, n, err := r.place(ctx, in) // the row may lag behind the conversation
	if err != nil {
		return err
	}
	if _, last := own.readable(n); upTo > last {
		return &plaza.InvalidError{Field: "UpTo", Reason: fmt.Sprintf("is %d, the last message is %d", upTo, last)}
	}
	return r.advanced(r.table.Run(ctx, r.advance(in, "read", upTo)))
}

// Clear hides all messages so far from this user only, and marks them as read.
//
// Cost: 2 requests, 2 RCU, 2 WCU; where there is nothing to hide 1 request, 2 RCU.
func (r *Repository) Clear(ctx context.Context, in In) error {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Clear")
	if err := in.check("User"); err != nil {
		return err
	}
	return wrap("clear", in.Conversation, r.clear(ctx, in))
}

func (r *Repository) clear(ctx context.Context, in In) error {
	own, n, err := r.place(ctx, in)
	if err != nil {
		return err
	}
	first, last := own.readable(n)
	if first > last {
		return nil
	}
	return r.advanced(r.table.Run(ctx, r.advance(in, "from", last)))
}

// advance is an update that raises a number of a row. It creates a pair's row if there
// is none. A number that is not higher is refused.
func (r *Repository) advance(in In, attribute string, to int64) *store.Update {
	u := r.table.Update(rowKey(in)).Set(attribute, to).
		If("attribute_not_exists($) OR $ < ?", attribute, attribute, to)
	if _, isPair := in.pair(); !isPair {
		u.If("attribute_exists(pk)")
	}
	return u
}

// advanced is the outcome of an advance. A refusal means that another write was first.
func (r *Repository) advanced(err error) error {
	refused, ok := store.AsRefused(err)
	if !ok {
		return err
	}
	item, _ := refused.At(0)
	if item == nil {
		return ErrNotMember
	}
	var own row
	return r.table.Decode(item, &own)
}

// Receipts returns the number up to which each member has read. A user who is not a
// member is ErrNotMember. It is strongly consistent.
//
// Cost: of a pair 1 request, 2 RCU; of a group 2 requests, 1 RCU for each member, and 1
// RCU for each 4 KB of their names.
func (r *Repository) Receipts(ctx context.Context, in In) (map[string]int64, error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Receipts")
	if err := in.check("User"); err != nil {
		return nil, err
	}
	read, err := r.receipts(ctx, in)
	return read, wrap("receipts of", in.Conversation, err)
}

func (r *Repository) receipts(ctx context.Context, in In) (map[string]int64, error) {
	members, err := r.membersOf(ctx, in)
	if err != nil {
		return nil, err
	}
	wanted := make([]store.Key, len(members))
	for i, member := range members {
		wanted[i] = rowKey(In{in.Conversation, member})
	}
	items, err := r.table.GetAll(ctx, wanted, true, 1)
	if err != nil {
		return nil, err
	}
	read := make(map[string]int64, len(members))
	for i, member := range members {
		var own row // a pair without messages has no rows
		if item := items[wanted[i]]; item == nil || !r.table.Skips(r.table.Decode(item, &own)) {
			read[member] = own.readUpTo()
		}
	}
	return read, nil
}
