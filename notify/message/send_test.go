package message_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/calls/callstest"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/prefs"
	"github.com/plaza-sdk/plaza/ratelimit"
)

func TestSendReturnsWhatIsStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	first := w.send(t, pair, "ben")
	m := message.Message{
		Conversation: pair, Sender: "ann", Key: "k", Text: "hello", Data: json.RawMessage(`{"gif": 7}`), ReplyTo: first.Seq,
		Seq: 99, ID: 99, Edited: noon, Recalled: noon, // ignored
	}
	sent, created, err := w.Send(t.Context(), m)
	require.NoError(t, err)
	require.True(t, created)
	m.Seq, m.ID, m.Edited, m.Recalled = 2, sent.ID, time.Time{}, time.Time{}
	require.Equal(t, m, sent)
	require.Greater(t, sent.ID, first.ID)
	require.Equal(t, sent, w.message(t, of("ben", pair), 2))

	for _, p := range []world{w, w.process(t, nil)} {
		p.repeats(t, m, sent)
	}
	require.EqualValues(t, 2, w.settled(t, pair, "ann", "ben"))
	does(t, true)(w.Recall(t.Context(), of("ann", pair), 2))
	w.repeats(t, m, w.message(t, of("ben", pair), 2))
	forgets := &types.AttributeValueMemberN{Value: strconv.FormatInt(noon.AddDate(0, 0, 30).Unix(), 10)}
	require.Equal(t, forgets, w.item(t, "K#ann#k", "K")["ttl"])
}

func TestAKeyIsForOneContentOfItsSender(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.create(t, "g", "ann", "ben")
	w.send(t, "g", "ann")
	m := message.Message{Conversation: "g", Sender: "ann", Key: "k", Text: "text", Data: json.RawMessage(`1`), ReplyTo: 1}
	require.NoError(t, failed(w.Send(t.Context(), m)))
	for name, change := range map[string]func(*message.Message){
		"conversation": func(m *message.Message) { m.Conversation, m.ReplyTo = pair, 0 },
		"text":         func(m *message.Message) { m.Text = "text1" },
		"data":         func(m *message.Message) { m.Data = nil },
		"reply":        func(m *message.Message) { m.ReplyTo = 0 },
		"all of it":    func(m *message.Message) { m.Text, m.Data = "tex", json.RawMessage(`11`) },
	} {
		other := m
		change(&other)
		_, created, err := w.Send(t.Context(), other)
		fails(t, plaza.ErrConflict, name)(created, err)
	}
	m.Sender = "ben"
	_, created, err := w.Send(t.Context(), m)
	does(t, true, "another sender's key is another")(created, err)
	require.EqualValues(t, 3, w.settled(t, "g", "ann", "ben"))
}

func TestTheLimiterBoundsWhatAUserSendsToAConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	p := w
	var err error
	p.Repository, err = message.New(dynamotest.DB(t), w.table, w.clock, &message.Options{Now: w.Now})
	require.NoError(t, err)
	long := message.Pair{User: strings.Repeat("a", 256), Other: strings.Repeat("b", 256)}
	for _, to := range faults.Some(2, of("ann", pair), of(long.User, long.Conversation()), of("ben", pair)) {
		var last message.Message
		for range 20 {
			last = p.send(t, to.Conversation, to.User)
		}
		_, created, err := p.Send(t.Context(), p.says(to.Conversation, to.User, "too many"))
		var limited *ratelimit.Error
		require.ErrorAs(t, err, &limited)
		require.Equal(t, 500*time.Millisecond, limited.Wait)
		require.False(t, created)
		p.repeats(t, last, last)
		last.Text += "!"
		require.ErrorIs(t, failed(p.Send(t.Context(), last)), plaza.ErrConflict)
	}
	w.pass(500 * time.Millisecond)
	require.EqualValues(t, faults.Size(41, 21), p.send(t, pair, "ann").Seq)
	require.ErrorIs(t, failed(p.Send(t.Context(), p.says(pair, "ann", "too many"))), ratelimit.ErrExceeded)
}

func TestAnAnswerIsToAMessageOfTheConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.send(t, pair, "ann")
	w.process(t, nil).send(t, pair, "ben") // w does not know of it
	m := w.says(pair, "ann", "answer")
	m.ReplyTo = 2
	require.NoError(t, failed(w.Send(t.Context(), m)))
	m = w.says(pair, "ann", "answer")
	m.ReplyTo = 4
	callstest.RequireInvalid(t, map[string]invalid{"later": {"ReplyTo", failed(w.Send(t.Context(), m))}})
	require.EqualValues(t, 3, w.settled(t, pair, "ann", "ben"))
}

