package danmu_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/danmu"
	"github.com/plaza-sdk/plaza/danmu/format"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/ratelimit"
)

func TestEverySentinelUnwrapsToAPlazaError(t *testing.T) {
	t.Parallel()
	all := []error{
		plaza.ErrInvalid, plaza.ErrForbidden, plaza.ErrNotFound, plaza.ErrConflict, plaza.ErrRemoved, plaza.ErrBusy,
		plaza.ErrUnavailable, plaza.ErrUnknownOutcome, plaza.ErrTable, plaza.ErrCorrupt,
	}
	for err, want := range map[error]error{
		danmu.ErrTooLate:   plaza.ErrForbidden,
		danmu.ErrInvalidID: plaza.ErrInvalid,
		danmu.ErrBroken:    plaza.ErrInvalid,
		format.ErrBroken:   plaza.ErrInvalid,
	} {
		for _, one := range all {
			require.Equal(t, one == want, errors.Is(err, one), "%v is %v", err, one)
		}
	}
}

func TestVerifyRefusesOtherTables(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	require.ErrorIs(t, w.Verify(t.Context()), plaza.ErrTable, "it has no expiry")
	_, err := dynamotest.DB(t).Client().UpdateTimeToLive(t.Context(), danmu.TTL(w.table))
	require.NoError(t, err)
	meter := dynamotest.NewMeter()
	w = w.process(t, nil, meter.Wrap)
	for range 2 {
		meter.AtMost(t, "verify", dynamotest.Cost{Requests: 3, Read: 0.5}, func() { require.NoError(t, w.Verify(t.Context())) })
		meter.AtMost(t, "init", dynamotest.Cost{Requests: 4, Read: 0.5, Write: 1}, func() { require.NoError(t, w.Init(t.Context())) })
	}
	w.at(t, 1)
	require.Len(t, w.window(t, 0, 2, nil), 1)
	for name, value := range map[string]any{"feature": "follow", "format": 2} {
		require.NoError(t, w.raw(t).Update("pk", "~").Range("sk", "~").Set(name, value).Run(t.Context()))
		for _, call := range []func(context.Context) error{w.Verify, w.Init} {
			require.ErrorIs(t, call(t.Context()), plaza.ErrTable)
		}
		require.NoError(t, w.raw(t).Update("pk", "~").Range("sk", "~").Set("feature", "danmu").Set("format", 1).Run(t.Context()))
	}

	// A table without the index.
	plain := world{table: dynamotest.Table(t, withoutIndex), source: w.source}
	_, err = dynamotest.DB(t).Client().UpdateTimeToLive(t.Context(), danmu.TTL(plain.table))
	require.NoError(t, err)
	require.ErrorIs(t, plain.process(t, nil).Verify(t.Context()), plaza.ErrTable)

}

func withoutIndex(name string) *dynamodb.CreateTableInput {
	in := danmu.Table(name)
	in.GlobalSecondaryIndexes, in.AttributeDefinitions = nil, in.AttributeDefinitions[:2]
	return in
}

func TestBadOptionsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	db := dynamotest.DB(t)
	failed := callstest.Failed
	with := func(o danmu.Options) error { return failed(danmu.New(db, w.table, w, &o)) }
	callstest.RequireInvalid(t, map[string]invalid{
		"1001 runes":            {"Options.MaxRunes", with(danmu.Options{MaxRunes: 1001})},
		"sizes from 65":         {"Options.MinSize", with(danmu.Options{MinSize: 65})},
		"hidden at -1":          {"Options.HideAt", with(danmu.Options{HideAt: -1})},
		"a negative refresh":    {"Options.Refresh", with(danmu.Options{Refresh: -1})},
		"a negative cache":      {"Options.Cache", with(danmu.Options{Cache: -1})},
		"a consistent cache":    {"Options.Cache", with(danmu.Options{Cache: time.Second, Consistent: true})},
		"a negative cache size": {"Options.CacheSize", with(danmu.Options{CacheSize: -1})},
		"a negative burst":      {"Rate.Burst", with(danmu.Options{Rate: ratelimit.Rate{Burst: -1}})},
		"two limits":            {"Options.Limiter", with(danmu.Options{Limiter: ratelimit.Unlimited{}, SharedRate: true})},
		"no db":                 {"db", failed(danmu.New(nil, w.table, w, nil))},
		"no table":              {"table", failed(danmu.New(db, "", w, nil))},
		"no ids":                {"gen", failed(danmu.New(db, w.table, nil, nil))},
	})

	missing, err := danmu.New(db, "not-there", w, nil)
	require.NoError(t, err)
	_, _, err = missing.Send(t.Context(), danmu.Comment{Object: "v", User: "ann", Text: "x"})
	require.ErrorIs(t, err, plaza.ErrTable)
	_, err = missing.Window(t.Context(), "v", 0, 1, nil)
	require.ErrorIs(t, err, plaza.ErrTable)
}

func TestAnEndedContextSendsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := w.Send(ctx, danmu.Comment{Object: "v", User: "ann", Text: "x"})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, w.items(t, ""))
}
