package stream

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/store"
)

// DeadSchema is the schema of the table name.
func DeadSchema(name string) *dynamodb.CreateTableInput { return store.Schema(name) }

// DeadTTL switches on the expiry of dead letters.
func DeadTTL(name string) *dynamodb.UpdateTimeToLiveInput { return store.TTL(name) }

// DeadTableOptions are the options of a DeadTable. The zero value works.
type DeadTableOptions struct {
	// Keep is how long letters are kept. Defaults to until they are deleted.
	Keep time.Duration

	// Codec writes cursors. Defaults to cursor.Plain.
	Codec cursor.Codec

	// OnCorrupt is called with each damaged item that a list leaves out.
	OnCorrupt func(*plaza.CorruptError)

	// Now is the clock by which letters expire. Defaults to time.Now.
	Now func() time.Time
}

// DeadTable keeps dead letters in a DynamoDB table.
type DeadTable struct{}

// NewDeadTable does no I/O. The consumer names whose letters these are.
func NewDeadTable(db *dynamo.DB, table, consumer string, opts *DeadTableOptions) (*DeadTable, error) {
	panic("TODO")
}

// Put stores a letter.
//
// Cost: 1 request, 1 WCU for each KB.
func (t *DeadTable) Put(ctx context.Context, d Dead) error { panic("TODO") }

// Delete removes a letter.
//
// Cost: 1 request, 1 WCU for each KB.
func (t *DeadTable) Delete(ctx context.Context, d Dead) error { panic("TODO") }

// List lists letters, oldest first.
//
// Cost: 1 request, 1 RCU for each 4 KB.
func (t *DeadTable) List(ctx context.Context, page cursor.PageRequest) (cursor.Page[Dead], error) {
	panic("TODO")
}

// Source reads the letters from the oldest, for Redrive.
func (t *DeadTable) Source() DeadSource { panic("TODO") }

// Verify compares the table with what it needs to be.
//
// Cost: 3 requests, 0.5 RCU.
func (t *DeadTable) Verify(ctx context.Context) error { panic("TODO") }

// Init is Verify, and marks the table.
//
// Cost: 4 requests, 0.5 RCU, 1 WCU.
func (t *DeadTable) Init(ctx context.Context) error { panic("TODO") }
