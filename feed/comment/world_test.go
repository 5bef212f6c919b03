package comment_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/feed/comment"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
)

var machines atomic.Uint32

// generator returns a generator with its own machine number.
func generator(t testing.TB) *ids.Generator {
	t.Helper()
	gen, err := ids.New(uint16(machines.Add(1)), nil)
	require.NoError(t, err)
	return gen
}

// today is the time of each world's clock. It is later than all ids of the
// tests.
var today = time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)

// world is a repository over a new table.
type world struct {
	*comment.Repository
	db    *dynamo.DB
	gen   *ids.Generator
	table string
}

type wrapper = func(aws.HTTPClient) aws.HTTPClient

// newWorld reads strongly consistently unless opts are given.
func newWorld(t testing.TB, opts *comment.Options, wrap ...wrapper) world {
	t.Helper()
	return world{table: dynamotest.Table(t, comment.Table)}.process(t, opts, wrap...)
}

// process is another process on the table of w.
func (w world) process(t testing.TB, opts *comment.Options, wrap ...wrapper) world {
	t.Helper()
	if opts == nil {
		opts = &comment.Options{Consistent: true}
	}
	given := *opts
	if given.Now == nil {
		given.Now = func() time.Time { return today }
	}
	w.db, w.gen = dynamotest.DB(t, wrap...), generator(t)
	var err error
	w.Repository, err = comment.New(w.db, w.table, w.gen, &given)
	require.NoError(t, err)
	return w
}

// at is another process whose clock shows now.
func (w world) at(t testing.TB, now time.Time) world {
	t.Helper()
	return w.process(t, &comment.Options{Consistent: true, Now: func() time.Time { return now }})
}

func (w world) id(t testing.TB) ids.ID {
	t.Helper()
	id, err := w.gen.Next(t.Context())
	require.NoError(t, err)
	return id
}

// add adds a comment and fails if it already exists.
func (w world) add(t testing.TB, c comment.Comment) comment.Comment {
	t.Helper()
	if c.Text == "" {
		c.Text = "Beautiful bird!"
	}
	c, created, err := w.Add(t.Context(), c)
	require.NoError(t, err)
	require.True(t, created)
	return c
}

// says adds a root.
func (w world) says(t testing.TB, user, object string) comment.Comment {
	t.Helper()
	return w.add(t, comment.Comment{Object: object, User: user})
}

// replies adds a reply to a root or to a reply.
func (w world) replies(t testing.TB, user string, to comment.Comment) comment.Comment {
	t.Helper()
	reply := comment.Comment{Object: to.Object, Root: to.Root, Parent: to.ID, User: user}
	if to.Root == 0 {
		reply.Root = to.ID
	}
	return w.add(t, reply)
}

func (w world) delete(t testing.TB, c comment.Comment) {
	t.Helper()
	deleted, err := w.Delete(t.Context(), comment.Action{Address: c.Address(), User: c.User})
	require.NoError(t, err)
	require.True(t, deleted)
}

func (w world) hide(t testing.TB, c comment.Comment) {
	t.Helper()
	hidden, err := w.Hide(t.Context(), c.Address())
	require.NoError(t, err)
	require.True(t, hidden)
}

func (w world) unhide(t testing.TB, c comment.Comment) {
	t.Helper()
	unhidden, err := w.Unhide(t.Context(), c.Address())
	require.NoError(t, err)
	require.True(t, unhidden)
}

func (w world) counts(t testing.TB, object string) comment.Counts {
	t.Helper()
	counts, err := w.Counts(t.Context(), object)
	require.NoError(t, err)
	return counts
}

func (w world) get(t testing.TB, c comment.Comment) comment.Comment {
	t.Helper()
	got, err := w.Get(t.Context(), c.Address())
	require.NoError(t, err)
	return got
}

type ctx = context.Context

// of binds a list to a key and options.
func of[T, K any](list func(context.Context, K, cursor.PageRequest, *comment.ListOptions) (cursor.Page[T], error), key K, opts *comment.ListOptions) func(context.Context, cursor.PageRequest) (cursor.Page[T], error) {
	return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[T], error) {
		return list(ctx, key, req, opts)
	}
}

// idsOf returns the ids in the order of the list.
func idsOf(cs []comment.Comment) []ids.ID {
	got := make([]ids.ID, len(cs))
	for i, c := range cs {
		got[i] = c.ID
	}
	return got
}

// settled repeats a call until its error is final or nil.
func settled(call func() error) (calls int, err error) {
	for calls, err = 1, call(); faults.Passing(err) && calls < 1000; calls, err = calls+1, call() {
	}
	return calls, err
}

// requireWhole fails unless the lists contain every stored comment and the
// counts equal the lists.
func (w world) requireWhole(t *testing.T, object string) {
	t.Helper()
	withHidden := &comment.ListOptions{WithHidden: true}
	var stored []comment.Comment
	for _, root := range pagetest.All(t, of(w.ByObject, object, withHidden), 50) {
		stored = append(stored, root)
		stored = append(stored, pagetest.All(t, of(w.Replies, root.Address(), withHidden), 50)...)
	}
	var want comment.Counts
	reached := map[ids.ID]bool{}
	for _, c := range stored {
		reached[c.ID] = true
		if c.Removed == nil && !c.Hidden {
			want.All++
			if c.Root == 0 {
				want.Roots++
			}
		}
	}
	require.Equal(t, want, w.counts(t, object))
	for _, c := range stored {
		children := int64(0)
		for _, child := range stored {
			if child.Removed == nil && (child.Root == c.ID || child.Parent == c.ID) {
				children++
			}
		}
		require.Equal(t, children, c.Replies)
		if c.Parent != 0 {
			require.True(t, reached[c.Parent], "its parent is gone")
		}
	}
	for n := range 4 {
		for _, c := range pagetest.All(t, of(w.ByUser, fmt.Sprint("user ", n), withHidden), 50) {
			if c.Object == object && c.Removed == nil {
				require.True(t, reached[c.ID], "%v is in no list of the object", c.ID)
			}
		}
	}
}
