package folder

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/fold"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Name names a period of a board.
type Name struct{ Board, Period string }

// Everything that is published of a period is under R#board#period.
const prefix = "R"

// PublishedPrefix begins the partition keys of everything that is published of a board.
func PublishedPrefix(board string) string { return keys.Join(prefix, board, "") }

// LeaderKey is R# / LEADER, the key of the lease of the table's folder. No board has that
// partition, because a board's name is not empty.
var LeaderKey = store.Key{PK: keys.Join(prefix, ""), SK: "LEADER"}

func (n Name) pk() string { return keys.Join(prefix, n.Board, n.Period) }

func (n Name) rootKey() store.Key { return store.Key{PK: n.pk(), SK: "ROOT"} }

func (n Name) orderKey() store.Key { return store.Key{PK: n.pk(), SK: "REPAIR"} }

func (n Name) blockKey(id fold.BlockID) store.Key { return store.Key{PK: n.pk(), SK: blockSK(id)} }

// blockSK sorts by Gen and N.
func blockSK(id fold.BlockID) string {
	return keys.Join("S", fmt.Sprintf("%020d", id.Gen), fmt.Sprintf("%020d", id.N))
}

// rootItem is R#board#period / ROOT, the last publication. Gen and Seq only grow, Seq
// within one Gen.
type rootItem struct {
	PK    string    `dynamo:"pk"`
	SK    string    `dynamo:"sk"`
	Fold  int64     `dynamo:"fold"` // as Boards.Fold
	Gen   uint64    `dynamo:"gen"`  // of the folder's lease
	Seq   uint64    `dynamo:"seq"`
	AsOf  time.Time `dynamo:"asOf"`
	Data  []byte    `dynamo:"data,omitempty"`
	Large bool      `dynamo:"large,omitempty"` // too large to be folded, so without data
	TTL   int64     `dynamo:"ttl,omitempty"`

	root *fold.Root // of Data
}

// CheckItem refuses what no folder put.
func (i *rootItem) CheckItem() error {
	switch {
	case i.Fold < 1 || i.Gen < 1 || i.Seq < 1:
		return errors.New("fold, gen or seq is invalid")
	case i.AsOf.IsZero():
		return errors.New("asOf is invalid")
	case i.Large == (len(i.Data) > 0):
		return errors.New("data and large contradict each other")
	case i.TTL < 0:
		return errors.New("ttl is out of bounds")
	case i.Large:
		return nil
	}
	var err error
	i.root, err = fold.ParseRoot(i.Data)
	return err
}

// version returns the two numbers by which a root is later than others, 0 if it is
// damaged.
func version(root dynamo.Item) (gen, seq uint64) {
	var i struct {
		Gen uint64 `dynamo:"gen"`
		Seq uint64 `dynamo:"seq"`
	}
	if store.UnmarshalItem(root, &i) != nil || i.Gen > math.MaxInt64 { // no lease has that
		return 0, 0
	}
	return i.Gen, i.Seq
}

// blockItem is R#board#period / S#gen#n, a part of what a root refers to. It never
// changes.
type blockItem struct {
	PK   string `dynamo:"pk"`
	SK   string `dynamo:"sk"`
	Data []byte `dynamo:"data"`
	TTL  int64  `dynamo:"ttl,omitempty"`

	block *fold.Block // of Data
}

// CheckItem refuses what no folder put.
func (i *blockItem) CheckItem() (err error) {
	i.block, err = fold.ParseBlock(i.Data)
	return err
}

// orderItem is R#board#period / REPAIR, an order to read the period again.
type orderItem struct {
	PK  string `dynamo:"pk"`
	SK  string `dynamo:"sk"`
	ID  ids.ID `dynamo:"id"`
	TTL int64  `dynamo:"ttl,omitempty"`
}

// CheckItem refuses what Order did not put.
func (i *orderItem) CheckItem() error {
	if i.ID == 0 {
		return errors.New("id is invalid")
	}
	return nil
}

// Order returns the write that makes the folder read a period again, and replace what it
// published. An order that expires has a ttl.
func Order(t *store.Table, n Name, id ids.ID, ttl int64) *store.Put {
	key := n.orderKey()
	return t.Put(orderItem{PK: key.PK, SK: key.SK, ID: id, TTL: ttl})
}
