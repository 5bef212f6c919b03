package message

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Edit replaces the Text and Data of the message with the Conversation, Seq and Sender
// of m. It ignores the other fields. If two edits overlap, the one that was called
// later wins. A recalled message is plaza.ErrRemoved, another user's is
// plaza.ErrForbidden, and a number without a message is plaza.ErrNotFound. A user who
// has left the group is ErrNotMember, and in a blocked pair the error is ErrBlocked.
// Changed is true only if this call changed anything.
//
// Cost: 2 requests, 1 RCU, 1 WCU, and 1 WCU for each further KB of the larger content;
// twice the writes if the clock is behind the last edit's.
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

func (r *Repository) edit(ctx context.Context, m Message) (stored item, changed bool, err error) {
	if err := r.mayEdit(ctx, In{m.Conversation, m.Sender}); err != nil {
		return item{}, false, err
	}
	call, err := r.gen.Next(ctx)
	if err != nil {
		return item{}, false, err
	}
	order := call
	for range maxTries {
		err := r.table.Run(ctx, store.Returning{Update: r.editing(m, order, call), Out: &stored})
		refused, ok := store.AsRefused(err)
		if !ok {
			return stored, err == nil, err
		}
		found, _ := refused.At(0)
		if found == nil {
			return item{}, false, plaza.ErrNotFound
		}
		stored = item{}
		if err := r.table.Decode(found, &stored); err != nil {
			return item{}, false, err
		}
		switch {
		case stored.Sender != m.Sender:
			return item{}, false, plaza.ErrForbidden
		case stored.Recalled != 0:
			return item{}, false, plaza.ErrRemoved
		case stored.Call == call: // the SDK sent it twice
			return stored, true, nil
		case stored.Text == m.Text && stored.Data == string(m.Data):
			return stored, false, nil
		}
		order = keys.After(call, stored.Edit) // a clock is behind
		stored = item{}
	}
	return item{}, false, plaza.ErrBusy
}

// editing is refused if it would change nothing, or if a later edit has a higher order.
func (r *Repository) editing(m Message, order, call ids.ID) *store.Update {
	u := r.table.Update(messageKey(m.Conversation, m.Seq)).
		Set("edited", r.opts.Now().UnixMilli()).Set("edit", order).Set("call", call).
		If("sender = ? AND attribute_not_exists(recalled)", m.Sender).
		If("attribute_not_exists(edit) OR edit < ?", order)
	differs, values := "", []any{}
	for _, field := range []struct{ name, value string }{{"text", m.Text}, {"data", string(m.Data)}} {
		if differs != "" {
			differs += " OR "
		}
		if field.value == "" {
			u.Remove(field.name)
			differs += "attribute_exists('" + field.name + "')"
		} else {
			u.Set(field.name, field.value)
			differs += "attribute_not_exists('" + field.name + "') OR '" + field.name + "' <> ?"
			values = append(values, field.value)
		}
	}
	return u.If(differs, values...)
}

// mayEdit refuses a user who may not send.
func (r *Repository) mayEdit(ctx context.Context, in In) error {
	if _, isPair := in.pair(); isPair {
		h, err := r.head(ctx, in.Conversation)
		if err == nil && len(h.Blocked) > 0 {
			err = ErrBlocked
		}
		return err
	}
	own, err := r.row(ctx, in)
	if err == nil && own.Till != nil {
		err = ErrNotMember
	}
	return err
}

// Recall deletes the content of a message for everybody and keeps its number. Only its
// sender can: another user's message is plaza.ErrForbidden, and a number without a
// message is plaza.ErrNotFound. Changed is true only if this call recalled it.
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
		Set("recalled", r.opts.Now().UnixMilli()).Set("call", call).
		Remove("text", "data", "edited", "edit").
		If("sender = ? AND attribute_not_exists(recalled)", in.User))
	refused, ok := store.AsRefused(err)
	if !ok {
		return err == nil, wrapMessage("recall", in.Conversation, seq, err)
	}
	var stored item
	err = plaza.ErrNotFound
	if found, _ := refused.At(0); found != nil {
		err = r.table.Decode(found, &stored)
	}
	if err == nil && stored.Sender != in.User {
		err = plaza.ErrForbidden
	}
	return err == nil && stored.Call == call, wrapMessage("recall", in.Conversation, seq, err)
}

func checkSeq(field string, seq int64) error {
	if seq < 1 {
		return &plaza.InvalidError{Field: field, Reason: fmt.Sprintf("is %d", seq)}
	}
	return nil
}

func wrapMessage(what, conversation string, seq int64, err error) error {
	return wrap(fmt.Sprintf("%s %d of", what, seq), conversation, err)
}
