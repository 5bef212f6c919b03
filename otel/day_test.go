package otel_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/meter"
	"github.com/plaza-sdk/plaza/otel"
	"github.com/plaza-sdk/plaza/plazatest"
	"github.com/plaza-sdk/plaza/tables"
)

// A day of ten users at once, on a real engine.
func TestUnitsAndDollarsAreTheMeters(t *testing.T) {
	t.Parallel()
	env := plazatest.Start(t, &plazatest.Options{Tables: tables.Names{Follow: "follow", Feed: "feed"}})
	w, costs := newWorld(t, otel.Options{}), meter.New()
	cfg := w.attach(env.Config)
	costs.Attach(&cfg)
	gen, err := ids.New(1, nil)
	require.NoError(t, err)
	db := dynamo.New(cfg)
	follows, err := follow.New(db, env.Tables.Follow, gen, nil)
	require.NoError(t, err)
	feeds, err := feed.New(db, env.Tables.Feed, gen, follows, &feed.Options{OnAttempt: w.Feed, OnCorrupt: w.Corrupt})
	require.NoError(t, err)

	const users = 10
	var day sync.WaitGroup
	for i := range users {
		day.Go(func() {
			user := fmt.Sprint("user", i)
			_, err := feeds.Home(user).Follow(t.Context(), "ann", nil)
			assert.NoError(t, err)
			_, _, err = feeds.Outbox(user).Publish(t.Context(), feed.Activity{Actor: feed.Ref{ID: user}, Verb: "post", Object: feed.Ref{ID: "photo"}})
			assert.NoError(t, err)
			_, err = feeds.Home(user).List(t.Context(), cursor.PageRequest{Limit: 10})
			assert.NoError(t, err)
		})
	}
	day.Wait()

	byOperation := costs.ByOperation()
	require.Equal(t, env.Meter.ByOperation(), byOperation, "what AWS would bill")
	require.Len(t, byOperation, 3)
	requests, dollars := w.sum(t, "plaza.requests", "plaza.operation"), w.sum(t, "plaza.dollars", "plaza.operation")
	read := w.sum(t, "plaza.units", "plaza.operation", attribute.String("plaza.units.kind", "read"))
	write := w.sum(t, "plaza.units", "plaza.operation", attribute.String("plaza.units.kind", "write"))
	for operation, cost := range byOperation {
		measured := meter.Cost{Requests: int(requests[operation]), Read: read[operation], Write: write[operation]}
		require.Equal(t, cost, measured, operation)
		require.InDelta(t, cost.Dollars(meter.USEast1()), dollars[operation], 1e-12, operation)
	}
	require.Equal(t, map[string]float64{"plaza.result=done plaza.worker=feed": users}, w.counts(t, "plaza.attempts"), "each was delivered inline")

	spans := 0.0
	for _, n := range w.counts(t, "db.client.operation.duration") {
		spans += n
	}
	require.Len(t, w.spans.GetSpans(), int(spans))
	for _, s := range w.spans.GetSpans() {
		require.NotContains(t, s.Name+attributes(s.Attributes), "user")
	}
	for _, name := range []string{"plaza.requests", "plaza.units", "plaza.dollars", "plaza.attempts", "plaza.lag", "db.client.operation.duration"} {
		require.NotEmpty(t, w.points(t, name), name)
		for of := range w.counts(t, name) {
			require.NotContains(t, of, "user")
		}
	}
}
