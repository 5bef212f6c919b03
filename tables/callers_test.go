package tables_test

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/ids/lease"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/grants"
	"github.com/plaza-sdk/plaza/tables"
)

// callers make every call of a feature, each in the narrowest role that may make it.
type callers map[tables.Role]caller

// features has what makes a feature's calls.
var features = map[string]func(*testing.T, *world, callers){
	"machines":    machines,
	"follow":      follows,
	"feed":        feeds,
	"comment":     comments,
	"reaction":    reactions,
	"leaderboard": leaderboards,
	"danmu":       danmus,
	"notify":      notifications,
	"message":     messages,
	"pollers":     pollers,
	"letters":     deadLetters,
}

// first is a page.
var first = cursor.PageRequest{Limit: 10}

// err2 and err3 return the error of a call with other results.
func err2[A any](_ A, err error) error { return err }

func err3[A, B any](_ A, _ B, err error) error { return err }

// ok returns the result of a call that does not fail.
func ok[A any](a A, err error) func(*testing.T) A {
	return func(t *testing.T) A {
		t.Helper()
		require.NoError(t, err)
		return a
	}
}

// all fails the test at the first error.
func all(t *testing.T, errs ...error) {
	t.Helper()
	for i, err := range errs {
		require.NoError(t, err, "call %d", i)
	}
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func TestEachRoleMayMakeItsCallsAndNeedsAllThatItMay(t *testing.T) {
	t.Parallel()
	w, listed := newWorld(t), slices.Collect(maps.Keys(grants.Calls()))
	for _, feature := range grants.Features() {
		t.Run(feature, func(t *testing.T) {
			t.Parallel()
			w := w.at(time.Now())
			as := callers{}
			for _, role := range tables.Roles() {
				if grants.Of(feature, grants.Role(role)) != nil {
					as[role] = w.as(t, feature, role)
				}
			}
			features[feature](t, w, as)

			for role, c := range as {
				require.Subset(t, slices.Collect(maps.Keys(c.calls)), callsOf(feature, role), "the %s does not call, or by another name", role)
				require.Subset(t, listed, slices.Collect(maps.Keys(c.calls)), "the %s sends requests of no call", role)
				if reader, ok := as[tables.Reader]; ok && role == tables.Service {
					maps.Copy(c.used, reader.used) // it may read too
				}
				var unneeded []string
				for a := range c.allowed {
					if !c.used[a] {
						unneeded = append(unneeded, a.Action+" on "+a.Table+" "+a.Index)
					}
				}
				slices.Sort(unneeded)
				assert.Empty(t, unneeded, "no call of the %s needs", role)
			}
		})
	}
}

// callsOf are the calls that a role makes and no narrower one.
func callsOf(feature string, role tables.Role) []string {
	var names []string
	for name, call := range grants.Calls() {
		if call.Feature == feature && call.Role == grants.Role(role) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// endless runs a worker until it sent something.
func (c caller) endless(t *testing.T, operation string, run func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.once(operation, cancel)
	require.ErrorIs(t, run(ctx), context.Canceled)
}

func (w *world) id() ids.ID {
	id, _ := w.Next(context.Background()) // it has no other way
	return id
}

func machines(t *testing.T, w *world, as callers) {
	ctx := t.Context()
	for role, c := range as {
		source := ok(lease.NewSource(c.db, w.names.Machines, nil))(t)
		if role == tables.Operator {
			all(t, source.Init(ctx))
		}
		all(t, source.Verify(ctx), err2(source.Next(ctx)), source.Close(ctx))
		if role == tables.Service {
			held, err := lease.Acquire(ctx, c.db, w.names.Machines, &lease.Options{Now: func() time.Time { return time.Now().Add(-45 * time.Second) }})
			require.NoError(t, err) // most of its minute is over: Next renews it
			all(t, err2(held.Next(ctx)), held.Close(ctx))
		}
	}
}

func follows(t *testing.T, w *world, as callers) {
	ctx := t.Context()
	of := func(role tables.Role) *follow.Repository {
		return ok(follow.New(as[role].db, w.names.Follow, w, nil))(t)
	}
	reader, service, operator := of(tables.Reader), of(tables.Service), of(tables.Operator)
	edge := follow.Edge{Follower: "ann", Followee: "ben"}
	require.ErrorIs(t, err3(reader.Follow(ctx, edge)), plaza.ErrTable)
	all(t,
		operator.Init(ctx),
		err3(service.Follow(ctx, edge)),
		reader.Verify(ctx),
		err2(reader.Get(ctx, edge)),
		err3(reader.Last(ctx, edge)),
		err2(reader.Followers(ctx, "ben", first)),
		err2(reader.Following(ctx, "ann", first)),
		err2(reader.Counts(ctx, "ben")),
		err2(reader.CountsMany(ctx, []string{"ann", "ben"})),
		err2(reader.Relations(ctx, "ann", []string{"ben"})),
		err2(reader.Walk(ctx, "ben", first)),
		err2(operator.Import(ctx, "once", edges("cleo", "dan"), nil)),
		err2(operator.Check(ctx, "ben")),
		w.lose(t, w.names.Follow, "F#ann"),
		err2(operator.Repair(ctx, "ann")),
		err2(service.Unfollow(ctx, edge)),
		operator.Erase(ctx, "cleo"),
	)
}

// lose deletes the rows of a list, as damage would.
func (w *world) lose(t *testing.T, table, list string) error {
	t.Helper()
	db := dynamotest.DB(t).Table(table)
	var rows []struct {
		PK string `dynamo:"pk"`
		SK string `dynamo:"sk"`
	}
	require.NoError(t, db.Scan().Filter("begins_with('pk', ?)", list).All(t.Context(), &rows))
	require.NotEmpty(t, rows, list)
	for _, row := range rows {
		require.NoError(t, db.Delete("pk", row.PK).Range("sk", row.SK).Run(t.Context()))
	}
	return nil
}

// edges are those from a user to others.
func edges(follower string, followees ...string) iter.Seq2[follow.Edge, error] {
	return func(yield func(follow.Edge, error) bool) {
		for _, f := range followees {
			if !yield(follow.Edge{Follower: follower, Followee: f}, nil) {
				return
			}
		}
	}
}
