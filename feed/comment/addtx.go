package comment

import (
	"slices"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/store"
)

// firstRows is how many replies of a thread lie where pages of roots read.
const firstRows = 3

const (
	forgotten = "attribute_not_exists(pk) OR 'ttl' <= ?" // as of now
	open      = "attribute_exists(pk) AND attribute_not_exists('hidden') AND attribute_not_exists('removed')"
)

// addTx stores c among what is around it.
func (r *Repository) addTx(c Comment, around map[At]row) (row, store.Write) {
	t, now, hash := r.table, r.opts.Now().Unix(), c.hash()
	stored, root := newRow(c), around[c.At().root()]
	taken := slices.Contains(root.First, c.ID.String()) // then the row there tells
	stored.rest = c.Root != 0 && (root.More || len(root.First) >= firstRows) && !taken
	stored.ParentRest = around[c.parent()].rest
	if c.Quote != nil {
		stored.Quote = &quoteItem{Root: c.Quote.Root, ID: c.Quote.ID, Rest: around[c.Quote.At].rest}
	}
	ranked := c.Root == 0 && r.opts.Score != nil
	if ranked {
		stored.Score = new(int64)
	}
	key := stored.key()
	stored.PK, stored.SK = key.PK, key.SK

	header := t.Update(headerKey(c.Object)).Add("n", 1)
	if c.Root == 0 {
		header.Add("roots", 1)
	}
	own := ownItem{PK: ownPK(c.User), ID: c.ID, Object: c.Object, Root: c.Root, Rest: stored.rest, Hash: hash}
	tx := t.Tx().
		Put(t.Put(own).If(forgotten, now)).
		Put(t.Put(stored).If(forgotten, now)).
		Update(header)
	if c.Root != 0 {
		tx.Update(r.joinThread(stored, root))
	}
	if parent, ok := stored.parentKey(); ok {
		tx.Update(t.Update(parent).Add("answers", 1).Add("rows", 1).Add("ver", 1).If(open))
	}
	if c.Quote != nil && c.Quote.At != c.parent() {
		tx.Check(t.Check(around[c.Quote.At].key()).If(open))
	}
	if c.Key != "" {
		guard := keyKey(c.User, c.Key)
		item := keyItem{PK: guard.PK, SK: guard.SK, Object: c.Object, Root: c.Root, ID: c.ID, Hash: hash, TTL: r.forgotten()}
		tx.Put(t.Put(item).If(forgotten, now))
	}
	if ranked {
		place := scoreKey(stored.at, 0)
		tx.Put(t.Put(scoreItem{PK: place.PK, SK: place.SK}))
	}
	return stored, tx
}

// joinThread counts a reply in its root, where the first three replies lie
// apart.
func (r *Repository) joinThread(reply, root row) *dynamo.Update {
	id := reply.at.ID.String()
	update := r.table.Update(root.key()).Add("replies", 1).Add("rows", 1).Add("ver", 1).If(open)
	if !reply.rest {
		return update.AddStringsToSet("first", id).
			If("attribute_not_exists('more') AND (attribute_not_exists('first') OR size('first') < ?)", firstRows)
	}
	if root.More {
		update.If("attribute_exists('more')")
	} else {
		update.Set("more", true)
		for _, first := range root.First { // those that it comes after
			update.If("contains('first', ?)", first)
		}
	}
	root.setNext(update, reply.at.ID, true)
	return update.If("NOT contains('first', ?)", id)
}
