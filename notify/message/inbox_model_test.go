package message_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/message"
)

// talk is the model of a conversation.
type talk struct {
	name     string
	pair     bool
	messages []spoken
	users    map[string]*user
}

type spoken struct {
	sender   string
	recalled bool
}

// user is a member or former member of a talk.
type user struct {
	member     bool
	from, till int64 // the user may read the messages in between
	read       int64
	place      int // in the inbox, in the order of calls
}

func (c *talk) n() int64 { return int64(len(c.messages)) }

// upTo is the last message that a user may read.
func (c *talk) upTo(u *user) int64 {
	if u.member {
		return c.n()
	}
	return u.till
}

// own returns the number up to which a user has read, if the user's own messages that
// follow count.
func (c *talk) own(name string, read int64) int64 {
	for read < c.n() && c.messages[read].sender == name {
		read++
	}
	return read
}

var whole = cursor.PageRequest{Limit: cursor.MaxLimit}

// shuffle makes random calls and compares what users see with the model.
type shuffle struct {
	world
	suffix  string // for the names of one run
	late    *faults.Late
	laggard world // whose entries do not arrive
	lagging bool
	talks   []*talk
	calls   int
	held    []message.Message // stored by the laggard, and not repeated yet
	kept    bool              // requests that may still arrive
}

func (m *shuffle) name(short string) string { return short + m.suffix }

func (m *shuffle) member(c *talk, t *rapid.T) (string, *user) {
	var members []string
	for name, u := range c.users {
		if u.member {
			members = append(members, name)
		}
	}
	if len(members) == 0 {
		return "", nil
	}
	slices.Sort(members)
	name := rapid.SampledFrom(members).Draw(t, "member")
	return name, c.users[name]
}

func (m *shuffle) send(t *rapid.T, late bool) {
	c := rapid.SampledFrom(m.talks).Draw(t, "talk")
	name, _ := m.member(c, t)
	if name == "" {
		return
	}
	m.calls++
	msg := m.says(c.name, name, fmt.Sprint("text ", m.calls))
	by := m.world
	if late {
		by, m.lagging = m.laggard, true
	}
	sent, created, err := by.Send(context.Background(), msg)
	m.lagging = false
	require.Equal(t, late, err != nil, "%v", err)
	require.True(t, created, "%v", err)
	require.Equal(t, c.n()+1, sent.Seq)
	c.messages = append(c.messages, spoken{sender: name})
	for _, u := range c.users {
		if u.member {
			u.place = m.calls
		}
	}
	if late {
		m.held, m.kept = append(m.held, msg), true
	}
}

func (m *shuffle) settle(t *rapid.T) {
	for _, msg := range m.held {
		_, created, err := m.Send(context.Background(), msg)
		require.NoError(t, err)
		require.False(t, created)
	}
	m.held = nil
}

// check compares everything that users see.
func (m *shuffle) check(t *rapid.T) {
	m.settle(t)
	for _, name := range []string{"ann", "ben", "carl", "dora"} {
		name = m.name(name)
		var want []message.Entry
		var count message.Count
		places := map[string]int{}
		for _, c := range m.talks {
			in := message.In{Conversation: c.name, User: name}
			u := c.users[name]
			if u == nil || !u.member {
				_, err := m.Receipts(context.Background(), in)
				require.ErrorIs(t, err, message.ErrNotMember)
			}
			if u == nil {
				_, err := m.History(context.Background(), in, whole)
				require.ErrorIs(t, err, message.ErrNotMember)
				continue
			}
			history, err := m.History(context.Background(), in, whole)
			require.NoError(t, err)
			m.same(t, c, history.Items, u.from, c.upTo(u))
			if !u.member {
				continue
			}
			read, err := m.Receipts(context.Background(), in)
			require.NoError(t, err)
			require.Equal(t, members(c), slices.Sorted(maps.Keys(read)))
			for other, upTo := range read {
				o := c.users[other]
				require.Equal(t, c.own(other, max(o.read, o.from)), c.own(other, upTo), "%s of %s has read", other, c.name)
			}
			if c.pair && c.n() == 0 {
				continue
			}
			e := message.Entry{Conversation: c.name, Read: read[name]}
			if c.pair {
				e.Other = other(c, name)
			}
			for seq := max(u.read, u.from) + 1; seq <= c.n(); seq++ {
				if c.messages[seq-1].sender != name {
					e.Unread++
				}
			}
			if len(history.Items) > 0 {
				e.Last = history.Items[0]
			}
			want, places[c.name] = append(want, e), u.place
			if e.Unread > 0 {
				count.Conversations++
				count.Messages += e.Unread
			}
		}
		slices.SortFunc(want, func(a, b message.Entry) int { return cmp.Compare(places[b.Conversation], places[a.Conversation]) })
		inbox, err := m.Inbox(context.Background(), name, whole)
		require.NoError(t, err)
		require.Equal(t, want, slices.Clip(append([]message.Entry(nil), inbox.Items...)))
		got, err := m.Unread(context.Background(), name)
		require.NoError(t, err)
		require.Equal(t, count, got)
	}
}

// same compares messages, newest first, with those above a number.
func (m *shuffle) same(t *rapid.T, c *talk, got []message.Message, from, upTo int64) {
	require.Len(t, got, int(max(0, upTo-from)))
	for i, g := range got {
		w := c.messages[upTo-int64(i)-1]
		require.Equal(t, upTo-int64(i), g.Seq)
		require.Equal(t, w.sender, g.Sender)
		require.Equal(t, w.recalled, !g.Recalled.IsZero())
		require.Equal(t, w.recalled, g.Text == "")
	}
}

