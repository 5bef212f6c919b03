package message_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
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
}

func TestAKeyIsForOneContentOfItsSender(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.create(t, "g", "ann", "ben")
	w.send(t, "g", "ann")
	m := message.Message{Conversation: "g", Sender: "ann", Key: "k", Text: "text", Data: json.RawMessage(`1`), ReplyTo: 1}
	_, _, err := w.Send(t.Context(), m)
	require.NoError(t, err)
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
		require.ErrorIs(t, err, plaza.ErrConflict, name)
		require.False(t, created)
	}
	m.Sender = "ben"
	_, created, err := w.Send(t.Context(), m)
	require.NoError(t, err)
	require.True(t, created, "another sender's key is another")
	require.EqualValues(t, 3, w.settled(t, "g", "ann", "ben"))
}

// The message and its sender may have changed since.
func TestARepeatIsNeverRefused(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]func(w world) (bool, error){
		"edited": func(w world) (bool, error) {
			m := say("g", "ann", "edited")
			m.Text = "otherwise"
			m.Seq = 2
			_, changed, err := w.Edit(t.Context(), m)
			return changed, err
		},
		"recalled": func(w world) (bool, error) { return w.Recall(t.Context(), of("ann", "g"), 2) },
		"left":     func(w world) (bool, error) { return w.Leave(t.Context(), of("ann", "g")) },
		"too soon": func(w world) (bool, error) { return true, nil },
	} {
		w := newWorld(t, nil)
		w.create(t, "g", "ann", "ben")
		w.send(t, "g", "ben")
		m := say("g", "ann", name)
		_, _, err := w.Send(t.Context(), m)
		require.NoError(t, err)
		does(t, true)(then(w))
		stands := w.message(t, of("ben", "g"), 2)
		p := w.process(t, nil)
		if name == "too soon" {
			p = w.process(t, &message.Options{Rate: ratelimit.Rate{Burst: 1, Every: time.Hour}})
			p.send(t, "g", "ann")
		}
		for _, p := range []world{w, p} {
			p.repeats(t, m, stands)
			m.Text += "!"
			_, _, err = p.Send(t.Context(), m)
			require.ErrorIs(t, err, plaza.ErrConflict)
			m.Text = strings.TrimSuffix(m.Text, "!")
		}
	}
	w := newWorld(t, nil)
	m := say(pair, "ann", "k")
	_, _, err := w.Send(t.Context(), m)
	require.NoError(t, err)
	does(t, true)(w.Block(t.Context(), message.Pair{User: "ben", Other: "ann"}))
	_, created, err := w.Send(t.Context(), m)
	require.NoError(t, err)
	require.False(t, created)
}

func TestAKeyIsFreeAgainAfterThirtyDays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	m := say(pair, "ann", "k")
	_, _, err := w.Send(t.Context(), m)
	require.NoError(t, err)
	var stored struct {
		TTL int64 `dynamo:"ttl"`
	}
	require.NoError(t, w.raw(t).Get("pk", keys.Join("K", "ann", m.Key)).Range("sk", "EQ", "K").One(t.Context(), &stored))
	require.Equal(t, noon.AddDate(0, 0, 30).Unix(), stored.TTL)
}

func TestTheLimiterBoundsWhatAUserSendsToAConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	p := w
	var err error
	p.Repository, err = message.New(dynamotest.DB(t), w.table, w.clock, &message.Options{Now: w.Now})
	require.NoError(t, err)
	_, err = message.New(dynamotest.DB(t), w.table, w.clock, &message.Options{Limiter: ratelimit.Unlimited{}, SharedRate: true})
	require.ErrorIs(t, err, plaza.ErrInvalid)
	long := message.Pair{User: strings.Repeat("a", 256), Other: strings.Repeat("b", 256)}
	for _, to := range faults.Some(2, of("ann", pair), of(long.User, long.Conversation()), of("ben", pair)) {
		for range 20 {
			p.send(t, to.Conversation, to.User)
		}
		_, created, err := p.Send(t.Context(), p.says(to.Conversation, to.User, "too many"))
		var limited *ratelimit.Error
		require.ErrorAs(t, err, &limited)
		require.ErrorIs(t, err, plaza.ErrBusy)
		require.Equal(t, 500*time.Millisecond, limited.Wait)
		require.False(t, created)
	}
	w.pass(500 * time.Millisecond)
	require.EqualValues(t, faults.Size(41, 21), p.send(t, pair, "ann").Seq)
	_, _, err = p.Send(t.Context(), p.says(pair, "ann", "too many"))
	require.ErrorIs(t, err, ratelimit.ErrExceeded)
}

func TestAnAnswerIsToAMessageOfTheConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	other := w.process(t, nil)
	w.send(t, pair, "ann")
	other.send(t, pair, "ben") // which w does not know of
	m := w.says(pair, "ann", "answer")
	m.ReplyTo = 2
	_, _, err := w.Send(t.Context(), m)
	require.NoError(t, err)
	m = w.says(pair, "ann", "answer")
	m.ReplyTo = 4
	var invalid *plaza.InvalidError
	_, _, err = w.Send(t.Context(), m)
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, "ReplyTo", invalid.Field)
	require.EqualValues(t, 3, w.settled(t, pair, "ann", "ben"))
}

func TestOnlyMembersSend(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.create(t, "g", "ann", "ben")
	for _, to := range []message.In{of("cleo", "g"), of("cleo", pair), of("ann", "no group")} {
		_, created, err := w.Send(t.Context(), w.says(to.Conversation, to.User, "hello"))
		require.ErrorIs(t, err, message.ErrNotMember)
		require.ErrorIs(t, err, plaza.ErrForbidden)
		require.False(t, created)
	}
	require.Zero(t, w.settled(t, "g", "ann", "ben"))
}

func TestAProcessMayRememberAnOldState(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	other := w.process(t, nil)
	w.create(t, "g", "ann", "ben")
	w.send(t, "g", "ann")
	add := func(user string) {
		does(t, true)(other.Add(t.Context(), of(user, "g"), "ann"))
	}
	add("cleo")
	w.send(t, "g", "cleo") // whom w does not know
	add("dan")
	w.send(t, "g", "ann")
	require.EqualValues(t, 3, w.entry(t, "g", "dan").LastSeq)
	does(t, true)(other.Leave(t.Context(), of("cleo", "g")))
	_, _, err := w.Send(t.Context(), w.says("g", "cleo", "gone"))
	require.ErrorIs(t, err, message.ErrNotMember)
	other.send(t, "g", "ben", "ben")
	w.send(t, "g", "ann")
	require.EqualValues(t, 6, w.settled(t, "g", "ann", "ben", "dan"))
}

// blocks says who is blocked, as prefs would.
type blocks struct {
	blocked map[prefs.Pair]bool
	asked   atomic.Int64
	err     error
}

func (b *blocks) Block(_ context.Context, p prefs.Pair) (bool, error) {
	changed := !b.blocked[p]
	b.blocked[p] = true
	return changed, b.err
}

func (b *blocks) Unblock(_ context.Context, p prefs.Pair) (bool, error) {
	changed := b.blocked[p]
	delete(b.blocked, p)
	return changed, b.err
}

func (b *blocks) Blocked(_ context.Context, p prefs.Pair) (bool, error) {
	b.asked.Add(1)
	return b.blocked[p], b.err
}

func TestABlockInPrefsRefusesAPairsFirstMessage(t *testing.T) {
	t.Parallel()
	for _, p := range []prefs.Pair{{User: "ann", Actor: "ben"}, {User: "ben", Actor: "ann"}} {
		elsewhere := &blocks{blocked: map[prefs.Pair]bool{p: true}}
		w := newWorld(t, &message.Options{Blocks: elsewhere, Consistent: true})
		for _, sender := range []string{"ann", "ben"} {
			_, _, err := w.Send(t.Context(), w.says(pair, sender, "hello"))
			require.ErrorIs(t, err, message.ErrBlocked)
		}
		require.Empty(t, w.stored(t))
		delete(elsewhere.blocked, p)
		w.send(t, pair, "ann")
		asked := elsewhere.asked.Load()
		w.send(t, pair, "ann", "ben")
		w.process(t, &message.Options{Blocks: elsewhere}).send(t, pair, "ben")
		require.Equal(t, asked, elsewhere.asked.Load(), "once it has begun its head says so")
		elsewhere.err = plaza.ErrBusy
		_, _, err := w.Send(t.Context(), w.says(message.Pair{User: "ann", Other: "cleo"}.Conversation(), "ann", "hello"))
		require.ErrorIs(t, err, plaza.ErrBusy)
	}
}

