package live_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/streamtest"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/message/live"
)

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
	ctx := t.Context()
	table := dynamotest.Table(t, streamtest.Streamed(message.Table))
	gen, err := ids.New(1, nil)
	require.NoError(t, err)
	messages, err := message.New(dynamotest.DB(t), table, gen, nil)
	require.NoError(t, err)
	changes := streamtest.Watch(t, table, message.Changes)
	hub := newHub(t, messages, &live.Options{Every: time.Millisecond})
	require.NoError(t, failed(messages.Create(ctx, message.Group{ID: group, Members: []string{"ann", "ben", "cid"}}, "ann")))
	require.ErrorIs(t, failed(hub.Join(ctx, in(group, "eve"), "")), message.ErrNotMember)
	ann, ben, cid := join(t, hub, in(group, "ann"), ""), inbox(t, hub, "ben"), join(t, hub, in(group, "cid"), "")

	m, _, err := messages.Send(ctx, message.Message{Conversation: group, Sender: "ann", Key: "1", Text: "Hello"})
	require.NoError(t, err)
	publish(t, hub, live.Said(m))
	m.Text = "Hello!"
	m, _, err = messages.Edit(ctx, m)
	require.NoError(t, err)
	publish(t, hub, live.Said(m))
	require.NoError(t, failed(messages.MarkRead(ctx, in(group, "ben"), 1)))
	publish(t, hub, did(live.Read, group, "ben", 1))
	require.NoError(t, failed(messages.Recall(ctx, in(group, "ann"), 1)))
	publish(t, hub, did(live.Recalled, group, "ann", 1))
	require.NoError(t, failed(messages.Clear(ctx, in(group, "ben"))))
	publish(t, hub, did(live.Cleared, group, "ben", 1))
	require.NoError(t, failed(messages.Leave(ctx, in(group, "cid"))))
	publish(t, hub, did(live.Left, group, "cid", 0))
	shown := []string{"sent ann 1", "edited ann 1", "read ben 1", "recalled ann 1", "left cid"}
	require.Equal(t, shown, until(t, cid, "left cid"))
	require.ErrorIs(t, failed(cid.Next(ctx)), message.ErrNotMember)
	require.Equal(t, shown, until(t, ann, "left cid"))
	require.Equal(t, []string{"sent ann 1", "edited ann 1", "read ben 1", "recalled ann 1", "cleared ben 1"}, until(t, ben, "cleared ben 1"))

	none, published := 0, 0
	for _, c := range changes.Next(t) {
		e, ok := live.OfChange(c)
		if !ok {
			none++
			continue
		}
		published++
		publish(t, hub, e)
	}
	require.Equal(t, 1, none, "that the group was created")
	require.Greater(t, published, 6)
	publish(t, hub, did(live.Read, group, "mark", 9))
	// The room opened after they had joined, and it is ann's own message that she has read.
	require.ElementsMatch(t, []string{"joined ann", "joined ben", "joined cid", "left cid", "read ann 1", "read mark 9"}, until(t, ann, "read mark 9"))
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
