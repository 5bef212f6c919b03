package message

import (
	"cmp"
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/store"
)

// MarkRead marks a conversation as read up to the number upTo, the Seq of the last message that was
// shown. It ends a MarkUnread from there or below. changed is false if neither was needed. A
// number beyond the last message is plaza.ErrInvalid.
//
// Cost: 1 request, 2 WCU; where a message was sent just before or a mark ends, 3 requests, 1 RCU,
// 3 WCU.
//
//plaza:cost a mark: 1 request, 2 WCU
//plaza:cost nothing to change: 1 request, 1 WCU
//plaza:cost only to end a MarkUnread: 2 requests, 3 WCU
//plaza:cost an entry that lags or is missing: 3 requests, 1 RCU, 3 WCU
func (r *Repository) MarkRead(ctx context.Context, in In, upTo int64) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.MarkRead")
	if err := cmp.Or(in.check("User"), args.AtLeast("UpTo", upTo, 1)); err != nil {
		return false, err
	}
	changed, err = r.markRead(ctx, in, upTo)
	return changed, wrap("mark read", in.Conversation, err)
}

func (r *Repository) markRead(ctx context.Context, in In, upTo int64) (changed bool, err error) {
	call, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	rises := func() *store.Update {
		return r.advance(in, "read", upTo).If("attribute_not_exists('from') OR 'from' < ?", upTo)
	}
	asked := false // whether there is such a message, as the entry may lag behind the conversation
	return store.Merge(ctx, r.table, entryKey(in), ends(rises(), call).If("lastSeq >= ?", upTo), func(seen *entry) (store.Write, error) {
		if _, isPair := in.pair(); !isPair && seen.PK == "" {
			return nil, ErrNotMember
		}
		if seen.readUpTo() >= upTo {
			if from := seen.unreadFrom(); from == 0 || from > upTo || seen.Marked > call {
				return nil, store.ErrSame
			}
			return ends(r.table.Update(entryKey(in)), call).If("attribute_exists(unread)"), nil
		}
		if !asked {
			if err := r.hasMessage(ctx, in, *seen, upTo); err != nil {
				return nil, err
			}
			asked = true
		}
		if seen.Marked > call {
			return rises(), nil
		}
		return ends(rises(), call), nil
	})
}

// ends adds that a read ends a mark, unless that began later. A late MarkUnread finds the call.
func ends(u *store.Update, call ids.ID) *store.Update {
	return u.Remove("unread").Set("marked", call).If("attribute_not_exists(marked) OR marked < ?", call)
}

// hasMessage refuses the number of a message that the user cannot read.
func (r *Repository) hasMessage(ctx context.Context, in In, own entry, seq int64) error {
	h, err := r.head(ctx, in.Conversation)
	if err != nil {
		return err
	}
	if _, last := own.readable(h.N); seq > last {
		return &plaza.InvalidError{Field: "UpTo", Reason: fmt.Sprintf("is %d, the last message is %d", seq, last)}
	}
	return nil
}

// Clear hides all messages so far from this user only, and marks them as read. changed
// is false if there was nothing to hide.
//
// Cost: 2 requests, 2 RCU, 2 WCU; where there is nothing to hide 1 request, 2 RCU.
func (r *Repository) Clear(ctx context.Context, in In) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Clear")
	if err := in.check("User"); err != nil {
		return false, err
	}
	changed, err = r.clear(ctx, in)
	return changed, wrap("clear", in.Conversation, err)
}

func (r *Repository) clear(ctx context.Context, in In) (changed bool, err error) {
	own, n, err := r.place(ctx, in)
	if err != nil {
		return false, err
	}
	first, last := own.readable(n)
	if first > last {
		return false, nil
	}
	return r.advanced(r.table.Run(ctx, r.advance(in, "from", last)))
}

// advance is an update that raises a number of an entry. It creates a pair's entry if there
// is none. A number that is not higher is refused.
func (r *Repository) advance(in In, attribute string, to int64) *store.Update {
	u := r.table.Update(entryKey(in)).Set(attribute, to).
		If("attribute_not_exists($) OR $ < ?", attribute, attribute, to)
	if _, isPair := in.pair(); !isPair {
		u.If("attribute_exists(pk)")
	}
	return u
}

// advanced reports whether an advance raised the number. If it was refused, another write
// was first.
func (r *Repository) advanced(err error) (changed bool, _ error) {
	refused, ok := store.AsRefused(err)
	if !ok {
		return err == nil, err
	}
	item, _ := refused.At(0)
	if item == nil {
		return false, ErrNotMember
	}
	var own entry
	return false, r.table.Decode(item, &own)
}

// Receipts returns the number up to which each member has read. A user who is not a
// member is ErrNotMember. It is strongly consistent.
//
// Cost: for a pair 1 request, 2 RCU; for a group 2 requests, 1 RCU for each member, 1
// RCU for each 4 KB of names.
//
//plaza:cost a pair: 1 request, 2 RCU
//plaza:cost a group: 2 requests
//plaza:cost each member: 1 RCU
//plaza:cost each 4 KB of their names: 1 RCU
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
		wanted[i] = entryKey(In{in.Conversation, member})
	}
	items, err := r.table.GetAll(ctx, wanted, true, 1)
	if err != nil {
		return nil, err
	}
	read := make(map[string]int64, len(members))
	for i, member := range members {
		var own entry // a pair without messages has no entries
		if item := items[wanted[i]]; item == nil || !r.table.Skips(r.table.Decode(item, &own)) {
			read[member] = own.readUpTo()
		}
	}
	return read, nil
}
