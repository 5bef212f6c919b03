package poller

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Table returns the schema of a table with that name, for the leases of a Poller's groups.
func Table(name string) *dynamodb.CreateTableInput { return store.Schema(name) }

func feature() store.Feature {
	return store.Feature{Name: "stream", Format: 1, Schema: Table}
}

// Verify checks the key schema of the table of leases and the mark that Init
// left. Any difference is plaza.ErrTable, a wrong clock a *plaza.ClockError.
//
// Cost: 2 requests, 0.5 RCU.
func (p *Poller) Verify(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "stream/poller.Poller.Verify")
	return p.leases.table.Verify(ctx, feature())
}

// Init verifies the table and marks it as one of pollers' leases, so that no other feature uses
// it. Call it once, after the table is created.
//
// Cost: 3 requests, 0.5 RCU, 1 WCU.
func (p *Poller) Init(ctx context.Context) error {
	ctx = plaza.WithOperation(ctx, "stream/poller.Poller.Init")
	return p.leases.table.Init(ctx, feature())
}
