package message

import (
	"context"
	"fmt"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Edit replaces the Text and Data of the message with the Conversation, Seq and Sender
// of m. It ignores the other fields, and returns the message as it is stored then. A
// recalled message is plaza.ErrRemoved, another user's is plaza.ErrForbidden, and a
// number without a message is plaza.ErrNotFound. A user who has left the group is
// ErrNotMember, and in a blocked pair the error is ErrBlocked. changed is true only if
// this call changed anything.
//
// If the answer is lost and the message is recalled, erased or edited twice meanwhile,
// it may be plaza.ErrUnknownOutcome: repeat the call if it is still wanted.
//
// Cost: 2 requests, 2 RCU, 1 WCU, and 1 WCU for each further KB of the larger
// content.
//
//plaza:cost an edit: 2 requests, 2 RCU, 1 WCU
//plaza:cost each further KB of the larger content: 1 WCU
//plaza:cost each further 4 KB of the stored content: 1 RCU
//plaza:cost each edit that overlaps: 1 request, 1 WCU
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
	if stored, err = r.editable(ctx, In{m.Conversation, m.Sender}, m.Seq); err != nil {
		return item{}, false, err
	}
	call, err := r.gen.Next(ctx)
	if err != nil {
		return item{}, false, err
	}
	stored, changed, err = store.Change[item]{
		Key: messageKey(m.Conversation, m.Seq), Call: call, Part: "edit", Last: (*item).lastEdit, Seen: &stored,
		Next: func(seen *item, g store.Guard) (store.Write, error) {
			switch {
			case seen.Sender != m.Sender && seen.Sender != "":
				return nil, plaza.ErrForbidden
			case seen.Recalled != 0: // its user may be erased, too
				return nil, plaza.ErrRemoved
			case seen.Text == m.Text && seen.Data == string(m.Data):
				return nil, store.ErrSame
			}
			return g.Update().Set("text", m.Text).Set("data", string(m.Data)).Set("edited", r.opts.Now().UnixMilli()).
				If("sender = ? AND attribute_not_exists(recalled)", m.Sender), nil
		},
	}.Run(ctx, r.table)
	if err == nil && !changed && stored.Recalled != 0 { // before the note
		err = plaza.ErrRemoved
	}
	return stored, changed, err
}

// editable reads a message of a user who may still send.
func (r *Repository) editable(ctx context.Context, in In, seq int64) (item, error) {
	key := messageKey(in.Conversation, seq)
	access := entryKey(in)
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
	own, err := r.entryOf(in, items)
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

func checkSeq(field string, seq int64) error { return args.AtLeast(field, seq, 1) }

func wrapMessage(what, conversation string, seq int64, err error) error {
	return wrap(fmt.Sprintf("%s %d of", what, seq), conversation, err)
}
