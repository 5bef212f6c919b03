package message

import (
	"context"
	"errors"
	"fmt"
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

// head is the one item that each conversation has. A pair has it from its first message
// or block.
type head struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`

	N       int64    `dynamo:"n"`                     // messages
	Version int64    `dynamo:"mver,omitempty"`        // changes of a group's members
	Blocked []string `dynamo:"blocked,set,omitempty"` // the users of a pair who block the other

	Block       store.Mark `dynamo:"block,omitempty"` // of the last Block or Unblock
	BlockBefore store.Mark `dynamo:"blockBefore,omitempty"`
}

// UnmarshalDynamoItem refuses what no write of this package leaves.
func (h *head) UnmarshalDynamoItem(item dynamo.Item) error {
	if err := store.Fields(item, h.field); err != nil {
		return err
	}
	if h.N < 0 || h.Version < 0 {
		return fmt.Errorf("n is %d and mver %d", h.N, h.Version)
	}
	return nil
}

func (h *head) lastBlock() store.Last { return store.Last{Mark: h.Block, Before: h.BlockBefore} }

func (h *head) field(name string) any {
	switch name {
	case "pk":
		return &h.PK
	case "sk":
		return &h.SK
	case "n":
		return &h.N
	case "mver":
		return &h.Version
	case "blocked":
		return &h.Blocked
	case "block":
		return &h.Block
	case "blockBefore":
		return &h.BlockBefore
	}
	return nil
}

// roster is the list of a group's members.
type roster struct {
	PK      string   `dynamo:"pk"`
	SK      string   `dynamo:"sk"`
	Members []string `dynamo:"members,set,omitempty"`
	Pending []string `dynamo:"pending,set,omitempty"` // whom Create still has to add
	Version int64    `dynamo:"mver"`                  // the head's
	Made    []byte   `dynamo:"made"`                  // the hash of the members that Create was given
	Call    ids.ID   `dynamo:"call"`                  // the one that created the group
}

// UnmarshalDynamoItem refuses what no write of this package leaves.
func (r *roster) UnmarshalDynamoItem(item dynamo.Item) error {
	type plain roster
	if err := dynamo.UnmarshalItem(item, (*plain)(r)); err != nil {
		return err
	}
	if r.Version < 1 || len(r.Members) > MaxMembers {
		return fmt.Errorf("mver is %d, with %d members", r.Version, len(r.Members))
	}
	return nil
}

// known is what this process knows about a conversation. It may be out of date, but a
// write based on that is refused. The slices are shared, so they are never modified.
type known struct {
	n       int64
	version int64 // 0 for a pair
	members []string
	pending []string // whom Create still has to add
	blocked bool     // never remembered
	fresh   bool     // read by this call
}

func (k known) has(user string) bool { return slices.Contains(k.members, user) }

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
	return known{n: h.N, version: m.Version, members: m.Members, pending: m.Pending, fresh: true}, err
}

// head reads a head. It is zero if there is none.
func (r *Repository) head(ctx context.Context, conversation string) (h head, err error) {
	err = r.table.Get(ctx, headKey(conversation), true, &h)
	if errors.Is(err, plaza.ErrNotFound) {
		return head{}, nil
	}
	return h, err
}

// headOf returns the head of a conversation among items that were read.
func (r *Repository) headOf(conversation string, items map[store.Key]dynamo.Item) (h head, err error) {
	if found := items[headKey(conversation)]; found != nil {
		err = r.table.Decode(found, &h)
	}
	return h, err
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