func TestAProcessMayRememberAnOldState(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	other := w.process(t, nil)
	w.create(t, "g", "ann", "ben")
	w.send(t, "g", "ann")
	does(t, true)(other.Add(t.Context(), of("cleo", "g"), "ann"))
	w.send(t, "g", "cleo") // whom w does not know
	does(t, true)(other.Add(t.Context(), of("dan", "g"), "ann"))
	w.send(t, "g", "ann")
	require.EqualValues(t, 3, w.entry(t, "g", "dan").LastSeq)
	does(t, true)(other.Leave(t.Context(), of("cleo", "g")))
	require.ErrorIs(t, failed(w.Send(t.Context(), w.says("g", "cleo", "gone"))), message.ErrNotMember)
	other.send(t, "g", "ben", "ben")
	w.send(t, "g", "ann")
	require.EqualValues(t, 6, w.settled(t, "g", "ann", "ben", "dan"))
}

func TestABlockInPrefsRefusesAPairsFirstMessage(t *testing.T) {
	t.Parallel()
	for _, p := range []prefs.Pair{{User: "ann", Actor: "ben"}, {User: "ben", Actor: "ann"}} {
		asked := faults.New(t, 1, faults.Rates{})
		elsewhere := newPrefs(t, asked.Wrap)
		opts := &message.Options{Blocks: elsewhere, BlocksOnce: true}
		w := newWorld(t, opts)
		does(t, true)(elsewhere.Block(t.Context(), p))
		for _, sender := range []string{"ann", "ben"} {
			require.ErrorIs(t, failed(w.Send(t.Context(), w.says(pair, sender, "hello"))), message.ErrBlocked)
		}
		require.Empty(t, w.stored(t))
		does(t, true)(elsewhere.Unblock(t.Context(), p))
		w.send(t, pair, "ann")
		before := asked.Requests()
		w.send(t, pair, "ann", "ben")
		w.process(t, opts).send(t, pair, "ben")
		require.Equal(t, before, asked.Requests(), "once it has begun only its head says so")
		asked.Script(down)
		cleos := message.Pair{User: "ann", Other: "cleo"}.Conversation()
		require.ErrorIs(t, failed(w.Send(t.Context(), w.says(cleos, "ann", "hello"))), plaza.ErrBusy)
	}
}

// These names look like keys, or have the greatest length.
func TestNamesOfOthersMakeNoConversationTheirs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	long := strings.Repeat("#", 200)
	for _, p := range []message.Pair{
		{User: "a#b", Other: "c"}, {User: "a", Other: "b#c"}, {User: `a\`, Other: "b#c"},
		{User: "0", Other: "1"}, {User: "~", Other: "M"}, {User: long, Other: long + "1"},
	} {
		w.send(t, p.Conversation(), p.User, p.Other)
		require.EqualValues(t, 2, w.settled(t, p.Conversation(), p.User, p.Other))
	}
	w.create(t, "0", "0", "1")
	w.send(t, "0", "1")
	require.EqualValues(t, 1, w.settled(t, "0", "0", "1"))
	for sender, key := range map[string]string{"ann": "x#y", "ann#x": "y"} {
		m := w.says(message.Pair{User: sender, Other: "ben"}.Conversation(), sender, "text")
		m.Key = key
		_, created, err := w.Send(t.Context(), m)
		does(t, true)(created, err)
	}
}

func TestADamagedEntryKeepsNoOthersFromTheMessage(t *testing.T) {
	t.Parallel()
	var seen reports
	w := newWorld(t, seen.options())
	damages := map[string]attributes{"ann": {"read": "text"}, "bob": {"lastSeq": "text"}, "cid": {"own": "text", "read": 7}, "dan": {"read": -1}}
	w.create(t, "g", "ann", "ben", "bob", "cid", "cleo", "dan")
	w.send(t, "g", "ben")
	for user, damage := range damages {
		w.damage(t, "U#"+user, "C#g", damage)
		w.send(t, "g", user)
	}
	require.Len(t, seen.items, len(damages))
	for _, user := range []string{"ben", "cleo"} {
		require.EqualValues(t, 5, w.entry(t, "g", user).LastSeq)
	}
}

func seqSK(seq int64) string { return fmt.Sprintf("%016d", seq) }

// A user who writes without reading has up to 64 own messages above what was read.
func TestManyOwnMessagesAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	l := w.lay(t, pair, 0, "ben", "ann")
	l.send(t, 1)
	l.members = []string{"ann", "ben"}
	var own []string
	for _, seq := range l.send(t, 60) {
		own = append(own, strconv.FormatInt(seq, 10))
	}
	l.entry(t, "ben", attributes{"lastSeq": 61, "read": 1, "from": 0, "last": w.id().String()})
	l.entry(t, "ann", attributes{"lastSeq": 61, "read": 0, "from": 0, "last": w.id().String(), "own": numberSet(own...)})
	w.send(t, pair, "ann", "ann", "ann", "ann")
	found := w.entry(t, pair, "ann")
	require.Len(t, found.Own, 64)
	require.Zero(t, found.Read)
	require.EqualValues(t, 1, w.unreadOf(t, "ann").Messages)
	w.send(t, pair, "ann", "ann")
	found = w.entry(t, pair, "ann")
	require.Empty(t, found.Own)
	require.EqualValues(t, 67, found.Read, "they follow each other")
	require.Zero(t, w.unreadOf(t, "ann").Messages)
	require.EqualValues(t, 66, w.unreadOf(t, "ben").Messages)
}
