package lease

import (
	"errors"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Table is the schema of the table. Its items, at most 16384 small ones, never
// expire: what they remember keeps ids apart.
func Table(name string) *dynamodb.CreateTableInput { return store.Schema(name) }

// item says who has a machine number. Each taker raises Gen; Until only
// shrinks when its owner gives the number back.
type item struct {
	PK    string `dynamo:"pk"`
	SK    string `dynamo:"sk"`
	Owner string `dynamo:"owner,omitempty"` // empty: given back
	Gen   uint64 `dynamo:"gen"`
	Until int64  `dynamo:"until"` // Unix ms, of the last id the owner may make
}

// UnmarshalDynamoItem refuses what does not say until when ids were made.
func (i *item) UnmarshalDynamoItem(stored dynamo.Item) error {
	type plain item
	if err := dynamo.UnmarshalItem(stored, (*plain)(i)); err != nil {
		return err
	}
	if stored["until"] == nil || i.Gen == 0 || i.Until < 0 {
		return errors.New("it has no gen, or no until")
	}
	return nil
}

func feature() store.Feature { return store.Feature{Name: "lease", Format: 1, Schema: Table} }

func keyOf(machine uint16) store.Key {
	return store.Key{PK: keys.Join("M", strconv.Itoa(int(machine))), SK: "LEASE"}
}
