package message_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/notify/message"
)

// about is each call about a conversation and its first message.
var about = map[string]func(ctx context.Context, w world, in message.In) error{
	"Access": func(ctx context.Context, w world, in message.In) error { return failed(w.Access(ctx, in)) },
	"Clear":  func(ctx context.Context, w world, in message.In) error { return failed(w.Clear(ctx, in)) },
	"History": func(ctx context.Context, w world, in message.In) error {
		return failed(w.History(ctx, in, cursor.PageRequest{}))
	},
	"Leave":      func(ctx context.Context, w world, in message.In) error { return failed(w.Leave(ctx, in)) },
	"Members":    func(ctx context.Context, w world, in message.In) error { return failed(w.Members(ctx, in)) },
	"MarkRead":   func(ctx context.Context, w world, in message.In) error { return failed(w.MarkRead(ctx, in, 1)) },
	"MarkUnread": func(ctx context.Context, w world, in message.In) error { return failed(w.MarkUnread(ctx, in, 1)) },
	"Mute":       func(ctx context.Context, w world, in message.In) error { return failed(w.Mute(ctx, in)) },
	"Unmute":     func(ctx context.Context, w world, in message.In) error { return failed(w.Unmute(ctx, in)) },
	"Receipts":   func(ctx context.Context, w world, in message.In) error { return failed(w.Receipts(ctx, in)) },
	"Recall":     func(ctx context.Context, w world, in message.In) error { return failed(w.Recall(ctx, in, 1)) },
	"Describe": func(ctx context.Context, w world, in message.In) error {
		return failed(w.Describe(ctx, in, message.Description{Name: "ours"}))
	},
	"SetOwner": func(ctx context.Context, w world, in message.In) error { return failed(w.SetOwner(ctx, in, "ann")) },
	"Remove": func(ctx context.Context, w world, in message.In) error {
		return failed(w.Remove(ctx, of("ann", in.Conversation), in.User))
	},
	"Add": func(ctx context.Context, w world, in message.In) error {
		return failed(w.Add(ctx, of("zoe", in.Conversation), in.User))
	},
	"React":   func(ctx context.Context, w world, in message.In) error { return failed(w.React(ctx, in, 1, "like")) },
	"Unreact": func(ctx context.Context, w world, in message.In) error { return failed(w.Unreact(ctx, in, 1)) },
	"Edit": func(ctx context.Context, w world, in message.In) error {
		return failed(w.Edit(ctx, message.Message{Conversation: in.Conversation, Sender: in.User, Seq: 1, Text: "edited"}))
	},
	"Send": func(ctx context.Context, w world, in message.In) error {
		return failed(w.Send(ctx, message.Message{Conversation: in.Conversation, Sender: in.User, Key: "k", Text: "hi", ReplyTo: 1}))
	},
}

// others are the calls that say nothing about a conversation to a stranger, and why.
var others = map[string]string{
	"Details": "it leaves out groups that the user is not in",
	"Create":  "the service chooses the name",
	"Block":   "it is about a user's own pair",
	"Unblock": "it is about a user's own pair",
	"Erase":   "it is the service's",
	"Inbox":   "it is about the user's own",
	"Unread":  "it is about the user's own",
	"Init":    "it is about the table",
	"Verify":  "it is about the table",
	"Waiting": "it is a test's",
}

// groups are the calls that refuse every pair.
var groups = map[string]bool{"Add": true, "Describe": true, "Leave": true, "Remove": true, "SetOwner": true}

// Answers about a conversation that exists are those about one that does not.
func TestAStrangerLearnsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.create(t, "there", "ann", "ben")
	w.send(t, "there", "ann", "ben")
	w.send(t, pair, "ann", "ben")
	stored := w.entries(t, "there", []string{"ann", "ben"})
	repository := reflect.TypeFor[*message.Repository]()
	for i := range repository.NumMethod() {
		method := repository.Method(i)
		call := about[method.Name]
		if require.Equal(t, call == nil, others[method.Name] != "", method.Name); call == nil {
			continue
		}
		for there, missing := range map[string]string{"there": "not there", pair: message.Pair{User: "ann", Other: "cid"}.Conversation()} {
			got, other := call(t.Context(), w, of("eve", there)), call(t.Context(), w.process(t, nil), of("eve", missing))
			if there != pair || !groups[method.Name] {
				require.ErrorIs(t, got, message.ErrNotMember, method.Name)
			}
			require.Equal(t, strings.ReplaceAll(other.Error(), missing, there), got.Error(), method.Name)
		}
	}
	require.Equal(t, stored, w.entries(t, "there", []string{"ann", "ben", "eve"}))
}

// A stranger's calls, in particular those that a member who left may make.
func TestWhoLeftIsNoStranger(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.create(t, "g", "ann", "ben")
	w.send(t, "g", "ben", "ann")
	for _, changed := range []bool{true, false} {
		does(t, changed)(w.Leave(t.Context(), of("ben", "g")))
	}
	does(t, true)(w.Recall(t.Context(), of("ben", "g"), 1))
	require.NoError(t, failed(w.History(t.Context(), of("ben", "g"), cursor.PageRequest{})))
	fails(t, message.ErrNotMember)(w.Leave(t.Context(), of("eve", "g")))
	require.Nil(t, w.item(t, "U#eve", "C#g"))
}
