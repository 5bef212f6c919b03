package comment

import (
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Table is the schema of the table name.
func Table(name string) *dynamodb.CreateTableInput { return store.Schema(name) }

// TTL switches on the expiry of keys and of what is known of removed comments.
func TTL(name string) *dynamodb.UpdateTimeToLiveInput { return store.TTL(name) }

func feature() store.Feature {
	return store.Feature{Name: "comment", Format: 1, Schema: Table, Expires: true}
}

// row is a comment: T#object / id in the object's own list, F#object / root#id
// among the first replies of a thread, R#object#root / id among the rest. It
// never moves.
type row struct {
	PK         string     `dynamo:"pk"`
	SK         string     `dynamo:"sk"`
	User       string     `dynamo:"user,omitempty"` // dropped from tombstones when erased
	Text       string     `dynamo:"text,omitempty"`
	Parent     ids.ID     `dynamo:"parent,omitempty"`
	ParentRest bool       `dynamo:"parentRest,omitempty"` // the parent is a reply among the rest
	Quote      *quoteItem `dynamo:"quote,omitempty"`
	Mentions   []string   `dynamo:"mentions,omitempty"`
	Data       string     `dynamo:"data,omitempty"`
	Edited     time.Time  `dynamo:"edited,omitempty"`
	Score      *int64     `dynamo:"score,omitempty"` // where it stands in Top

	Hidden  bool         `dynamo:"hidden,omitempty"`
	Removed *removalItem `dynamo:"removed,omitempty"`
	TTL     int64        `dynamo:"ttl,omitempty"` // of a removed leaf, which no list shows: it guards the id

	// Replies are those of a root's thread, Answers those that name this one
	// as Parent and are not in Replies: neither hidden nor removed. Rows are
	// all of both that are stored.
	Replies int64 `dynamo:"replies,omitempty"`
	Answers int64 `dynamo:"answers,omitempty"`
	Rows    int64 `dynamo:"rows,omitempty"`

	First []string `dynamo:"first,set,omitempty"` // the ids of a root's first replies
	More  bool     `dynamo:"more,omitempty"`      // and there have been further ones
	Next  []ids.ID `dynamo:"next,omitempty"`      // the first of those that stand, see first.go
	Past  ids.ID   `dynamo:"past,omitempty"`      // where they end

	Ver  int64 `dynamo:"ver,omitempty"`  // raised by all but edits
	Turn int64 `dynamo:"turn,omitempty"` // raised by Hide, Unhide and Rank, of which each follows one

	// The last edit, and the one before it, by an id of its own.
	EditOp     ids.ID `dynamo:"editOp,omitempty"`
	EditBefore ids.ID `dynamo:"editBefore,omitempty"`

	// What the reader knows of it.
	at      At
	rest    bool
	under   bool  // its root is hidden
	damaged error // it, or its root, cannot be read
}

type quoteItem struct {
	Root ids.ID `dynamo:"root,omitempty"`
	ID   ids.ID `dynamo:"id"`
	Rest bool   `dynamo:"rest,omitempty"`
}

type removalItem struct {
	By     string    `dynamo:"by,omitempty"`
	Reason string    `dynamo:"reason,omitempty"`
	At     time.Time `dynamo:"at"`
}

func (r *removalItem) removal() *Removal {
	if r == nil {
		return nil
	}
	return &Removal{By: r.By, Reason: r.Reason, At: r.At}
}

func objectPK(object string) string { return keys.Join("T", object) }
func firstPK(object string) string  { return keys.Join("F", object) }
func restPK(root At) string         { return keys.Join("R", root.Object, root.ID.String()) }

func newRow(c Comment) row {
	return row{User: c.User, Text: c.Text, Parent: c.Parent, Mentions: c.Mentions, Data: string(c.Data), at: c.At()}
}

// comment has the address of its quote alone.
func (i row) comment() Comment {
	c := Comment{
		Object: i.at.Object, Root: i.at.Root, ID: i.at.ID, Parent: i.Parent,
		User: i.User, Text: i.Text, Mentions: i.Mentions,
		EditedAt: i.Edited, Replies: i.Replies + i.Answers, Hidden: i.Hidden || i.under, Removed: i.Removed.removal(),
	}
	if i.Data != "" {
		c.Data = []byte(i.Data)
	}
	if i.Quote != nil {
		c.Quote = &Quote{At: i.quoted()}
	}
	return c
}

func (i row) key() store.Key { return i.at.key(i.rest) }

func (i row) quoted() At { return At{Object: i.at.Object, Root: i.Quote.Root, ID: i.Quote.ID} }

// parent is where the parent's key is, unless that is the root.
func (i row) parentKey() (key store.Key, ok bool) {
	parent := At{Object: i.at.Object, Root: i.at.Root, ID: i.Parent}
	return parent.key(i.ParentRest), i.Parent != 0 && i.Parent != i.at.Root
}

// counts is 1 for what is neither hidden nor removed itself.
func (i row) counts() int64 {
	if i.Hidden || i.Removed != nil {
		return 0
	}
	return 1
}

// headerItem is N#object / ~: the counts of an object.
type headerItem struct {
	N      int64  `dynamo:"n"`
	Roots  int64  `dynamo:"roots"`
	Pinned ids.ID `dynamo:"pinned"`
	PinOp  ids.ID `dynamo:"pinOp"` // of the last Pin or Unpin
}

func headerKey(object string) store.Key { return store.Key{PK: keys.Join("N", object), SK: "~"} }

// ownItem is M#user / id: a comment of a user. It guards the id, also once the
// comment is Removed: as long as a tombstone stands, or until TTL. Without a
// Hash the comment was deleted before it was there.
type ownItem struct {
	PK      string       `dynamo:"pk"`
	ID      ids.ID       `dynamo:"sk"`
	Object  string       `dynamo:"object"`
	Root    ids.ID       `dynamo:"root,omitempty"`
	Rest    bool         `dynamo:"rest,omitempty"`
	Hash    []byte       `dynamo:"hash,omitempty"` // of what was added
	Removed *removalItem `dynamo:"removed,omitempty"`
	TTL     int64        `dynamo:"ttl,omitempty"`
}

func (i ownItem) at() At { return At{Object: i.Object, Root: i.Root, ID: i.ID} }

func ownPK(user string) string { return keys.Join("M", user) }

func ownKey(user string, id ids.ID) store.Key { return store.Key{PK: ownPK(user), SK: id.String()} }

// keyItem is K#user / key: the comment that was added with the key.
type keyItem struct {
	PK     string `dynamo:"pk"`
	SK     string `dynamo:"sk"`
	Object string `dynamo:"object"`
	Root   ids.ID `dynamo:"root,omitempty"`
	ID     ids.ID `dynamo:"id"`
	Hash   []byte `dynamo:"hash"`
	TTL    int64  `dynamo:"ttl"`
}

func (i keyItem) at() At { return At{Object: i.Object, Root: i.Root, ID: i.ID} }

func keyPK(user string) string { return keys.Join("K", user) }

func keyKey(user, key string) store.Key { return store.Key{PK: keyPK(user), SK: key} }

// scoreItem is S#object / score#id: a place in Top.
type scoreItem struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`

	id ids.ID
}

func scorePK(object string) string { return keys.Join("S", object) }

func scoreKey(at At, score int64) store.Key {
	return store.Key{PK: scorePK(at.Object), SK: scoreSK(score, at.ID.String())}
}

// scoreSK is a score whose order as text is that of the numbers, then the id.
func scoreSK(score int64, id string) string {
	return keys.Join(fmt.Sprintf("%016x", uint64(score)^1<<63), id)
}
