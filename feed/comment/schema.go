package comment

import (
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Table returns the schema of a table with that name.
func Table(name string) *dynamodb.CreateTableInput { return store.Schema(name) }

// TTL returns the request that turns on expiry, of Keys and of the ids of removed
// comments.
func TTL(name string) *dynamodb.UpdateTimeToLiveInput { return store.TTL(name) }

func feature() store.Feature {
	return store.Feature{Name: "comment", Format: 1, Schema: Table, Expires: true}
}

//go:generate rm -f row_gen.go
//go:generate go test -run TestTheCodeOfRowsIsGenerated -write

// row is a comment: T#object / id in the object's own list, F#object / root#id
// among the first replies of a thread, R#object#root / id among the rest. It
// never moves.
type row struct {
	PK         string     `dynamo:"pk"`
	SK         string     `dynamo:"sk"`
	User       string     `dynamo:"user,omitempty"` // Erase removes it from tombstones
	Text       string     `dynamo:"text,omitempty" role:"content"`
	Parent     ids.ID     `dynamo:"parent,omitempty"`
	ParentRest bool       `dynamo:"parentRest,omitempty"` // the parent lies among the rest
	Quote      *quoteItem `dynamo:"quote,omitempty" role:"content"`
	Mentions   []string   `dynamo:"mentions,omitempty" role:"content"`
	Data       string     `dynamo:"data,omitempty" role:"content"`
	Edited     time.Time  `dynamo:"edited,omitempty" role:"cleared"`
	Score      *int64     `dynamo:"score,omitempty" role:"cleared"` // its score in Top

	Hidden  bool         `dynamo:"hidden,omitempty"`
	Removed *removalItem `dynamo:"removed,omitempty" role:"removal"`
	TTL     int64        `dynamo:"ttl,omitempty"` // of a removed leaf: no list shows it, but it guards the id

	// Replies counts the visible replies of a root's thread. Answers counts the
	// visible comments that name this one as Parent and are not in Replies. Rows
	// counts all that are stored, of both.
	Replies int64 `dynamo:"replies,omitempty" role:"counter"`
	Answers int64 `dynamo:"answers,omitempty" role:"counter"`
	Rows    int64 `dynamo:"rows,omitempty" role:"counter"`

	First []string `dynamo:"first,set,omitempty"` // the ids of a root's first replies
	More  bool     `dynamo:"more,omitempty"`      // there are or were further ones
	Next  []ids.ID `dynamo:"next,omitempty"`      // the first visible ones of the rest, see next.go
	Past  ids.ID   `dynamo:"past,omitempty"`      // the id up to which Next is complete

	Ver int64 `dynamo:"ver,omitempty"` // raised by every write but edits and notes

	// If the caller gave the id, these begin with the Add, because an erased comment
	// may have had the id.
	Edit        store.Mark `dynamo:"edit,omitempty"`
	EditBefore  store.Mark `dynamo:"editBefore,omitempty"`
	Hide        store.Mark `dynamo:"hide,omitempty"`
	HideBefore  store.Mark `dynamo:"hideBefore,omitempty"`
	Place       store.Mark `dynamo:"place,omitempty"` // of UpdateScore
	PlaceBefore store.Mark `dynamo:"placeBefore,omitempty"`

	// Not stored; set when the row is read.
	at         Address
	rest       bool
	rootHidden bool
	damaged    error // the error if it or its root is damaged
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

func newRow(c Comment) row {
	return row{User: c.User, Text: c.Text, Parent: c.Parent, Mentions: c.Mentions, Data: string(c.Data), at: c.Address()}
}

// comment fills in only the address of the quote.
func (i row) comment() Comment {
	c := Comment{
		Object: i.at.Object, Root: i.at.Root, ID: i.at.ID, Parent: i.Parent,
		User: i.User, Text: i.Text, Mentions: i.Mentions,
		EditedAt: i.Edited, Replies: i.Replies + i.Answers, Hidden: i.Hidden || i.rootHidden, Removed: i.Removed.removal(),
	}
	if i.Data != "" {
		c.Data = []byte(i.Data)
	}
	if i.Quote != nil {
		c.Quote = &Quote{Address: i.quoted()}
	}
	return c
}

func (i row) key() store.Key { return i.at.key(i.rest) }

func (i row) quoted() Address {
	return Address{Object: i.at.Object, Root: i.Quote.Root, ID: i.Quote.ID}
}

// parentKey is the key of the parent, unless that is the root.
func (i row) parentKey() (key store.Key, ok bool) {
	parent := Address{Object: i.at.Object, Root: i.at.Root, ID: i.Parent}
	return parent.key(i.ParentRest), i.Parent != 0 && i.Parent != i.at.Root
}

// counts returns 1, or 0 if the row itself is hidden or removed.
func (i row) counts() int64 {
	if i.Hidden || i.Removed != nil {
		return 0
	}
	return 1
}

func (i *row) lastEdit() store.Last  { return store.Last{Mark: i.Edit, Before: i.EditBefore} }
func (i *row) lastHide() store.Last  { return store.Last{Mark: i.Hide, Before: i.HideBefore} }
func (i *row) lastPlace() store.Last { return store.Last{Mark: i.Place, Before: i.PlaceBefore} }

// headerItem is N#object / ~: the counts of an object.
type headerItem struct {
	N         int64      `dynamo:"n"`
	Roots     int64      `dynamo:"roots"`
	Pinned    ids.ID     `dynamo:"pinned"`
	Pin       store.Mark `dynamo:"pin"` // begins with the Add that created the header
	PinBefore store.Mark `dynamo:"pinBefore"`
}

func (i *headerItem) lastPin() store.Last { return store.Last{Mark: i.Pin, Before: i.PinBefore} }

func headerKey(object string) store.Key { return store.Key{PK: keys.Join(headers, object), SK: "~"} }

// ownItem is M#user / id: a comment of a user. It guards the id, even after the
// comment is Removed: as long as there is a tombstone, or until TTL. Without a
// Hash the comment was deleted before it was added.
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

func (i ownItem) at() Address { return Address{Object: i.Object, Root: i.Root, ID: i.ID} }

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

func (i keyItem) at() Address { return Address{Object: i.Object, Root: i.Root, ID: i.ID} }

func keyPK(user string) string { return keys.Join("K", user) }

func keyKey(user, key string) store.Key { return store.Key{PK: keyPK(user), SK: key} }

// scoreItem is S#object / score#id: a place in Top.
type scoreItem struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`

	id ids.ID
}

func scorePK(object string) string { return keys.Join("S", object) }

func scoreKey(at Address, score int64) store.Key {
	return store.Key{PK: scorePK(at.Object), SK: scoreSK(score, at.ID.String())}
}

// scoreSK sorts by score, then by id.
func scoreSK(score int64, id string) string {
	return keys.Join(fmt.Sprintf("%016x", uint64(score)^1<<63), id)
}

func (i row) shown(withHidden bool) bool {
	return i.TTL == 0 && (withHidden || !i.Hidden && !i.rootHidden)
}

func (i row) expired(now int64) bool { return i.TTL != 0 && i.TTL <= now }

// visible reports whether the row is shown and is no tombstone.
func (i row) visible(withHidden bool) bool { return i.shown(withHidden) && i.Removed == nil }

// asSeen is the condition that an attribute is there, or that it is not.
func asSeen(attribute string, there bool) string {
	if there {
		return "attribute_exists('" + attribute + "')"
	}
	return "attribute_not_exists('" + attribute + "')"
}

// atVersion is the condition that a row has the version that was read, 0 if it
// has none.
func atVersion(ver int64) string {
	if ver == 0 {
		return "attribute_exists(pk) AND (attribute_not_exists('ver') OR 'ver' = ?)"
	}
	return "'ver' = ?"
}
