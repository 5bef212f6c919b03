package message_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/message"
)

// numberSet is an attribute as DynamoDB has it.
func numberSet(values ...string) types.AttributeValue {
	return &types.AttributeValueMemberNS{Value: values}
}

func (w world) read(t testing.TB, in message.In, upTo int64) {
	t.Helper()
	require.NoError(t, failed(w.MarkRead(t.Context(), in, upTo)))
}

func (w world) receipts(t testing.TB, in message.In) map[string]int64 {
	t.Helper()
	read, err := w.Receipts(t.Context(), in)
	require.NoError(t, err)
	return read
}

func TestReadingNeverGoesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.lay(t, pair, 0, "ann", "ben").send(t, 9)
	ann, ben := of("ann", pair), of("ben", pair)
	before := int64(0)
	for _, step := range []struct{ upTo, want int64 }{{5, 5}, {3, 5}, {5, 5}, {7, 7}, {5, 7}, {9, 9}, {1, 9}} {
		does(t, step.want > before)(w.MarkRead(t.Context(), ben, step.upTo))
		before = step.want
		require.Equal(t, map[string]int64{"ann": 0, "ben": step.want}, w.receipts(t, ann))
		require.Equal(t, 9-step.want, w.inbox(t, "ben")[0].Unread)
	}
	for _, upTo := range []int64{10, 1 << 60} {
		require.ErrorIs(t, failed(w.MarkRead(t.Context(), ben, upTo)), plaza.ErrInvalid)
	}
	require.EqualValues(t, 9, w.entry(t, pair, "ben").Read)
}

// Send stores a message before the entries, and its process may die in between.
func TestAnEntryThatLagsIsReadAndCleared(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for name, entry := range map[string]attributes{"an old entry": {"lastSeq": 4, "read": 2, "last": "0000000000001"}, "no entry": nil} {
		for attribute, call := range map[string]func(message.In) (bool, error){
			"read": func(in message.In) (bool, error) { return w.MarkRead(t.Context(), in, 8) },
			"from": func(in message.In) (bool, error) { return w.Clear(t.Context(), in) },
		} {
			p := message.Pair{User: "ann", Other: name + attribute}
			l := w.lay(t, p.Conversation(), 0, p.User)
			l.send(t, 8)
			in := message.In{Conversation: l.name, User: p.Other}
			if entry != nil {
				l.entry(t, p.Other, entry)
			}
			for _, want := range []bool{true, false} {
				does(t, want)(call(in))
			}
			require.EqualValues(t, 8, w.receipts(t, in)[p.Other], name, attribute)
			found := w.entry(t, l.name, p.Other)
			require.EqualValues(t, 8, map[string]int64{"read": found.Read, "from": found.From}[attribute])
			require.LessOrEqual(t, found.LastSeq, int64(4), "the next send brings the conversation to the top")
			require.Zero(t, w.unreadOf(t, p.Other))
		}
	}
}

func TestAUserWhoLeftReadsAndClearsWhatWasSentBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	l := w.lay(t, "g", 0, "ann")
	l.send(t, 9)
	l.entry(t, "ben", attributes{"lastSeq": 4, "read": 1, "from": 1, "till": 6})
	in := of("ben", "g")
	fails(t, plaza.ErrInvalid)(w.MarkRead(t.Context(), in, 7))
	does(t, true)(w.MarkRead(t.Context(), in, 6))
	require.EqualValues(t, 6, w.entry(t, "g", "ben").Read)
	does(t, true)(w.Clear(t.Context(), in))
	require.EqualValues(t, 6, w.entry(t, "g", "ben").From)
	require.Empty(t, w.history(t, in, 3))
	require.ErrorIs(t, failed(w.Receipts(t.Context(), in)), message.ErrNotMember)
}

func TestReadIsForMembers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.lay(t, "g", 0, "ann").send(t, 2)
	w.lay(t, pair, 0, "ann", "ben").send(t, 2)
	for _, in := range []message.In{of("zoe", "g"), of("zoe", pair), of("ann", "none")} {
		fails(t, message.ErrNotMember)(w.MarkRead(t.Context(), in, 1))
		fails(t, message.ErrNotMember)(w.Clear(t.Context(), in))
		require.ErrorIs(t, failed(w.Receipts(t.Context(), in)), message.ErrNotMember)
		require.Nil(t, w.item(t, "U#"+in.User, "C#"+in.Conversation))
	}
	silent := of("carl", message.Pair{User: "ann", Other: "carl"}.Conversation())
	fails(t, plaza.ErrInvalid)(w.MarkRead(t.Context(), silent, 1))
	does(t, false)(w.Clear(t.Context(), silent))
	require.Equal(t, map[string]int64{"ann": 0, "carl": 0}, w.receipts(t, silent))
	require.Nil(t, w.item(t, "U#carl", "C#"+silent.Conversation))
}

func TestClearHidesWhatWasSentFromOneUserOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	l := w.lay(t, pair, 0, "ann", "ben")
	ann, ben := of("ann", pair), of("ben", pair)
	l.send(t, 5)
	w.read(t, ben, 2)
	for _, first := range []bool{true, false} {
		does(t, first)(w.Clear(t.Context(), ben))
		does(t, false, "what was cleared is read")(w.MarkRead(t.Context(), ben, 4))
		require.Empty(t, w.history(t, ben, 3))
		require.Equal(t, downFrom(5, 1), w.history(t, ann, 3))
		require.Equal(t, []message.Entry{{Conversation: pair, Other: "ann", Read: 5}}, w.inbox(t, "ben"))
		require.EqualValues(t, 5, w.inbox(t, "ann")[0].Last.Seq)
		require.Equal(t, map[string]int64{"ann": 0, "ben": 5}, w.receipts(t, ben))
	}
	l.send(t, 2)
	require.Equal(t, downFrom(7, 6), w.history(t, ben, 1))
	require.EqualValues(t, 2, w.inbox(t, "ben")[0].Unread)
	w.read(t, ben, 6)
	require.EqualValues(t, 1, w.inbox(t, "ben")[0].Unread)
}

// The user's membership was erased meanwhile.
func TestALateMarkRevivesNoEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.create(t, "g", "ann", "ben")
	w.send(t, "g", "ann")
	late := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "UpdateItem" }}
	p := w.process(t, nil, late.Wrap)
	in := of("ben", "g")
	require.Error(t, failed(p.Clear(t.Context(), in)))
	require.Error(t, failed(p.MarkRead(t.Context(), in, 1)))
	require.NoError(t, w.Erase(t.Context(), "ben"))
	require.Zero(t, late.Arrive(t))
	require.Nil(t, w.item(t, "U#ben", "C#g"))
}
