package message

import (
	"context"
	"fmt"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Edit replaces the Text and Data of the message with the Conversation, Seq and Sender
// of m. It ignores the other fields. A recalled message is plaza.ErrRemoved, another
// user's is plaza.ErrForbidden, and a number without a message is plaza.ErrNotFound. A
// user who has left the group is ErrNotMember, and in a blocked pair the error is
// ErrBlocked. changed is true only if this call changed anything. If another edit
// overlaps and wins, Edit returns the message as it is then, and changed is false.
//
// Cost: 2 requests, 2 RCU, 1 WCU, 1 WCU for each further KB of the larger content, and
// 1 RCU for each further 4 KB of the stored one; with nothing to change 1 request, 2 RCU;
// for each edit that overlaps, 1 request and the WCU once more.
func (r *Repository) Edit(ctx context.Context, m Message) (edited Message, changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Edit")
	in := In{m.Conversation, m.Sender}
	if err := in.check("Sender"); err != nil {
		return Message{}, false, err
	}
	if err := checkSeq("Seq", m.Seq); err != nil {
		return Message{}, false, err
	}
	if err := r.checkContent(m); err != nil {
		return Message{}, false, err
	}
	stored, changed, err := r.edit(ctx, m)
	if err != nil {
		return Message{}, false, wrapMessage("edit", m.Conversation, m.Seq, err)
	}
	return stored.message(m.Conversation), changed, nil
}

// edit writes over the edit that it has read. Each edit has a higher order than the one
// before, so it is applied at most once, even if a copy of its request arrives late.
func (r *Repository) edit(ctx context.Context, m Message) (stored item, changed bool, err error) {
	if stored, err = r.editable(ctx, m); err != nil {
		return item{}, false, err
	}
	call, err := r.gen.Next(ctx)
	if err != nil {
		return item{}, false, err
	}
	order := max(call, keys.After(call, stored.Edit)) // a clock may be behind
	for range maxTries {
		switch {
		case stored.Sender != m.Sender:
			return item{}, false, plaza.ErrForbidden
		case stored.Recalled != 0:
			return item{}, false, plaza.ErrRemoved
		case stored.Text == m.Text && stored.Data == string(m.Data):
			return stored, false, nil
		}
		var edited item
		err := r.table.Run(ctx, store.Returning{Update: r.editing(m, stored.Edit, order, call), Out: &edited})
		refused, ok := store.AsRefused(err)
		if !ok {
			return edited, err == nil, err
		}
		found, _ := refused.At(0)
		if stored, err = r.decode(found); err != nil {
			return item{}, false, err
		}
		switch {
		case stored.Call == call: // the SDK sent it twice
			return stored, true, nil
		case stored.Edit >= order: // another edit won, perhaps after this one was applied
			return stored, false, nil
		}
	}
	return item{}, false, plaza.ErrBusy
}

// editing is refused if there was another edit since the one that was seen.
func (r *Repository) editing(m Message, seen, order, call ids.ID) *store.Update {
	u := r.table.Update(messageKey(m.Conversation, m.Seq)).
		Set("text", m.Text).Set("data", string(m.Data)).
		Set("edited", r.opts.Now().UnixMilli()).Set("edit", order).Set("call", call).
		If("sender = ? AND attribute_not_exists(recalled)", m.Sender)
	if seen == 0 {
		return u.If("attribute_not_exists(edit)")
	}
	return u.If("edit = ?", seen)
}

// editable reads a message whose sender may still send.
func (r *Repository) editable(ctx context.Context, m Message) (item, error) {
	in, key := In{m.Conversation, m.Sender}, messageKey(m.Conversation, m.Seq)
	access := rowKey(in)
	if _, isPair := in.pair(); isPair {
		access = headKey(in.Conversation)
	}
	items, err := r.table.GetAll(ctx, []store.Key{access, key}, true, 1)
	if err == nil {
		err = r.mayEdit(in, items)
	}
	if err != nil {
		return item{}, err
	}
	return r.decode(items[key])
}

// mayEdit refuses a user who may not send.
func (r *Repository) mayEdit(in In, items map[store.Key]dynamo.Item) error {
	if _, isPair := in.pair(); isPair {
		h, err := r.headOf(in.Conversation, items)
		if err == nil && len(h.Blocked) > 0 {
			err = ErrBlocked
		}
		return err
	}
	own, err := r.rowOf(in, items)
	if err == nil && own.Till != nil {
		err = ErrNotMember
	}
	return err
}

// decode decodes a message. A nil item is plaza.ErrNotFound.
func (r *Repository) decode(found dynamo.Item) (i item, err error) {
	if found == nil {
		return item{}, plaza.ErrNotFound
	}
	err = r.table.Decode(found, &i)
	return i, err
}

// Recall deletes the content of a message for everybody and keeps its number. Only its
// sender can: another user's message is plaza.ErrForbidden, and a number without a
// message is plaza.ErrNotFound. changed is true only if this call recalled it.
//
// Cost: 1 request, 1 WCU, and 1 WCU for each further KB of the message.
func (r *Repository) Recall(ctx context.Context, in In, seq int64) (changed bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Recall")
	if err := in.check("User"); err != nil {
		return false, err
	}
	if err := checkSeq("seq", seq); err != nil {
		return false, err
	}
	call, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	err = r.table.Run(ctx, r.table.Update(messageKey(in.Conversation, seq)).
		Set("recalled", r.opts.Now().UnixMilli()).Set("recall", call).
		Remove("text", "data", "edited"). // an edit whose answer was lost still finds itself
		If("sender = ? AND attribute_not_exists(recalled)", in.User))
	refused, ok := store.AsRefused(err)
	if !ok {
		return err == nil, wrapMessage("recall", in.Conversation, seq, err)
	}
	found, _ := refused.At(0)
	stored, err := r.decode(found)
	if err == nil && stored.Sender != in.User {
		err = plaza.ErrForbidden
	}
	return err == nil && stored.Recall == call, wrapMessage("recall", in.Conversation, seq, err)
}

func checkSeq(field string, seq int64) error { return args.AtLeast(field, seq, 1) }

func wrapMessage(what, conversation string, seq int64, err error) error {
	return wrap(fmt.Sprintf("%s %d of", what, seq), conversation, err)
}
