package message_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/prefs"
)

func TestAccessIsWhatAUserMaySeeAndDo(t *testing.T) {
	t.Parallel()
	elsewhere := newPrefs(t)
	does(t, true)(elsewhere.Block(t.Context(), prefs.Pair{User: "ann", Actor: "cid"}))
	w := newWorld(t, &message.Options{Blocks: elsewhere})
	w.lay(t, "climbers", 9, "ann", "dan").entry(t, "dan", attributes{"lastSeq": 7, "read": 3, "from": 2, "till": 7})
	w.lay(t, pair, 0, "ann", "ben").send(t, 3)
	w.damage(t, "C#"+pair, "~", attributes{"blocked": &types.AttributeValueMemberSS{Value: []string{"ben"}}})
	for _, c := range []struct {
		in   message.In
		want message.Access
	}{
		{message.In{Conversation: "climbers", User: "ann"}, message.Access{From: 9}},
		{message.In{Conversation: "climbers", User: "dan"}, message.Access{From: 2, Left: true, Till: 7}},
		{message.In{Conversation: pair, User: "ann"}, message.Access{Blocked: true}},
		{message.In{Conversation: pair, User: "ben"}, message.Access{Blocked: true}},
		{message.In{Conversation: "ann#cid", User: "ann"}, message.Access{Blocked: true}},
		{message.In{Conversation: "ann#cid", User: "cid"}, message.Access{Blocked: true}},
		{message.In{Conversation: "ann#dan", User: "ann"}, message.Access{}},
	} {
		got, err := w.Access(t.Context(), c.in)
		require.NoError(t, err)
		require.Equal(t, c.want, got, c.in)
	}
	for _, in := range []message.In{of("eve", "climbers"), of("ann", "none"), of("eve", pair)} {
		require.ErrorIs(t, failed(w.Access(t.Context(), in)), message.ErrNotMember)
	}
}
