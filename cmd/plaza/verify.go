package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/kit"
	"github.com/plaza-sdk/plaza/stream"
	"github.com/plaza-sdk/plaza/stream/letters"
	"github.com/plaza-sdk/plaza/stream/poller"
	"github.com/plaza-sdk/plaza/tables"
)

type verifyCommand struct {
	connecting
	Init bool `help:"Mark the tables that pass as their features', as Init does. Do this once, after you create the tables."`
	JSON bool `help:"Print one JSON object a line."`
}

// verified is a line of output.
type verified struct {
	Feature string `json:"feature"`
	Table   string `json:"table"`
	OK      bool   `json:"ok"`
	Error   string `json:"error,omitempty"`
}

func (v verified) String() string {
	if v.OK {
		return fmt.Sprintf("%s %s: ok", v.Feature, v.Table)
	}
	return fmt.Sprintf("%s %s: %s", v.Feature, v.Table, v.Error)
}

// Run prints a line for each table. A table that cannot be read is a finding too.
func (c *verifyCommand) Run(ctx context.Context, p *program) error {
	s, err := c.connect(ctx, p)
	if err != nil {
		return err
	}
	failed := false
	for _, t := range tables.Of(s.names) {
		v, err := s.verifier(t.Feature)
		switch {
		case err != nil:
		case c.Init:
			err = v.Init(ctx)
		default:
			if err = v.Verify(ctx); err == nil {
				err = s.marked(ctx, t.Name())
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		line := verified{Feature: t.Feature, Table: t.Name(), OK: err == nil}
		if err != nil {
			failed = true
			line.Error = err.Error()
		}
		p.print(line, c.JSON)
	}
	if failed {
		return errFound
	}
	return nil
}

var errUnmarked = errors.New("it is not marked as the feature's yet: run plaza verify --init")

// marked reports whether Init has marked a table, which Verify does not demand.
func (s *site) marked(ctx context.Context, name string) error {
	t, err := store.Open(s.db, name, nil, true)
	if err != nil {
		return err
	}
	err = t.Get(ctx, store.Key{PK: "~", SK: "~"}, false, new(dynamo.Item))
	if errors.Is(err, plaza.ErrNotFound) {
		return errUnmarked
	}
	return err
}

type verifier interface {
	Verify(ctx context.Context) error
	Init(ctx context.Context) error
}

// verifier returns the feature whose Verify knows the table. The table of announce,
// prefs and digest is notify's.
func (s *site) verifier(feature string) (verifier, error) {
	if f := kit.Feature(feature); slices.Contains(kit.Features(), f) {
		return kit.New(s.db, noIDs{}, &kit.Options{Names: s.names, Features: []kit.Feature{f}})
	}
	switch feature {
	case "machines":
		return lease.NewSource(s.db, s.names.Machines, nil)
	case "pollers":
		return s.poller()
	case "letters":
		return letters.New(s.db, s.names.Letters, "verify", nil)
	}
	return nil, fmt.Errorf("this version of the command does not know the feature %q", feature)
}

// poller is one that is never run.
func (s *site) poller() (*poller.Poller, error) {
	dead, err := letters.New(s.db, s.names.Pollers, "verify", nil)
	if err != nil {
		return nil, err
	}
	nothing := func(_ context.Context, records []stream.Record) []error { return make([]error, len(records)) }
	processor, err := stream.NewProcessor(nothing, dead, nil)
	if err != nil {
		return nil, err
	}
	streams := dynamodbstreams.NewFromConfig(aws.Config{})
	group := poller.Group{Table: s.names.Pollers, Stream: "arn:aws:dynamodb:::table/none/stream/none", Name: "verify"}
	return poller.New(s.db, streams, group, processor, nil)
}
