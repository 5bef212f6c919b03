package message

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// guard keeps a message from being stored again under its key.
type guard struct {
	Seq  int64  `dynamo:"seq"`
	ID   ids.ID `dynamo:"id"` // of the message, which identifies the call that stored it
	Hash []byte `dynamo:"hash"`
}

// hash is the hash of everything that a repeat must have in common with the first call.
// It is stored: a change of it makes repeats across an upgrade plaza.ErrConflict, so a new
// field counts only if it is set.
func (m Message) hash() []byte {
	sum := sha256.Sum256([]byte(keys.Join(m.Conversation, m.Text, string(m.Data), strconv.FormatInt(m.ReplyTo, 10))))
	return sum[:]
}

// Send stores a message under the next number of its conversation, and moves the
// conversation to the top of its members' inboxes. A repeat returns the stored message
// as it is now. The same Key with another content, or in another conversation, is
// plaza.ErrConflict. A user who sends more often than Options.Rate gets a
// *ratelimit.Error; a repeat of a stored message is never refused.
//
// If the call returns both a message and an error, the message is stored but some
// inboxes do not show it: repeat the call.
//
// Cost: 1 request, 6 WCU, and for each member 1 request, 3 WCU; 2 WCU for each
// further KB; to a pair twice Blocks.Blocked.
//
//plaza:cost a message: 1 request, 6 WCU
//plaza:cost each member: 1 request, 3 WCU
//plaza:cost each further KB of the message: 2 WCU
//plaza:cost the sender had unread messages: 1 request, 1 WCU
//plaza:cost another process wrote to the conversation: 1 request, 6 WCU
//plaza:cost a conversation that this process does not know: 1 request, 2 RCU
//plaza:cost each further 4 KB of its members' names: 1 RCU
//plaza:cost a pair's first message: 2 WCU
//plaza:cost to a pair, with Options.Blocks: as Blocks.Blocked twice
//plaza:cost a repeat: 2 requests, 6 WCU, 1 RCU
//plaza:cost a repeat, each member: 1 request, 1 WCU
//plaza:cost refused: 2 requests, 3 RCU
//plaza:cost with Options.SharedRate: as ratelimit.Table.Take
func (r *Repository) Send(ctx context.Context, m Message) (sent Message, created bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Send")
	if err := r.check(m); err != nil {
		return Message{}, false, err
	}
	m.Seq, m.ID, m.Edited, m.Recalled, m.Reactions = 0, 0, time.Time{}, time.Time{}, nil
	sent, created, members, err := r.send(ctx, m)
	if err == nil {
		err = r.raiseAll(ctx, sent, members)
	}
	return sent, created, wrap("send to", m.Conversation, err)
}

// send stores a message, or returns the one that is stored under its Key.
func (r *Repository) send(ctx context.Context, m Message) (sent Message, created bool, members []string, err error) {
	first, k, err := r.append(ctx, &m)
	switch {
	case err != nil:
		return Message{}, false, nil, err
	case first.ID == m.ID: // by this call, even if the SDK sent it twice
		m.Seq = first.Seq
		return m, true, k.members, nil
	case !bytes.Equal(first.Hash, m.hash()):
		return Message{}, false, nil, plaza.ErrConflict
	}
	sent, err = r.message(ctx, m.Conversation, first.Seq)
	return sent, false, k.members, err
}

