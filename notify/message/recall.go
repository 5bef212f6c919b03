package message

import (
	"context"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

const maxRecalled = 64 // recalled messages that an entry does not count; of more the newest

// Recall deletes the content of a message for everybody and keeps its number. Only its
// sender can: another user's message is plaza.ErrForbidden, a number without a message is
// plaza.ErrNotFound, and both are ErrNotMember for who never was a member. changed is true only
// if this call recalled it. If it is beside an error, the message is recalled, but some members
// still have it among their unread: repeat the call.
//
// Cost: 1 request, 1 WCU, and for each other member who has not read it 1 request, 2 WCU; 1 WCU
// for each further KB.
//
//plaza:cost a message: 1 request, 1 WCU
//plaza:cost each further KB of the message: 1 WCU
//plaza:cost each other member who has not read it: 1 request, 2 WCU
//plaza:cost each other member who has: 1 request, 1 WCU
//plaza:cost a group that this process does not know: 1 request, 2 RCU
//plaza:cost each further 4 KB of its members' names: 1 RCU
//plaza:cost refused: 2 requests, 1 WCU, 1 RCU
func (r *Repository) Recall(ctx context.Context, in In, seq int64) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Recall")
	if err := in.check("User"); err != nil {
		return false, err
	}
	if err := checkSeq("seq", seq); err != nil {
		return false, err
	}
	changed, err = r.recall(ctx, in, seq)
	if err == nil { // also a repeat, whose first call may have stopped here
		err = r.uncountAll(ctx, in, seq)
	}
	return changed, wrapMessage("recall", in.Conversation, seq, err)
}

func (r *Repository) recall(ctx context.Context, in In, seq int64) (changed bool, err error) {
	call, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	err = r.table.Run(ctx, r.table.Update(messageKey(in.Conversation, seq)).
		Set("recalled", r.opts.Now().UnixMilli()).Set("recall", call).
		Remove(store.Deleted[item]()...). // but not edit: an edit whose answer was lost still recognizes itself
		If("sender = ? AND attribute_not_exists(recalled)", in.User))
	refused, ok := store.AsRefused(err)
	if !ok {
		return err == nil, err
	}
	found, _ := refused.At(0)
	if textOf(found, "sender") != in.User { // a stranger does not learn whether there is a message
		if _, err := r.entry(ctx, in); err != nil {
			return false, err
		}
	}
	stored, err := r.decode(found)
	if err == nil && stored.Sender != in.User {
		err = plaza.ErrForbidden
	}
	return err == nil && stored.Recall == call, err
}

// uncountAll makes a message that its sender recalled count as unread for nobody.
func (r *Repository) uncountAll(ctx context.Context, sender In, seq int64) error {
	k, err := r.know(ctx, sender.Conversation)
	if err == nil && k.n < seq { // users may have joined before the message
		k, err = r.load(ctx, sender.Conversation)
	}
	if err != nil {
		return err
	}
	others := without(k.members, sender.User)
	return r.eachEntry(ctx, sender.Conversation, others, func(ctx context.Context, in In) error {
		return r.uncount(ctx, in, seq)
	})
}

// uncount adds the number of a recalled message to an entry of a member who has not read it.
func (r *Repository) uncount(ctx context.Context, in In, seq int64) error {
	unread := func(u *store.Update) *store.Update {
		return u.If("attribute_exists(pk) AND attribute_not_exists(till)").
			If("attribute_not_exists('read') OR 'read' < ?", seq).If("attribute_not_exists('from') OR 'from' < ?", seq)
	}
	quick := unread(r.table.Update(entryKey(in)).Add("recalled", []int{int(seq)})).
		If("attribute_not_exists(recalled) OR size(recalled) < ? AND NOT contains(recalled, ?)", maxRecalled, seq)
	_, err := store.Merge(ctx, r.table, entryKey(in), quick, func(seen *entry) (store.Write, error) {
		above := seen.readUpTo()
		if seen.PK == "" || seen.Till != nil || seq <= above || slices.Contains(seen.Recalled, seq) {
			return nil, store.ErrSame
		}
		all := append(seen.Recalled.above(above), seq)
		slices.Sort(all)
		u := unread(r.table.Update(entryKey(in)).Set("recalled", all[max(0, len(all)-maxRecalled):]))
		if len(seen.Recalled) == 0 {
			return u.If("attribute_not_exists(recalled)"), nil
		}
		return u.If("recalled = ?", seen.Recalled), nil
	})
	return err
}
