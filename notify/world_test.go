package notify_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/feed"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/group"
	"github.com/plaza-sdk/plaza/notify"
)

// noon is the time at which every test begins.
var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// clock is a world's clock, and makes ids with its time.
type clock struct {
	mu  sync.Mutex
	now time.Time
	ids atomic.Uint64
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *clock) id() ids.ID { return ids.At(c.Now()) + ids.ID(c.ids.Add(1)) }

func (c *clock) Next(context.Context) (ids.ID, error) { return c.id(), nil }

// world is a repository over a fresh table.
type world struct {
	*notify.Repository
	*clock
	table string
}

type wrapper = func(aws.HTTPClient) aws.HTTPClient

func newWorld(t testing.TB, opts *notify.Options, wrap ...wrapper) world {
	t.Helper()
	w := world{table: dynamotest.Table(t, notify.Table), clock: &clock{now: noon}}
	return w.process(t, opts, wrap...)
}

// process returns a repository of another process on the same table.
func (w world) process(t testing.TB, opts *notify.Options, wrap ...wrapper) world {
	t.Helper()
	o := notify.Options{Consistent: true}
	if opts != nil {
		o = *opts
	}
	o.Now = w.Now
	var err error
	w.Repository, err = notify.New(dynamotest.DB(t, wrap...), w.table, w.clock, &o)
	require.NoError(t, err)
	return w
}

// like is a new like of bob's photo.
func (w world) like(actor string) notify.Notification {
	return notify.Notification{User: "bob", Activity: feed.Activity{
		ID: w.id(), Actor: feed.Ref{ID: actor}, Verb: "like", Object: feed.Ref{Kind: "photo", ID: "1"},
	}}
}

// notify stores an event.
func (w world) notify(t testing.TB, n notify.Notification) notify.Result {
	t.Helper()
	res, created, err := w.Notify(t.Context(), n)
	require.NoError(t, err)
	require.True(t, created)
	return res
}

// row is a group as it is stored, and how many of its entries are off.
type row struct {
	group.Head
	live, off int
}

// group reads the group of the table that bob has first.
func (w world) groups(t testing.TB, user string) []row {
	t.Helper()
	var items []dynamo.Item
	q := dynamotest.DB(t).Table(w.table).Get("pk", "N#"+user).Range("sk", dynamo.BeginsWith, "G#").Consistent(true)
	require.NoError(t, q.All(t.Context(), &items))
	rows := make([]row, len(items))
	for i, item := range items {
		require.NoError(t, rows[i].UnmarshalDynamoItem(item))
		for name, value := range item {
			var text string
			if name[0] == 'e' {
				require.NoError(t, dynamo.Unmarshal(value, &text))
				if text[0] == '-' {
					rows[i].off++
				} else {
					rows[i].live++
				}
			}
		}
	}
	return rows
}

func actors(h group.Head) string {
	var all string
	for _, a := range h.Actors {
		if a != "" {
			all += fmt.Sprint(" ", a)
		}
	}
	return all
}