// append stores a message and sets its ID. It returns the guard that is stored under the
// message's Key then.
func (r *Repository) append(ctx context.Context, m *Message) (first guard, k known, err error) {
	wait, err := r.opts.Limiter.Take(ctx, m.attempt())
	if err != nil {
		return guard{}, known{}, err
	}
	if wait > 0 {
		if first, err = r.guarded(ctx, *m, &ratelimit.Error{Wait: wait}); err == nil {
			k, err = r.know(ctx, m.Conversation)
		}
		return first, k, err
	}
	var barred error // by a block that the head does not know
	if p, isPair := (In{m.Conversation, m.Sender}).pair(); isPair && !r.opts.BlocksOnce {
		barred = r.mayMeet(ctx, p.User, p.Other)
	}
	var reason error // why the message is refused
	k, err = r.change(ctx, change{
		conversation: m.Conversation,
		plan: func(k known, head *store.Update, call ids.ID) (known, *store.Tx, error) {
			if reason = cmp.Or(r.refuses(ctx, k, *m), barred); reason != nil {
				return k, nil, reason
			}
			m.ID, first = call, guard{Seq: k.n + 1, ID: call}
			next := k
			next.n++
			return next, r.appending(*m, k, head, first), nil
		},
		refused: func(refused *store.Refused) (done bool, err error) {
			if item, failed := refused.At(1); failed {
				first = guard{}
				return true, r.table.Decode(item, &first)
			}
			if _, outrun := refused.At(0); !outrun {
				err = r.table.Corrupt(headKey(m.Conversation), "n is below the last message")
			}
			return false, err
		},
	})
	if reason != nil && errors.Is(err, reason) {
		first, err = r.guarded(ctx, *m, reason)
	}
	return first, k, err
}

// attempt is what the limiter counts. A limiter takes names of up to 256 bytes.
func (m Message) attempt() ratelimit.Attempt {
	object := m.Conversation
	if len(object) > keys.MaxName {
		object = fmt.Sprintf("%x", sha256.Sum256([]byte(object)))
	}
	return ratelimit.Attempt{Object: object, User: m.Sender, ID: m.Key}
}

// appending is the transaction that stores a message: the head, its guard, the message.
// The first of a pair also begins the entries: Erase finds by them what a user has said, even
// if the process dies before it raises them.
func (r *Repository) appending(m Message, k known, head *store.Update, own guard) *store.Tx {
	tx := r.table.Tx().
		Update(head.Set("n", own.Seq)).
		Put(r.table.Put(r.guard(m, own)).If("attribute_not_exists(pk)")).
		Put(r.table.Put(newItem(m, own.Seq)).If("attribute_not_exists(pk)"))
	if k.n == 0 && k.version == 0 {
		for _, user := range k.members {
			tx.Update(r.table.Update(entryKey(In{m.Conversation, user})).SetExpr("lastSeq = if_not_exists(lastSeq, ?)", 0))
		}
	}
	return tx
}

func (r *Repository) guard(m Message, own guard) dynamo.Item {
	key := sentKey(m.Sender, m.Key)
	return dynamo.Item{
		"pk": text(key.PK), "sk": text(key.SK), "c": text(m.Conversation), "seq": number(own.Seq), "id": text(own.ID.String()),
		"hash": &types.AttributeValueMemberB{Value: m.hash()}, "ttl": number(r.opts.Now().AddDate(0, 0, keyDays).Unix()),
	}
}

// guarded returns the guard of a message that would be refused now. If there is none,
// it returns the reason as the error.
func (r *Repository) guarded(ctx context.Context, m Message, reason error) (first guard, err error) {
	err = r.table.Get(ctx, sentKey(m.Sender, m.Key), true, &first)
	if errors.Is(err, plaza.ErrNotFound) {
		return guard{}, reason
	}
	return first, err
}

// refuses returns why a message cannot be stored in a conversation as it is known.
func (r *Repository) refuses(ctx context.Context, k known, m Message) error {
	switch {
	case !k.has(m.Sender):
		return ErrNotMember
	case k.blocked:
		return ErrBlocked
	case m.ReplyTo > k.n:
		return &plaza.InvalidError{Field: "ReplyTo", Reason: fmt.Sprintf("is %d, the last message is %d", m.ReplyTo, k.n)}
	case !r.opts.BlocksOnce || k.n > 0 || k.version > 0:
		return nil
	}
	return r.mayMeet(ctx, k.members[0], k.members[1])
}

// message reads a message, which must be there.
func (r *Repository) message(ctx context.Context, conversation string, seq int64) (Message, error) {
	var found item
	key := messageKey(conversation, seq)
	err := r.table.Get(ctx, key, true, &found)
	if errors.Is(err, plaza.ErrNotFound) {
		return Message{}, r.table.Corrupt(key, "is missing")
	}
	return found.message(conversation), err
}
