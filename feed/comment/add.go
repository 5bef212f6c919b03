package comment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

const (
	free = "attribute_not_exists(pk) OR 'ttl' <= ?" // expired now
	open = "attribute_exists(pk) AND attribute_not_exists('hidden') AND attribute_not_exists('removed')"
)

// Add stores a comment and returns it; its Quote has only the address. If the same
// ID or Key was added before, it returns that comment, and created is false.
//
// If the ID or Key belongs to another comment, the error is plaza.ErrConflict. For 30
// days after the comment of the ID or Key was removed, it is plaza.ErrRemoved. An
// unknown or hidden Root, Parent or Quote is plaza.ErrNotFound, a tombstone
// plaza.ErrRemoved. The ID is set even if there is an error.
//
// Cost: 1 transaction, 6 WCU; an answer 8 WCU; a reply 8 WCU and 1 request, 0.5 RCU;
// a reply to a reply 10 WCU.
//
//plaza:cost add: 1 transaction, 6 WCU
//plaza:cost an answer: 1 transaction, 8 WCU
//plaza:cost a reply: 1 request, 1 transaction, 0.5 RCU, 8 WCU
//plaza:cost a reply to a reply: 1 request, 1 transaction, 1.5 RCU, 10 WCU
//plaza:cost a Key more: 2 WCU
//plaza:cost a Quote more: 2 WCU
//plaza:cost the Quote of a reply more: 1 request, 1.5 RCU, 2 WCU
//plaza:cost Options.Score more: 2 WCU
//plaza:cost each further KB of the row that it answers more: 2 WCU
func (r *Repository) Add(ctx context.Context, c Comment) (_ Comment, created bool, err error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Add")
	c, err = c.checked(&r.opts)
	if err != nil {
		return c, false, err
	}
	call, err := r.gen.Next(ctx)
	if err != nil {
		return c, false, err
	}
	if c.ID == 0 {
		c.ID = call
	}
	stored, created, err := r.add(ctx, c, call)
	if err != nil {
		return c, false, wrap("add", c.Address(), err)
	}
	stored.Key = c.Key
	return stored, created, nil
}

func (r *Repository) add(ctx context.Context, c Comment, call ids.ID) (_ Comment, created bool, err error) {
	hash := c.hash()
	for attempt := range attempts {
		again := attempt > 0
		named, missing := r.readNamed(ctx, c, again)
		if again {
			// After readNamed, so that it finds any state of c that readNamed
			// may have seen.
			first, known, err := r.repeated(ctx, c, hash)
			if known || err != nil {
				return first, false, err
			}
		}
		switch {
		case missing == nil:
		case !again && (errors.Is(missing, plaza.ErrNotFound) || errors.Is(missing, plaza.ErrRemoved)):
			continue // the read may be stale
		default:
			return c, false, missing
		}
		row, tx := r.addTx(c, call, hash, named)
		err := r.table.Run(ctx, tx)
		if _, refused := store.AsRefused(err); !refused {
			return row.comment(), err == nil, err
		}
	}
	return c, false, plaza.ErrBusy
}

// names returns the comments that c refers to. They must be visible when it is added.
func (c Comment) names() []Address {
	var ats []Address
	if c.Root != 0 {
		ats = append(ats, c.Address().root())
	}
	if c.Parent != c.Root {
		ats = append(ats, c.parent())
	}
	if c.Quote != nil {
		ats = append(ats, c.Quote.Address)
	}
	return ats
}

func (c Comment) parent() Address { return Address{Object: c.Object, Root: c.Root, ID: c.Parent} }

// readNamed reads the comments that c names, except those whose keys are known.
// With consistent it reads all of them, and the key of c.
func (r *Repository) readNamed(ctx context.Context, c Comment, consistent bool) (named map[Address]row, err error) {
	named = map[Address]row{}
	read, ats := consistent, c.names()
	for _, at := range ats {
		named[at] = row{at: at}
		read = read || at.Root != 0 || c.Root != 0
	}
	if !read {
		return named, nil
	}
	wanted := ats
	if consistent {
		wanted = append(wanted, c.Address())
	}
	found, err := r.read(ctx, keysOf(wanted), consistent)
	if err != nil {
		return nil, err
	}
	if own, taken := found.at(c.Address()); taken {
		return nil, own.errTaken()
	}
	for _, at := range ats {
		there, _ := found.at(at)
		if err := there.errClosed(); err != nil {
			return nil, fmt.Errorf("%v: %w", at.ID, err)
		}
		named[at] = there
	}
	return named, nil
}

// errClosed is nil if the comment can get replies, be quoted and be pinned.
func (i row) errClosed() error {
	switch {
	case i.damaged != nil:
		return i.damaged
	case i.PK == "", i.Hidden, i.rootHidden:
		return plaza.ErrNotFound
	case i.Removed != nil:
		return plaza.ErrRemoved
	}
	return nil
}

// errTaken is the error of adding another comment in this one's place.
func (i row) errTaken() error {
	switch {
	case i.damaged != nil:
		return i.damaged
	case i.Removed != nil:
		return plaza.ErrRemoved
	}
	return plaza.ErrConflict
}

