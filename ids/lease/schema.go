package lease

import (
	"errors"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Table returns the schema of a table with that name. Its items, at most 16,384
// small ones, never expire: they keep ids unique.
func Table(name string) *dynamodb.CreateTableInput { return store.Schema(name) }

// item is M#machine / LEASE: the holder of a machine number. Each new holder raises
// Gen. Until shrinks only when the owner gives the number back.
type item struct {
	PK    string `dynamo:"pk"`
	SK    string `dynamo:"sk"`
	Owner string `dynamo:"owner,omitempty"` // empty: given back
	Gen   uint64 `dynamo:"gen"`
	Until int64  `dynamo:"until"` // Unix ms; the owner makes no later id
}

// UnmarshalDynamoItem refuses an item without the time until which ids were made.
func (i *item) UnmarshalDynamoItem(stored dynamo.Item) error {
	if err := store.UnmarshalItem(stored, i); err != nil {
		return err
	}
	if stored["until"] == nil || i.Gen == 0 || i.Until < 0 {
		return errors.New("it has no gen or no until")
	}
	return nil
}

func feature() store.Feature { return store.Feature{Name: "lease", Format: 1, Schema: Table} }

func keyOf(machine uint16) store.Key {
	return store.Key{PK: keys.Join("M", strconv.Itoa(int(machine))), SK: "LEASE"}
}
