package live_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	rooms "github.com/plaza-sdk/plaza/live"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/message/live"
)

var (
	_ live.Store = (*message.Repository)(nil)
	_ live.Store = (*roster)(nil)
)

const group = "climbers"

// pair is ann's and ben's conversation.
var pair = message.Pair{User: "ann", Other: "ben"}.Conversation()

func in(conversation, user string) message.In {
	return message.In{Conversation: conversation, User: user}
}

// roster is a Store for tests in a synctest bubble. The tests of package message cover
// Access and Members of a real repository.
type roster struct {
	mu      sync.Mutex
	access  map[message.In]message.Access
	err     error // every call returns it
	asked   int   // calls of Access
	members int   // calls of Members
}

var errDown = errors.New("down")

func newRoster(conversation string, users ...string) *roster {
	r := &roster{access: map[message.In]message.Access{}}
	for _, user := range users {
		r.access[in(conversation, user)] = message.Access{}
	}
	return r
}

// set changes what a user may do.
func (r *roster) set(conversation, user string, a message.Access) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.access[in(conversation, user)] = a
}

func (r *roster) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

// calls returns how many calls there were since the last time.
func (r *roster) calls() (asked, members int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	asked, members, r.asked, r.members = r.asked, r.members, 0, 0
	return asked, members
}

func (r *roster) Access(_ context.Context, in message.In) (message.Access, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	if r.err != nil {
		return message.Access{}, r.err
	}
	a, ok := r.access[in]
	if !ok {
		return message.Access{}, message.ErrNotMember
	}
	return a, nil
}

func (r *roster) Members(_ context.Context, of message.In) ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members++
	if a, ok := r.access[of]; r.err != nil || !ok || a.Left {
		return nil, cmp.Or(r.err, message.ErrNotMember)
	}
	var users []string
	for in, a := range r.access {
		if in.Conversation == of.Conversation && !a.Left {
			users = append(users, in.User)
		}
	}
	slices.Sort(users)
	return users, nil
}

// failed returns the last result of a call, which is its error.
var failed = callstest.Failed

func newHub(t testing.TB, store live.Store, opts *live.Options) *live.Hub {
	t.Helper()
	hub, err := live.New(store, opts)
	require.NoError(t, err)
	t.Cleanup(hub.Close)
	return hub
}

func join(t testing.TB, hub *live.Hub, in message.In, after live.Pos) *live.Viewer {
	t.Helper()
	v, err := hub.Join(t.Context(), in, after)
	require.NoError(t, err)
	t.Cleanup(v.Close)
	return v
}

func inbox(t testing.TB, hub *live.Hub, user string) *live.Viewer {
	t.Helper()
	v, err := hub.JoinInbox(t.Context(), user, "")
	require.NoError(t, err)
	t.Cleanup(v.Close)
	return v
}

func next(t testing.TB, v *live.Viewer) live.Batch {
	t.Helper()
	batch, err := v.Next(t.Context())
	require.NoError(t, err)
	return batch
}

// quiet fails if there is a batch. It works in a bubble only.
func quiet(t *testing.T, viewers ...*live.Viewer) {
	t.Helper()
	for _, v := range viewers {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		batch, err := v.Next(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded, "%v", batch.Events)
	}
}

func publish(t testing.TB, hub *live.Hub, events ...live.Event) {
	t.Helper()
	for _, e := range events {
		require.NoError(t, hub.Publish(t.Context(), e))
	}
}

func typing(t testing.TB, hub *live.Hub, in message.In) bool {
	t.Helper()
	shown, err := hub.Typing(t.Context(), in)
	require.NoError(t, err)
	return shown
}

// said returns the nth message of a conversation.
func said(conversation, user string, n int64) message.Message {
	return message.Message{
		Conversation: conversation, Sender: user, Key: "key", Text: "hello", Seq: n,
		ID: ids.At(time.Date(2026, 1, 1, 0, 0, int(n), 0, time.UTC)),
	}
}

func sent(conversation, user string, n int64) live.Event {
	return live.Said(said(conversation, user, n))
}

func did(kind live.Kind, conversation, user string, seq int64) live.Event {
	return live.Event{Kind: kind, Conversation: conversation, User: user, Seq: seq}
}

// kinds describes events by kind and user, and by number where they have one.
func kinds(events []live.Event) []string {
	described := []string{}
	for _, e := range events {
		d := string(e.Kind) + " " + e.User
		if e.Seq > 0 {
			d += " " + string(rune('0'+e.Seq))
		}
		described = append(described, d)
	}
	return described
}

// bubble runs a test with a fake clock. It fails if a goroutine outlives the test.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

// plane counts what is published and subscribed, and fails on request.
type plane struct {
	*rooms.Memory

	mu         sync.Mutex
	published  []string // rooms
	subscribed []string
	lose       string // the room whose events are lost
	err        error  // Publish returns it
}

func newPlane(t testing.TB) *plane {
	t.Helper()
	m, err := rooms.NewMemory(nil)
	require.NoError(t, err)
	return &plane{Memory: m}
}

func (p *plane) Publish(ctx context.Context, room string, payload []byte) error {
	p.mu.Lock()
	p.published = append(p.published, room)
	err, lost := p.err, p.lose == room
	p.mu.Unlock()
	if err != nil || lost {
		return err
	}
	return p.Memory.Publish(ctx, room, payload)
}

func (p *plane) Subscribe(ctx context.Context, room string, after rooms.Pos, deliver func([]rooms.Entry)) (rooms.Subscription, error) {
	p.mu.Lock()
	p.subscribed = append(p.subscribed, room)
	p.mu.Unlock()
	return p.Memory.Subscribe(ctx, room, after, deliver)
}

// took returns the rooms that were published in and subscribed to since the last call.
func (p *plane) took() (published, subscribed []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	published, subscribed, p.published, p.subscribed = p.published, p.subscribed, nil, nil
	slices.Sort(published)
	return published, subscribed
}

var long = strings.Repeat("#", 256)