// repeated finds the comment that was added under the identity of c.
func (r *Repository) repeated(ctx context.Context, c Comment, hash []byte) (_ Comment, known bool, err error) {
	own, key := ownKey(c.User, c.ID), keyKey(c.User, c.Key)
	wanted := []store.Key{own}
	if c.Key != "" {
		wanted = append(wanted, key)
	}
	found, err := r.table.GetAll(ctx, wanted, true, 1)
	if err != nil {
		return c, false, err
	}
	var guard ownItem
	var keyed keyItem
	for key, item := range found {
		out := any(&guard)
		if key != own {
			out = &keyed
		}
		if err := r.table.Decode(item, out); err != nil {
			return c, false, err
		}
	}
	at, first, now := guard.at(), guard.Hash, r.opts.Now().Unix()
	if keyed.TTL > now {
		at, first = keyed.at(), keyed.Hash
	} else if guard.ID == 0 || guard.TTL != 0 && guard.TTL <= now {
		return c, false, nil
	}
	switch {
	case first == nil: // deleted before it was added
		return c, true, plaza.ErrRemoved
	case !bytes.Equal(first, hash):
		return c, true, plaza.ErrConflict
	}
	rows, err := r.read(ctx, at.keys(), true)
	if err != nil {
		return c, true, err
	}
	stored, ok := rows.at(at)
	if stored.damaged != nil {
		return c, true, stored.damaged
	}
	if !ok || stored.Removed != nil {
		return c, true, plaza.ErrRemoved
	}
	return stored.comment(), true, nil
}

// addTx stores c. named are the rows of the comments that it names.
func (r *Repository) addTx(c Comment, call ids.ID, hash []byte, named map[Address]row) (row, store.Write) {
	t, now := r.table, r.opts.Now().Unix()
	stored, root := newRow(c), named[c.Address().root()]
	if call != c.ID {
		first := store.Mark{Op: call, Call: call}
		stored.Edit, stored.Hide, stored.Place = first, first, first
	}
	taken := slices.Contains(root.First, c.ID.String()) // then the condition on its row fails
	stored.rest = c.Root != 0 && (root.More || len(root.First) >= firstRows) && !taken
	stored.ParentRest = named[c.parent()].rest
	if c.Quote != nil {
		stored.Quote = &quoteItem{Root: c.Quote.Root, ID: c.Quote.ID, Rest: named[c.Quote.Address].rest}
	}
	scored := c.Root == 0 && r.opts.Score != nil
	if scored {
		stored.Score = new(int64)
	}
	header := t.Update(headerKey(c.Object)).Add("n", 1).
		SetExpr("'pin' = if_not_exists('pin', ?)", store.Mark{Op: call, Call: call})
	if c.Root == 0 {
		header.Add("roots", 1)
	}
	own := t.PutAt(ownKey(c.User, c.ID)).Set("object", c.Object).Set("root", c.Root).Set("hash", hash)
	if stored.rest {
		own.Set("rest", true)
	}
	tx := t.Tx().
		Put(own.If(free, now)).
		Put(stored.put(t).If(free, now)).
		Update(header)
	if c.Root != 0 {
		tx.Update(r.joinThread(stored, root))
	}
	if parent, ok := stored.parentKey(); ok {
		tx.Update(t.Update(parent).Add("answers", 1).Add("rows", 1).Add("ver", 1).If(open))
	}
	if c.Quote != nil && c.Quote.Address != c.parent() {
		tx.Check(named[c.Quote.Address].key(), open)
	}
	if c.Key != "" {
		guard := keyKey(c.User, c.Key)
		item := keyItem{PK: guard.PK, SK: guard.SK, Object: c.Object, Root: c.Root, ID: c.ID, Hash: hash, TTL: r.expiry()}
		tx.Put(t.Put(item).If(free, now))
	}
	if scored {
		place := scoreKey(stored.at, 0)
		tx.Put(t.Put(scoreItem{PK: place.PK, SK: place.SK}))
	}
	return stored, tx
}

// put writes a new row. It sets what newRow and addTx do.
func (i row) put(t *store.Table) *store.Put {
	put := t.PutAt(i.key()).
		Set("user", i.User).Set("text", i.Text).Set("parent", i.Parent).Set("data", i.Data)
	if i.ParentRest {
		put.Set("parentRest", true)
	}
	if i.Edit.Op != 0 {
		put.Set("edit", i.Edit).Set("hide", i.Hide).Set("place", i.Place)
	}
	if i.Quote != nil {
		put.Set("quote", i.Quote)
	}
	if len(i.Mentions) > 0 {
		put.Set("mentions", i.Mentions)
	}
	if i.Score != nil {
		put.Set("score", *i.Score)
	}
	return put
}

// joinThread counts a reply in its root and, for one of the first three, stores
// its id there.
func (r *Repository) joinThread(reply, root row) *store.Update {
	id := reply.at.ID.String()
	update := r.table.Update(root.key()).Add("replies", 1).Add("rows", 1).Add("ver", 1).If(open)
	if !reply.rest {
		return update.Add("first", []string{id}).
			If("attribute_not_exists('more') AND (attribute_not_exists('first') OR size('first') < ?)", firstRows)
	}
	if root.More {
		update.If("attribute_exists('more')")
	} else {
		update.Set("more", true)
		for _, first := range root.First { // the reply comes after these
			update.If("contains('first', ?)", first)
		}
	}
	root.setNext(update, reply.at.ID, true)
	return update.If("NOT contains('first', ?)", id)
}