func members(c *talk) (all []string) {
	for name, u := range c.users {
		if u.member {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

func other(c *talk, name string) string {
	for o := range c.users {
		if o != name {
			return o
		}
	}
	return ""
}

// Calls come in random order. The entries of some messages are written only by a repeat of
// Send, or long after it.
func TestInboxesAreWhatWasDone(t *testing.T) {
	t.Parallel()
	m := &shuffle{world: newWorld(t, nil)}
	m.late = &faults.Late{Holds: func(op string, body []byte) bool {
		return m.lagging && op == "UpdateItem" && strings.Contains(string(body), `"U#`)
	}}
	m.laggard = m.process(t, nil, m.late.Wrap)
	run, failing := 0, false
	rapid.Check(t, func(rt *rapid.T) {
		if run++; run > faults.Size(20, 1) && !failing { // rapid repeats what failed
			return
		}
		failing = true
		m.begin(rt, run)
		actions := map[string]func(*rapid.T){
			"send":       func(rt *rapid.T) { m.send(rt, false) },
			"send again": func(rt *rapid.T) { m.send(rt, false) },
			"send late":  func(rt *rapid.T) { m.send(rt, true) },
			"read":       m.readSome,
			"clear":      m.clearAll,
			"membership": m.join,
			"recall":     m.recall,
			"late entries arrive": func(*rapid.T) {
				if m.kept {
					m.late.Arrive(t)
					m.kept = false
				}
			},
			"check": m.check,
		}
		rt.Repeat(actions)
		m.check(rt)
		if m.kept {
			m.late.Arrive(t)
			m.kept = false
			m.check(rt)
		}
		failing = false
	})
}

// begin creates conversations with names that no other run has.
func (m *shuffle) begin(t *rapid.T, run int) {
	m.calls, m.held = 0, nil
	m.suffix = fmt.Sprint(" ", run)
	m.talks = nil
	p := message.Pair{User: m.name("ann"), Other: m.name("ben")}
	pairUsers := map[string]*user{p.User: {member: true}, p.Other: {member: true}}
	m.talks = append(m.talks, &talk{name: p.Conversation(), pair: true, users: pairUsers})
	for _, id := range []string{"g", "h"} {
		c := &talk{name: m.name(id), users: map[string]*user{}}
		m.calls++
		var names []string
		for _, name := range []string{"ann", "ben", "carl"} {
			names = append(names, m.name(name))
			c.users[m.name(name)] = &user{member: true, place: m.calls}
		}
		_, err := m.Create(context.Background(), message.Group{ID: c.name, Members: names}, "ann")
		require.NoError(t, err)
		m.talks = append(m.talks, c)
	}
}

func (m *shuffle) readSome(t *rapid.T) {
	c := rapid.SampledFrom(m.talks).Draw(t, "talk")
	name := m.name(rapid.SampledFrom([]string{"ann", "ben", "carl", "dora"}).Draw(t, "user"))
	upTo := int64(rapid.IntRange(1, int(c.n())+1).Draw(t, "up to"))
	err := errOf(m.MarkRead(context.Background(), message.In{Conversation: c.name, User: name}, upTo))
	switch u := c.users[name]; {
	case u == nil:
		require.ErrorIs(t, err, message.ErrNotMember)
	case upTo > c.upTo(u):
		require.ErrorIs(t, err, plaza.ErrInvalid)
	default:
		require.NoError(t, err)
		u.read = max(u.read, upTo)
	}
}

func (m *shuffle) clearAll(t *rapid.T) {
	c := rapid.SampledFrom(m.talks).Draw(t, "talk")
	name := m.name(rapid.SampledFrom([]string{"ann", "ben", "carl", "dora"}).Draw(t, "user"))
	err := errOf(m.Clear(context.Background(), message.In{Conversation: c.name, User: name}))
	if u := c.users[name]; u != nil {
		require.NoError(t, err)
		u.from = max(u.from, c.upTo(u))
		return
	}
	require.ErrorIs(t, err, message.ErrNotMember)
}

// join adds a user who is not a member, and removes one who is.
func (m *shuffle) join(t *rapid.T) {
	c := m.talks[rapid.IntRange(1, len(m.talks)-1).Draw(t, "group")]
	name := m.name(rapid.SampledFrom([]string{"ann", "ben", "carl", "dora"}).Draw(t, "user"))
	in := message.In{Conversation: c.name, User: name}
	u := c.users[name]
	m.calls++
	if u != nil && u.member {
		changed, err := m.Leave(context.Background(), in)
		require.NoError(t, err)
		require.True(t, changed)
		u.member, u.till = false, c.n()
		return
	}
	changed, err := m.Add(context.Background(), in, "ann")
	require.NoError(t, err)
	require.True(t, changed)
	c.users[name] = &user{member: true, from: c.n(), read: c.n(), place: m.calls}
}

func (m *shuffle) recall(t *rapid.T) {
	c := rapid.SampledFrom(m.talks).Draw(t, "talk")
	if c.n() == 0 {
		return
	}
	seq := rapid.Int64Range(1, c.n()).Draw(t, "seq")
	s := &c.messages[seq-1]
	changed, err := m.Recall(context.Background(), message.In{Conversation: c.name, User: s.sender}, seq)
	require.NoError(t, err)
	require.Equal(t, !s.recalled, changed)
	s.recalled = true
}
