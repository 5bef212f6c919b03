package stream

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Table is the schema of the table name, which holds the leases of pollers.
func Table(name string) *dynamodb.CreateTableInput { return store.Schema(name) }

func feature() store.Feature {
	return store.Feature{Name: "stream", Format: 1, Schema: Table}
}

// Verify compares the table of leases with what pollers need: its key schema, and
// the mark that Init left. plaza.ErrTable says what differs.
//
// Cost: 2 requests, 0.5 RCU.
func (p *Poller) Verify(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "stream.Poller.Verify")
	return p.leases.table.Verify(ctx, feature())
}

// Init is Verify, and marks the table as stream's. Call it once, after the table
// is created.
//
// Cost: 3 requests, 0.5 RCU, 1 WCU.
func (p *Poller) Init(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "stream.Poller.Init")
	return p.leases.table.Init(ctx, feature())
}
