package live_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/message/live"
)

// stored is a repository over a table with a stream, and a hub over it.
func stored(t *testing.T) (*message.Repository, *live.Hub, *streamtest.Changes[message.Change]) {
	t.Helper()
	table := dynamotest.Table(t, streamtest.Streamed(message.Table))
	gen, err := ids.New(1, nil)
	require.NoError(t, err)
	messages, err := message.New(dynamotest.DB(t), table, gen, nil)
	require.NoError(t, err)
	return messages, newHub(t, messages, &live.Options{Every: time.Millisecond}), streamtest.Watch(t, table, message.Changes)
}

// until returns what a viewer gets, up to an event.
func until(t testing.TB, v *live.Viewer, last string) (shown []string) {
	t.Helper()
	for {
		for _, k := range kinds(next(t, v).Events) {
			if shown = append(shown, k); k == last {
				return shown
			}
		}
	}
}

// The service publishes what it stores, and a consumer of the stream does so again.
func TestTheServiceAndTheStreamPublish(t *testing.T) {
	t.Parallel()
	messages, hub, changes := stored(t)
	ctx := t.Context()
	created, err := messages.Create(ctx, message.Group{ID: group, Members: []string{"ann", "ben", "cid"}}, "ann")
	require.NoError(t, err)
	require.True(t, created)
	_, err = hub.Join(ctx, in(group, "eve"), "")
	require.ErrorIs(t, err, message.ErrNotMember)
	ann, ben, cid := join(t, hub, in(group, "ann"), ""), inbox(t, hub, "ben"), join(t, hub, in(group, "cid"), "")

	m, _, err := messages.Send(ctx, message.Message{Conversation: group, Sender: "ann", Key: "1", Text: "Hello"})
	require.NoError(t, err)
	publish(t, hub, live.Said(m))
	m.Text = "Hello!"
	m, _, err = messages.Edit(ctx, m)
	require.NoError(t, err)
	publish(t, hub, live.Said(m))
	_, err = messages.MarkRead(ctx, in(group, "ben"), 1)
	require.NoError(t, err)
	publish(t, hub, did(live.Read, group, "ben", 1))
	_, err = messages.Recall(ctx, in(group, "ann"), 1)
	require.NoError(t, err)
	publish(t, hub, did(live.Recalled, group, "ann", 1))
	_, err = messages.Clear(ctx, in(group, "ben"))
	require.NoError(t, err)
	publish(t, hub, did(live.Cleared, group, "ben", 1))
	_, err = messages.Leave(ctx, in(group, "cid"))
	require.NoError(t, err)
	publish(t, hub, did(live.Left, group, "cid", 0))
	shown := []string{"sent ann 1", "edited ann 1", "read ben 1", "recalled ann 1", "left cid"}
	require.Equal(t, shown, until(t, cid, "left cid"))
	_, err = cid.Next(ctx)
	require.ErrorIs(t, err, message.ErrNotMember)
	require.Equal(t, shown, until(t, ann, "left cid"))
	require.Equal(t, []string{"sent ann 1", "edited ann 1", "read ben 1", "recalled ann 1", "cleared ben 1"}, until(t, ben, "cleared ben 1"))

	none, told := 0, 0
	for _, c := range changes.Next(t) {
		e, ok := live.OfChange(c)
		if !ok {
			none++
			continue
		}
		told++
		publish(t, hub, e)
	}
	require.Equal(t, 1, none, "that the group was created")
	require.Greater(t, told, 6)
	// The room opened after they had joined, and it is ann's own message that she has read.
	require.Equal(t, []string{"joined ann", "joined ben", "joined cid", "left cid", "read ann 1"}, sortedUntilQuiet(t, hub, ann))
}

// sortedUntilQuiet publishes a mark and returns, sorted, what a viewer gets before it.
func sortedUntilQuiet(t *testing.T, hub *live.Hub, v *live.Viewer) []string {
	t.Helper()
	publish(t, hub, did(live.Read, group, "mark", 9))
	shown := until(t, v, "read mark 9")
	shown = shown[:len(shown)-1]
	slices.Sort(shown)
	return shown
}

func TestABlockedPairDoesNotType(t *testing.T) {
	t.Parallel()
	messages, hub, changes := stored(t)
	ann, ben := join(t, hub, in(pair, "ann"), ""), inbox(t, hub, "ben")
	require.True(t, typing(t, hub, in(pair, "ben")), "before the first message")
	require.Equal(t, []string{"typing ben"}, until(t, ann, "typing ben"))
	_, err := messages.Block(t.Context(), message.Pair{User: "ben", Other: "ann"})
	require.NoError(t, err)
	for _, user := range []string{"ann", "ben"} {
		other := newHub(t, messages, nil) // which has seen no typing yet
		_, err := other.Typing(t.Context(), in(pair, user))
		require.ErrorIs(t, err, message.ErrBlocked)
	}
	for _, c := range changes.Next(t) {
		e, ok := live.OfChange(c)
		require.True(t, ok)
		publish(t, hub, e)
	}
	require.Equal(t, []string{"blocked ben"}, until(t, ben, "blocked ben"))
}

func TestTheEventOfAChange(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	m := said(pair, "ann", 3)
	for kind, want := range map[message.ChangeKind]live.Event{
		message.Sent:      live.Said(m),
		message.Edited:    live.Said(m),
		message.Recalled:  {Kind: live.Recalled, Seq: 3},
		message.Erased:    {Kind: live.Recalled, Seq: 3},
		message.Joined:    {Kind: live.Joined},
		message.Left:      {Kind: live.Left},
		message.Read:      {Kind: live.Read, Seq: 7},
		message.Cleared:   {Kind: live.Cleared, Seq: 7},
		message.Blocked:   {Kind: live.Blocked},
		message.Unblocked: {Kind: live.Unblocked},
	} {
		if want.Message == nil {
			want.Conversation, want.User, want.At = pair, "ann", at
		}
		got, ok := live.OfChange(message.Change{Kind: kind, Conversation: pair, User: "ann", Message: m, Seq: 7, At: at})
		require.True(t, ok)
		require.Equal(t, want, got)
	}
	for _, kind := range []message.ChangeKind{message.Created, "", message.Erased} { // the last of a user's row
		_, ok := live.OfChange(message.Change{Kind: kind, Conversation: pair, User: "ann", At: at})
		require.False(t, ok)
	}
}
