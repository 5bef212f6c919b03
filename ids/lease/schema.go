package lease

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

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

func keyOf(machine uint16) store.Key {
	return store.Key{PK: keys.Join("M", strconv.Itoa(int(machine))), SK: "LEASE"}
}
