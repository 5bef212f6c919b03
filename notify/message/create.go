package message

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// maxFirst is how many members fit into the transaction of Create, which also writes
// the head and the list of members.
const maxFirst = store.MaxTx - 2

func (g Group) check() error {
	if err := checkGroupID("ID", g.ID); err != nil {
		return err
	}
	if len(g.Members) == 0 {
		return &plaza.InvalidError{Field: "Members", Reason: "is empty"}
	}
	if err := args.Count("Members", len(g.Members), "users", MaxMembers); err != nil {
		return err
	}
	return keys.CheckSet("Members", g.Members)
}

// Create creates a group. by is the user who acts and, if a member, owns the group; else the first
// member does. If by or a member blocks the other in Options.Blocks, the error is ErrBlocked. A repeat with the same members changes nothing, even if
// users have joined, left or blocked since. Other members under the same ID are plaza.ErrConflict.
// The 99th and the 100th member are added after the others: after an error, repeat the call.
//
// Cost: 1 request, 4 WCU, 3 WCU for each member, and twice Blocks.Blocked for each
// but by.
//
//plaza:cost a group: 1 request, 4 WCU
//plaza:cost each member: 3 WCU
//plaza:cost each further KB of the members' names: 2 WCU
//plaza:cost the 99th and the 100th member, each: as Add
//plaza:cost each member but by, with Options.Blocks: as Blocks.Blocked twice
//plaza:cost refused by Options.Blocks: 1 request, 1 RCU
//plaza:cost refused by Options.Blocks, each further 4 KB of names: 1 RCU
func (r *Repository) Create(ctx context.Context, g Group, by string) (created bool, err error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Create")
	if err := g.check(); err != nil {
		return false, err
	}
	if err := keys.CheckName("By", by); err != nil {
		return false, err
	}
	created, err = r.create(ctx, g, by)
	return created, wrap("create", g.ID, err)
}

func (r *Repository) create(ctx context.Context, g Group, by string) (created bool, err error) {
	id, err := r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	// Stored: a change of the hash makes repeats across an upgrade plaza.ErrConflict.
	made := sha256.Sum256([]byte(keys.Join(slices.Sorted(slices.Values(g.Members))...)))
	members := slices.Clone(g.Members)
	if at := slices.Index(members, by); at > 0 { // owns the group
		members = slices.Insert(slices.Delete(members, at, at+1), 0, by)
	}
	first := members[:min(len(members), maxFirst)]
	at, of := headKey(g.ID), membersKey(g.ID)
	m := roster{
		PK: of.PK, SK: of.SK, Version: 1, Made: made[:], Call: id,
		Members: first, Pending: members[len(first):],
	}
	tx := r.table.Tx().
		Put(r.table.Put(m).If("attribute_not_exists(pk)")).
		Put(r.table.Put(head{PK: at.PK, SK: at.SK, Version: 1}).If("attribute_not_exists(pk)"))
	for _, user := range first {
		key := entryKey(In{g.ID, user})
		tx.Put(r.table.Put(entry{PK: key.PK, SK: key.SK, Last: id}))
	}
	err = r.mayMeet(ctx, by, g.Members...)
	if err == nil {
		err = r.table.Run(ctx, tx)
	}
	if refused, ok := store.AsRefused(err); ok {
		item, _ := refused.At(0)
		if item == nil {
			return false, r.table.Corrupt(of, "is missing")
		}
		m = roster{}
		err = r.table.Decode(item, &m)
	} else if errors.Is(err, ErrBlocked) { // unless it repeats a call that was made before the block
		m = roster{}
		if other := r.table.Get(ctx, of, true, &m); !errors.Is(other, plaza.ErrNotFound) {
			err = other
		}
	}
	if err == nil && !bytes.Equal(m.Made, made[:]) {
		err = plaza.ErrConflict
	}
	if err != nil {
		return false, err
	}
	if m.Call == id {
		r.remember(g.ID, m.known(0))
	}
	for _, user := range m.Pending {
		if _, err := r.admit(ctx, In{g.ID, user}); err != nil {
			return m.Call == id, err
		}
	}
	return m.Call == id, nil
}
