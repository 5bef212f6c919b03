package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/plaza-sdk/plaza"
)

// Feature is what a table is for and what it needs.
type Feature struct {
	Name    string
	Format  int // the version of the stored format
	Schema  func(table string) *dynamodb.CreateTableInput
	Expires bool // its items have an expiry
}

// marker is the item ~ / ~, which says what feature the table belongs to.
type marker struct {
	PK      string `dynamo:"pk"`
	SK      string `dynamo:"sk"`
	Feature string `dynamo:"feature"`
	Format  int    `dynamo:"format"`
}

var markerKey = Key{"~", "~"}

// Verify compares the table's keys, indexes and expiry with what f needs and, if
// Init marked the table, the feature too. A difference is plaza.ErrTable. A wrong
// clock is a *plaza.ClockError; of an engine whose answers have no Date, it is not
// noticed.
//
// Cost: 3 requests, 0.5 RCU; where f has no expiry 2 requests, 0.5 RCU.
func (t *Table) Verify(ctx context.Context, f Feature) error {
	if err := t.Dated().verify(ctx, f); err != nil {
		return err
	}
	return t.CheckClock(ctx)
}

func (t *Table) verify(ctx context.Context, f Feature) error {
	if err := t.verifySchema(ctx, f.Schema(t.name)); err != nil {
		return err
	}
	if f.Expires {
		if err := t.verifyExpiry(ctx); err != nil {
			return err
		}
	}
	var found marker
	err := t.Get(ctx, markerKey, false, &found)
	if errors.Is(err, plaza.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return t.compare(f, found)
}

// Init is Verify, and marks the table as f's.
//
// Cost: as Verify, and 1 request, 1 WCU.
func (t *Table) Init(ctx context.Context, f Feature) error {
	if err := t.Verify(ctx, f); err != nil {
		return err
	}
	mark := marker{PK: markerKey.PK, SK: markerKey.SK, Feature: f.Name, Format: f.Format}
	err := t.Run(ctx, t.Put(mark).If("attribute_not_exists(pk)"))
	refused, ok := AsRefused(err)
	if !ok {
		return err
	}
	item, _ := refused.At(0)
	var found marker
	if err := t.Decode(item, &found); err != nil {
		return err
	}
	return t.compare(f, found)
}

func (t *Table) compare(f Feature, found marker) error {
	switch {
	case found.Feature != f.Name:
		return t.wrong("is the table of %s, not of %s", found.Feature, f.Name)
	case found.Format > f.Format:
		return t.wrong("has format %d, and this program knows %d", found.Format, f.Format)
	}
	return nil
}

func (t *Table) verifySchema(ctx context.Context, want *dynamodb.CreateTableInput) error {
	out, err := ask(ctx, t, t.db.Client().DescribeTable, &dynamodb.DescribeTableInput{TableName: &t.name})
	if err != nil {
		return err
	}
	have := out.Table
	if have.MultiRegionConsistency == types.MultiRegionConsistencyStrong {
		return t.wrong("is a global table with strong consistency, which has no transactions")
	}
	kinds := map[string]types.ScalarAttributeType{}
	for _, d := range have.AttributeDefinitions {
		kinds[*d.AttributeName] = d.AttributeType
	}
	for _, d := range want.AttributeDefinitions {
		if kind := kinds[*d.AttributeName]; kind != d.AttributeType {
			return t.wrong("has attribute %s of type %q, not %q", *d.AttributeName, kind, d.AttributeType)
		}
	}
	if !sameKeys(have.KeySchema, want.KeySchema) {
		return t.wrong("has another key than pk, sk")
	}
	found := map[string]index{}
	for _, i := range have.GlobalSecondaryIndexes {
		found[*i.IndexName] = index{i.KeySchema, i.Projection}
	}
	for _, i := range have.LocalSecondaryIndexes {
		found[*i.IndexName] = index{i.KeySchema, i.Projection}
	}
	for _, i := range want.GlobalSecondaryIndexes {
		if err := t.verifyIndex(found, *i.IndexName, index{i.KeySchema, i.Projection}); err != nil {
			return err
		}
	}
	for _, i := range want.LocalSecondaryIndexes {
		if err := t.verifyIndex(found, *i.IndexName, index{i.KeySchema, i.Projection}); err != nil {
			return err
		}
	}
	return nil
}

// index is what a global and a local index have in common.
type index struct {
	keys       []types.KeySchemaElement
	projection *types.Projection
}

func (t *Table) verifyIndex(found map[string]index, name string, want index) error {
	have, ok := found[name]
	if !ok {
		return t.wrong("lacks the index %s", name)
	}
	if !sameKeys(have.keys, want.keys) || !carries(have.projection, want.projection) {
		return t.wrong("has another index %s: other keys, or it lacks attributes", name)
	}
	return nil
}

func sameKeys(a, b []types.KeySchemaElement) bool {
	return slices.EqualFunc(a, b, func(a, b types.KeySchemaElement) bool {
		return *a.AttributeName == *b.AttributeName && a.KeyType == b.KeyType
	})
}

// carries reports whether an index has the attributes that are needed.
func carries(have, need *types.Projection) bool {
	if have.ProjectionType == types.ProjectionTypeAll {
		return true
	}
	for _, attribute := range need.NonKeyAttributes {
		if !slices.Contains(have.NonKeyAttributes, attribute) {
			return false
		}
	}
	return true
}

func (t *Table) verifyExpiry(ctx context.Context) error {
	out, err := ask(ctx, t, t.db.Client().DescribeTimeToLive, &dynamodb.DescribeTimeToLiveInput{TableName: &t.name})
	if err != nil {
		return err
	}
	d := out.TimeToLiveDescription
	switch {
	case d.TimeToLiveStatus != types.TimeToLiveStatusEnabled && d.TimeToLiveStatus != types.TimeToLiveStatusEnabling:
		return t.wrong("has no expiry: the feature's TTL function switches it on")
	case d.AttributeName == nil || *d.AttributeName != ttl:
		return t.wrong("expires by another attribute than %s", ttl)
	}
	return nil
}

func (t *Table) wrong(format string, args ...any) error {
	return fmt.Errorf("table %s: %w: it %s", t.name, plaza.ErrTable, fmt.Sprintf(format, args...))
}
