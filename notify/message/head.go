package message

import (
	"context"
	"errors"
	"fmt"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
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

// CheckItem refuses what no write of this package leaves.
func (h *head) CheckItem() error {
	if h.N < 0 || h.Version < 0 {
		return fmt.Errorf("n is %d and mver %d", h.N, h.Version)
	}
	return nil
}

func (h *head) lastBlock() store.Last { return store.Last{Mark: h.Block, Before: h.BlockBefore} }

// roster is the list of a group's members.
type roster struct {
	PK      string   `dynamo:"pk"`
	SK      string   `dynamo:"sk"`
	Members []string `dynamo:"members,omitempty"`     // the one of longest standing first
	Pending []string `dynamo:"pending,set,omitempty"` // whom Create still has to add
	Owner   string   `dynamo:"owner,omitempty"`       // whom an owner has made one; else it is the first member
	Name    string   `dynamo:"name,omitempty"`
	Picture string   `dynamo:"picture,omitempty"`
	Version int64    `dynamo:"mver"` // the head's
	Made    []byte   `dynamo:"made"` // the hash of the members that Create was given
	Call    ids.ID   `dynamo:"call"` // the one that created the group
}

// CheckItem refuses what no write of this package leaves.
func (r *roster) CheckItem() error {
	if r.Version < 1 || len(r.Members) > MaxMembers {
		return fmt.Errorf("mver is %d, with %d members", r.Version, len(r.Members))
	}
	return nil
}

// known is what a process remembers of the members.
func (r *roster) known(n int64) known {
	return known{
		n: n, version: r.Version, members: r.Members, pending: r.Pending,
		owner: r.Owner, name: r.Name, picture: r.Picture,
	}
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
