package message

import (
	"context"
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	maxTries = 20    // of a write that other writes preceded
	maxKnown = 2_000 // conversations that a process remembers; a full group takes up to 25 KB
)

// known is what this process knows about a conversation. It may be out of date, but a
// write based on that is refused. The slices are shared, so they are never modified.
type known struct {
	n       int64
	version int64    // 0 for a pair
	members []string // the one of longest standing first
	pending []string // whom Create still has to add
	owner   string   // whom an owner has made one
	name    string   // of the group
	picture string
	blocked bool // never remembered
	fresh   bool // read by this call
}

func (k known) has(user string) bool { return slices.Contains(k.members, user) }

// owns returns the owner of a group, "" if it has no members.
func (k known) owns() string {
	if k.owner != "" || len(k.members) == 0 {
		return k.owner
	}
	return k.members[0]
}

// full reports whether a group has no room for the user.
func (k known) full(user string) bool {
	return len(k.members)+len(k.pending) >= MaxMembers && !slices.Contains(k.pending, user)
}

// know returns what the process remembers about a conversation, or reads it.
func (r *Repository) know(ctx context.Context, conversation string) (known, error) {
	if k, ok := r.known.Get(conversation); ok {
		return k, nil
	}
	return r.load(ctx, conversation)
}

// remember stores what is known after a write by this process.
func (r *Repository) remember(conversation string, k known) {
	k.fresh, k.blocked = false, false
	r.known.Add(conversation, k)
}

// load reads a conversation. A group that does not exist has version 0.
func (r *Repository) load(ctx context.Context, conversation string) (known, error) {
	if p, isPair := (In{Conversation: conversation}).pair(); isPair {
		h, err := r.head(ctx, conversation)
		return known{n: h.N, members: []string{p.User, p.Other}, blocked: len(h.Blocked) > 0, fresh: true}, err
	}
	at, of := headKey(conversation), membersKey(conversation)
	items, err := r.table.GetAll(ctx, []store.Key{at, of}, true, 1)
	switch {
	case err != nil:
		return known{}, err
	case items[at] == nil:
		return known{fresh: true}, nil
	case items[of] == nil:
		return known{}, r.table.Corrupt(of, "is missing")
	}
	var h head
	if err := r.table.Decode(items[at], &h); err != nil {
		return known{}, err
	}
	var m roster
	err = r.table.Decode(items[of], &m)
	k := m.known(h.N)
	k.fresh = true
	return k, err
}

// change is a transaction about a conversation that begins with an update of its head, so
// that one of several at once succeeds.
type change struct {
	conversation string

	// plan completes the update of the head, and returns the transaction and the
	// conversation as it is then. If it refuses a conversation as it is remembered, it is
	// asked again about the conversation as it is stored.
	plan func(k known, head *store.Update, call ids.ID) (next known, tx *store.Tx, err error)

	// If an item other than the head refuses the transaction, refused is called first. done
	// ends the change.
	refused func(*store.Refused) (done bool, err error)
}

// change runs a change, and plans it again whenever others wrote first. The changes of a
// process take turns.
func (r *Repository) change(ctx context.Context, c change) (known, error) {
	end, err := r.turns.Take(ctx, headKey(c.conversation))
	if err != nil {
		return known{}, err
	}
	defer end()
	call, err := r.gen.Next(ctx)
	if err != nil {
		return known{}, err
	}
	k, err := r.know(ctx, c.conversation)
	for range maxTries {
		if err != nil {
			return known{}, err
		}
		head := k.unchanged(r.table.Update(headKey(c.conversation)))
		next, tx, reason := c.plan(k, head, call)
		if reason != nil && !k.fresh {
			k, err = r.load(ctx, c.conversation)
			continue
		}
		if reason != nil {
			return k, reason
		}
		err = r.table.Run(ctx, tx)
		refused, ok := store.AsRefused(err)
		if !ok {
			if err == nil {
				r.remember(c.conversation, next)
			}
			return next, err
		}
		if done, err := c.refused(refused); done || err != nil {
			return k, err
		}
		if head, outrun := refused.At(0); outrun {
			k, err = r.learn(ctx, c.conversation, k, head)
		} else {
			k, err = r.load(ctx, c.conversation)
		}
	}
	return known{}, plaza.ErrBusy
}

// learn updates what is known after the head refused a write. The item is the head that
// came with the refusal.
func (r *Repository) learn(ctx context.Context, conversation string, k known, item dynamo.Item) (known, error) {
	r.known.Remove(conversation)
	var h head
	if item != nil {
		if err := r.table.Decode(item, &h); err != nil {
			return known{}, err
		}
	}
	if h.Version != k.version {
		return r.load(ctx, conversation)
	}
	k.n, k.blocked, k.fresh = h.N, len(h.Blocked) > 0, true
	return k, nil
}

// unchanged adds the condition that the head has not changed since it was read.
func (k known) unchanged(u *store.Update) *store.Update {
	switch {
	case k.version > 0:
		return u.If("n = ? AND mver = ?", k.n, k.version)
	case k.n > 0:
		return u.If("n = ? AND attribute_not_exists(blocked)", k.n)
	}
	return u.If("attribute_not_exists(n) AND attribute_not_exists(blocked)").Remove("ttl") // of an Unblock's note
}
