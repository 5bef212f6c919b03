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
	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/feed/reaction"
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
	"letters":     letters,
}

// first is a page.
var first = cursor.PageRequest{Limit: 10}

// err2 and err3 return the error of a call with other results.
func err2[A any](_ A, err error) error         { return err }
func err3[A, B any](_ A, _ B, err error) error { return err }

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
	w := newWorld(t)
	for _, feature := range grants.Features() {
		t.Run(feature, func(t *testing.T) {
			as := callers{}
			for _, role := range tables.Roles() {
				if grants.Of(feature, grants.Role(role)) != nil {
					as[role] = w.as(t, feature, role)
				}
			}
			features[feature](t, w, as)

			for role, c := range as {
				require.Subset(t, slices.Collect(maps.Keys(c.calls)), callsOf(feature, role), "the %s does not call", role)
				if reader, ok := as[tables.Reader]; ok && role == tables.Service {
					maps.Copy(c.used, reader.used) // it may read too
				}
				var unneeded []string
				for a := range c.allowed {
					if !c.used[a] {
						unneeded = append(unneeded, a.Action+" on "+strings.TrimPrefix(a.Table, w.names.Machines[:len(w.names.Machines)-len("machines")])+a.Index)
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
		source, err := lease.NewSource(c.db, w.names.Machines, nil)
		require.NoError(t, err)
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
		r, err := follow.New(as[role].db, w.names.Follow, w, nil)
		require.NoError(t, err)
		return r
	}
	reader, service, operator := of(tables.Reader), of(tables.Service), of(tables.Operator)
	edge := follow.Edge{Follower: "ann", Followee: "ben"}
	require.ErrorIs(t, err3(reader.Follow(ctx, edge)), plaza.ErrTable)
	delete(as[tables.Reader].calls, "follow.Repository.Follow")
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

func feeds(t *testing.T, w *world, as callers) {
	ctx := t.Context()
	of := func(role tables.Role, opts feed.Options) *feed.Repository {
		graph, err := follow.New(as[role].db, w.names.Follow, w, nil)
		require.NoError(t, err)
		r, err := feed.New(as[role].db, w.names.Feed, w, graph, &opts)
		require.NoError(t, err)
		return r
	}
	reader, service := of(tables.Reader, feed.Options{}), of(tables.Service, feed.Options{})
	worker, operator := of(tables.Worker, feed.Options{}), of(tables.Operator, feed.Options{})
	leaves := of(tables.Service, feed.Options{InlineFollowers: -1}) // to the workers
	box, home := service.Outbox("ada"), service.Home("bob")
	post := func(foreign string) feed.Activity {
		return feed.Activity{Actor: feed.Ref{ID: "ada"}, Verb: "post", Object: feed.Ref{Kind: "photo", ID: "1"}, ForeignID: foreign, To: []string{"club"}}
	}
	all(t,
		operator.Init(ctx),
		reader.Verify(ctx),
		worker.Verify(ctx),
		err2(home.Follow(ctx, "ada", nil)),
		err2(home.FollowMany(ctx, []string{"ada", "club"}, nil)),
		err3(box.PublishMany(ctx, []feed.Activity{post("one"), post("two")})),
	)
	all(t, err3(box.Publish(ctx, post(""))))
	posted, _, err := leaves.Outbox("ada").Publish(ctx, post("three"))
	require.NoError(t, err)
	all(t,
		err2(worker.Deliver(ctx)),
		err2(reader.Outbox("ada").Get(ctx, posted.ID)),
		err2(reader.Outbox("club").GetMany(ctx, []ids.ID{posted.ID})),
		err2(reader.Outbox("ada").List(ctx, first)),
		err2(reader.Home("bob").List(ctx, first)),
		err3(box.Update(ctx, posted)),
		err2(box.Remove(ctx, posted.ID)),
		err2(box.RemoveForeign(ctx, "one")),
		err2(home.Trim(ctx, posted.ID)),
		err2(home.Unfollow(ctx, "ada", nil)),
		operator.Erase(ctx, "ada"),
		operator.Erase(ctx, "bob"),
	)
	as[tables.Worker].endless(t, "feed.Repository.Run", worker.Run)
}

func comments(t *testing.T, w *world, as callers) {
	ctx := t.Context()
	of := func(role tables.Role) *comment.Repository {
		r, err := comment.New(as[role].db, w.names.Comment, w, &comment.Options{
			Now: w.Now, Score: func(context.Context, comment.Address) (int64, error) { return 5, nil },
		})
		require.NoError(t, err)
		return r
	}
	reader, service, operator := of(tables.Reader), of(tables.Service), of(tables.Operator)
	all(t, operator.Init(ctx), reader.Verify(ctx))
	add := func(c comment.Comment) comment.Comment {
		c.Object, c.User, c.Text = "photo", "ann", "Nice."
		c, _, err := service.Add(ctx, c)
		require.NoError(t, err)
		return c
	}
	root := add(comment.Comment{Key: "once"})
	add(comment.Comment{Key: "once"})
	reply := add(comment.Comment{Root: root.ID, Parent: root.ID})
	answer := add(comment.Comment{Root: root.ID, Parent: reply.ID})
	quoting := add(comment.Comment{Quote: &comment.Quote{Address: root.Address()}})
	at, lists := root.Address(), &comment.ListOptions{}
	edited := reply
	edited.Text = "Very nice."
	all(t,
		err3(service.Edit(ctx, edited)),
		err2(service.UpdateScore(ctx, at)),
		err2(service.Pin(ctx, at)),
		err2(reader.Get(ctx, at)),
		err2(reader.Get(ctx, reply.Address())),
		err2(reader.GetMany(ctx, []comment.Address{at, reply.Address()})),
		err2(reader.ByObject(ctx, "photo", first, lists)),
		err2(reader.ByUser(ctx, "ann", first, lists)),
		err2(reader.Threads(ctx, "photo", first, lists)),
		err2(reader.Replies(ctx, at, first, lists)),
		err2(reader.Top(ctx, "photo", first)),
		err2(reader.Pinned(ctx, "photo")),
		err2(reader.Counts(ctx, "photo")),
		err2(reader.CountsMany(ctx, []string{"photo"})),
		err2(service.Unpin(ctx, at)),
		err2(service.Hide(ctx, at)),
		err2(service.Unhide(ctx, at)),
		err2(service.Delete(ctx, comment.Action{Address: answer.Address(), User: "ann"})),
		err2(service.Remove(ctx, quoting.Address(), comment.Removal{By: "mod"})),
		operator.Erase(ctx, "ann"),
	)
	add(comment.Comment{Key: "again"})
	all(t, operator.EraseObject(ctx, "photo"))
}

func reactions(t *testing.T, w *world, as callers) {
	ctx := t.Context()
	of := func(role tables.Role) *reaction.Repository {
		r, err := reaction.New(as[role].db, w.names.Reaction, w, &reaction.Options{Kinds: []string{"like", "up", "down"}, OneOf: [][]string{{"up", "down"}}})
		require.NoError(t, err)
		return r
	}
	reader, service, operator := of(tables.Reader), of(tables.Service), of(tables.Operator)
	like := reaction.Reaction{User: "ann", Object: "photo", Kind: "like"}
	vote := func(kind string) reaction.Reaction {
		return reaction.Reaction{User: "ann", Object: "photo", Kind: kind}
	}
	all(t,
		operator.Init(ctx),
		reader.Verify(ctx),
		err3(service.React(ctx, like)),
		err3(service.React(ctx, vote("up"))),
		err3(service.React(ctx, vote("down"))),
		err2(reader.Get(ctx, like)),
		err2(reader.ByObject(ctx, "photo", "like", first)),
		err2(reader.ByUser(ctx, "ann", "like", first)),
		err2(reader.Counts(ctx, "photo")),
		err2(reader.CountsMany(ctx, []string{"photo"})),
		err3(reader.VersionedCounts(ctx, "photo")),
		err2(reader.Reacted(ctx, "ann", []string{"photo"})),
		err2(operator.Check(ctx, "photo")),
		err2(operator.CheckUser(ctx, "ann")),
		w.lose(t, w.names.Reaction, "L#"),
		err2(operator.Repair(ctx, "photo")),
		err2(operator.RepairUser(ctx, "ann")),
		err2(service.Unreact(ctx, like)),
		operator.Erase(ctx, "ann"),
		operator.EraseObject(ctx, "photo"),
	)
}
