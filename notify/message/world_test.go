package message_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/ratelimit"
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
	*message.Repository
	*clock
	table string
}

type wrapper = func(aws.HTTPClient) aws.HTTPClient

func newWorld(t testing.TB, opts *message.Options, wrap ...wrapper) world {
	t.Helper()
	w := world{table: dynamotest.Table(t, message.Table), clock: &clock{now: noon}}
	return w.process(t, opts, wrap...)
}

// process returns a repository of another process on the same table.
func (w world) process(t testing.TB, opts *message.Options, wrap ...wrapper) world {
	t.Helper()
	o := message.Options{Consistent: true}
	if opts != nil {
		o = *opts
	}
	o.Now, o.Reactions = w.Now, []string{"like", "love"}
	if o.Limiter == nil && o.Rate == (ratelimit.Rate{}) {
		o.Limiter = ratelimit.Unlimited{}
	}
	var err error
	w.Repository, err = message.New(dynamotest.DB(t, wrap...), w.table, w.clock, &o)
	require.NoError(t, err)
	return w
}

// pair is ann's and ben's conversation.
var pair = message.Pair{User: "ann", Other: "ben"}.Conversation()

// says returns a new message.
func (w world) says(conversation, sender, text string) message.Message {
	return message.Message{Conversation: conversation, Sender: sender, Key: "key " + w.id().String(), Text: text}
}

// send sends new messages of those users, in turn, whose text is their number.
func (w world) send(t testing.TB, conversation string, senders ...string) (last message.Message) {
	t.Helper()
	for _, sender := range senders {
		m := w.says(conversation, sender, fmt.Sprint("text ", w.ids.Load()))
		sent, created, err := w.Send(t.Context(), m)
		require.NoError(t, err)
		require.True(t, created)
		last = sent
	}
	return last
}

// create creates a group.
func (w world) create(t testing.TB, id string, members ...string) {
	t.Helper()
	does(t, true)(w.Create(t.Context(), message.Group{ID: id, Members: members}, "ann"))
}

func (w world) raw(t testing.TB) dynamo.Table { return dynamotest.DB(t).Table(w.table) }

// stored returns all items of the table.
func (w world) stored(t testing.TB) (items []dynamo.Item) {
	t.Helper()
	require.NoError(t, w.raw(t).Scan().Consistent(true).All(t.Context(), &items))
	return items
}

// item reads an item as it is stored, nil if there is none.
func (w world) item(t testing.TB, pk, sk string) (item dynamo.Item) {
	t.Helper()
	err := w.raw(t).Get("pk", pk).Range("sk", dynamo.Equal, sk).Consistent(true).One(t.Context(), &item)
	if err != nil {
		require.ErrorIs(t, err, dynamo.ErrNotFound)
		return nil
	}
	return item
}

// put stores items as no call does.
func (w world) put(t testing.TB, items ...any) {
	t.Helper()
	require.NoError(t, failed(w.raw(t).Batch().Write().Put(items...).Run(context.Background())))
}

func (w world) remove(t testing.TB, pk, sk string) {
	t.Helper()
	require.NoError(t, w.raw(t).Delete("pk", pk).Range("sk", sk).Run(t.Context()))
}

// entry is a user's entry as stored.
type entry struct {
	Last     string  `dynamo:"last"`
	LastSeq  int64   `dynamo:"lastSeq"`
	Read     int64   `dynamo:"read"`
	Own      []int64 `dynamo:"own,set"`
	Recalled []int64 `dynamo:"recalled,set"`
	From     int64   `dynamo:"from"`
	Till     *int64  `dynamo:"till"`
}

// entry reads a user's entry of a conversation.
func (w world) entry(t testing.TB, conversation, user string) entry {
	t.Helper()
	found := w.entries(t, conversation, []string{user})
	require.Contains(t, found, user)
	return found[user]
}

// entries reads those entries of users that are there.
func (w world) entries(t testing.TB, conversation string, users []string) map[string]entry {
	t.Helper()
	wanted := make([]dynamo.Keyed, len(users))
	for i, user := range users {
		wanted[i] = dynamo.Keys{keys.Join("U", user), "C#" + conversation}
	}
	var items []struct {
		entry
		PK string `dynamo:"pk"`
	}
	err := w.raw(t).Batch("pk", "sk").Get(wanted...).Consistent(true).All(t.Context(), &items)
	if !errors.Is(err, dynamo.ErrNotFound) {
		require.NoError(t, err)
	}
	found := make(map[string]entry, len(users))
	for _, i := range items {
		found[keys.Split(i.PK)[1]] = i.entry
	}
	return found
}

// damage sets attributes of an item to what no write leaves.
func (w world) damage(t testing.TB, pk, sk string, attributes map[string]any) {
	t.Helper()
	u := w.raw(t).Update("pk", pk).Range("sk", sk)
	for name, value := range attributes {
		u.SetExpr("$ = ?", name, value)
	}
	require.NoError(t, u.Run(t.Context()))
}

// failed returns the last result of a call, which is its error.
var failed = callstest.Failed

// does checks what a call reports about a change.
func does(t testing.TB, want bool, about ...any) func(changed bool, err error) {
	t.Helper()
	return func(changed bool, err error) {
		t.Helper()
		require.NoError(t, err, about...)
		require.Equal(t, want, changed, about...)
	}
}

// repeats sends a message again, and gets the stored one.
func (w world) repeats(t testing.TB, m, want message.Message) {
	t.Helper()
	got, created, err := w.Send(t.Context(), m)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.False(t, created)
}

// fails checks that a call changed nothing, and why.
func fails(t testing.TB, want error, about ...any) func(changed bool, err error) {
	t.Helper()
	return func(changed bool, err error) {
		t.Helper()
		require.ErrorIs(t, err, want, about...)
		require.False(t, changed, about...)
	}
}