// These names look like keys, or have the greatest length.
func TestNamesOfOthersMakeNoConversationTheirs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	long := strings.Repeat("#", 200)
	pairs := []message.Pair{{User: "a#b", Other: "c"}, {User: "a", Other: "b#c"}, {User: `a\`, Other: "b#c"}, {User: "0", Other: "1"}, {User: "~", Other: "M"}, {User: long, Other: long + "1"}}
	for _, p := range pairs {
		require.EqualValues(t, 1, w.send(t, p.Conversation(), p.User).Seq)
		require.EqualValues(t, 2, w.send(t, p.Conversation(), p.Other).Seq)
		require.EqualValues(t, 2, w.settled(t, p.Conversation(), p.User, p.Other))
	}
	w.create(t, "0", "0", "1")
	w.send(t, "0", "1")
	require.EqualValues(t, 1, w.settled(t, "0", "0", "1"))
	m := w.says(pair, "ann", "a")
	m.Key = "x#y"
	_, _, err := w.Send(t.Context(), m)
	require.NoError(t, err)
	m = w.says(message.Pair{User: "ann#x", Other: "ben"}.Conversation(), "ann#x", "b")
	m.Key = "y"
	_, created, err := w.Send(t.Context(), m)
	require.NoError(t, err)
	require.True(t, created)
}

func TestSendRefusesWhatItCannotStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	valid := message.Message{Conversation: pair, Sender: "ann", Key: "k", Text: "text"}
	for name, c := range map[string]struct {
		field  string
		change func(*message.Message)
	}{
		"no conversation":  {"Conversation", func(m *message.Message) { m.Conversation = "" }},
		"unsorted pair":    {"Conversation", func(m *message.Message) { m.Conversation = "ben#ann" }},
		"three names":      {"Conversation", func(m *message.Message) { m.Conversation = "ann#ben#cleo" }},
		"no other":         {"Other", func(m *message.Message) { m.Conversation = "#ann" }},
		"no sender":        {"Sender", func(m *message.Message) { m.Sender = "" }},
		"no key":           {"Key", func(m *message.Message) { m.Key = "" }},
		"long key":         {"Key", func(m *message.Message) { m.Key = strings.Repeat("k", 257) }},
		"nothing said":     {"Text", func(m *message.Message) { m.Text = "" }},
		"not UTF-8":        {"Text", func(m *message.Message) { m.Text = "\xff" }},
		"long text":        {"Text", func(m *message.Message) { m.Text = strings.Repeat("é", 4_001) }},
		"no JSON":          {"Data", func(m *message.Message) { m.Data = json.RawMessage("{") }},
		"half a surrogate": {"Data", func(m *message.Message) { m.Data = json.RawMessage(`"\ud800"`) }},
		"large data":       {"Data", func(m *message.Message) { m.Data = json.RawMessage(`"` + strings.Repeat("a", 4_096) + `"`) }},
		"negative answer":  {"ReplyTo", func(m *message.Message) { m.ReplyTo = -1 }},
	} {
		m := valid
		c.change(&m)
		_, created, err := w.Send(t.Context(), m)
		require.Equal(t, c.field, field(t, err), name)
		require.False(t, created)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := w.Send(ended, valid)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, w.stored(t))
}

func TestADamagedEntryKeepsNoOthersFromTheMessage(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]attributes{
		"read":    {"read": "text"},
		"lastSeq": {"lastSeq": "text"},
		"own":     {"own": "text", "read": 7},
		"below 0": {"read": -1},
	} {
		var damaged []string
		w := newWorld(t, &message.Options{OnCorrupt: func(e *plaza.CorruptError) { damaged = append(damaged, e.PK) }})
		w.create(t, "g", "ann", "ben", "cleo")
		w.send(t, "g", "ben")
		w.damage(t, "U#ann", "C#g", damage)
		require.EqualValues(t, 2, w.send(t, "g", "ann").Seq)
		require.Equal(t, []string{"U#ann"}, damaged, name)
		require.EqualValues(t, 2, w.entry(t, "g", "ben").LastSeq)
		require.EqualValues(t, 2, w.entry(t, "g", "cleo").LastSeq)
	}
}

func TestDamageIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range faults.Sample(2, map[string]struct {
		pk, sk string
		damage attributes
	}{
		"no members":         {"C#g", "M", nil},
		"members of a type":  {"C#g", "M", attributes{"members": "text"}},
		"members without":    {"C#g", "M", attributes{"mver": 0}},
		"head of a type":     {"C#g", "~", attributes{"n": "text"}},
		"head below zero":    {"C#g", "~", attributes{"n": -1}},
		"head too low":       {"C#g", "~", attributes{"n": 0}},
		"guard":              {"K#ann#k", "K", attributes{"seq": "text"}},
		"guard of no number": {"K#ann#k", "K", attributes{"seq": 77}},
		"message":            {"C#g#0", seqSK(1), attributes{"id": 7}},
	}) {
		for _, fresh := range []bool{false, true} {
			w := newWorld(t, nil)
			w.create(t, "g", "ann", "ben")
			m := say("g", "ann", "k")
			m.Key = "k"
			_, _, err := w.Send(t.Context(), m)
			require.NoError(t, err)
			if c.damage == nil {
				require.NoError(t, w.raw(t).Delete("pk", c.pk).Range("sk", c.sk).Run(t.Context()))
			} else {
				w.damage(t, c.pk, c.sk, c.damage)
			}
			if fresh {
				w = w.process(t, nil)
			}
			if c.pk == "C#g" {
				m = w.says("g", "ann", "another")
			}
			_, _, err = w.Send(t.Context(), m)
			if !fresh && c.sk == "M" { // this process knows them
				require.NoError(t, err)
				_, err = w.process(t, nil).Add(t.Context(), of("cleo", "g"), "ann")
			}
			require.ErrorIs(t, err, plaza.ErrCorrupt, name)
		}
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
	l.entry(t, "ann", attributes{"lastSeq": 61, "read": 0, "from": 0, "last": w.id().String(), "own": &types.AttributeValueMemberNS{Value: own}})
	for i := 60; i < 66; i++ {
		w.send(t, pair, "ann")
		found := w.entry(t, pair, "ann")
		require.LessOrEqual(t, len(found.Own), 64)
		if i < 64 {
			require.Zero(t, found.Read)
			require.EqualValues(t, 1, w.unreadOf(t, "ann").Messages)
		}
		slices.Sort(found.Own)
	}
	found := w.entry(t, pair, "ann")
	require.EqualValues(t, 67, found.Read, "they follow each other")
	require.Empty(t, found.Own)
	require.Zero(t, w.unreadOf(t, "ann").Messages)
	require.EqualValues(t, 66, w.unreadOf(t, "ben").Messages)
}

// The connection of one Send hangs. Other calls of its process go on after a while.
func TestASendThatHangsHoldsNobodyForever(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	inject := faults.New(t, 1, faults.Rates{})
	p := w.process(t, nil, inject.Wrap)
	hung := make(chan struct{}, 1)
	inject.Script(func(op string, body []byte, _ int) faults.Fault {
		if op == "TransactWriteItems" && strings.Contains(string(body), "hangs") {
			hung <- struct{}{}
			return faults.Fault{Kind: faults.Hung}
		}
		return faults.Fault{}
	})
	ctx, cancel := context.WithCancel(t.Context())
	answered := make(chan error)
	go func() {
		_, _, err := p.Send(ctx, p.says(pair, "ann", "hangs"))
		answered <- err
	}()
	<-hung
	for len(w.history(t, message.In{Conversation: pair, User: "ann"}, 1)) == 0 { // it is stored
		runtime.Gosched()
	}
	impatient, stop := context.WithCancel(t.Context())
	stop()
	_, _, err := p.Send(impatient, p.says(pair, "ann", "gives up"))
	require.ErrorIs(t, err, context.Canceled)
	cancel()
	require.ErrorIs(t, <-answered, plaza.ErrUnknownOutcome)
	require.EqualValues(t, 2, p.send(t, pair, "ann").Seq) // after the one that hung
}
