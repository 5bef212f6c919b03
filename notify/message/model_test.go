package message_test

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/message"
)

// model keeps conversations in memory, as they should be.
type model struct {
	names    []string // of conversations, the first a pair's
	users    []string
	messages map[string][]message.Message // by conversation
	places   map[message.In]*place
	blocked  map[string]bool // who of the pair blocks the other
	groups   map[string]message.Details
}

// place is a user's state in a conversation.
type place struct {
	from, read int64
	till       int64 // -1: a member
	last       ids.ID
	listed     bool
	muted      bool
	unread     int64 // marked unread from here on; 0: not
}

// unreadFrom is what an inbox shows of a mark.
func (p *place) unreadFrom() int64 {
	if p.unread <= p.from {
		return 0
	}
	return p.unread
}

func newModel(n int) *model {
	m := &model{messages: map[string][]message.Message{}, places: map[message.In]*place{}, blocked: map[string]bool{}, groups: map[string]message.Details{}}
	for _, user := range []string{"ann", "ben", "cleo", `d#\n`} {
		m.users = append(m.users, fmt.Sprint(user, " ", n))
	}
	p := message.Pair{User: m.users[0], Other: m.users[1]}
	m.names = []string{p.Conversation(), fmt.Sprint("group ", n), fmt.Sprint("other ", n)}
	for _, user := range m.users[:2] {
		m.places[of(user, p.Conversation())] = &place{till: -1}
	}
	return m
}

func (m *model) member(in message.In) bool { return m.places[in] != nil && m.places[in].till < 0 }

// exists reports whether a group was created.
func (m *model) exists(group string) bool {
	return slices.ContainsFunc(m.users, func(user string) bool { return m.places[of(user, group)] != nil })
}

// joins adds a member to a group, whom nobody precedes if it was empty.
func (m *model) joins(in message.In) {
	g := m.groups[in.Conversation]
	if g.Members = append(slices.Clone(g.Members), in.User); g.Owner == "" {
		g.Owner = in.User
	}
	m.groups[in.Conversation] = g
}

// leaves ends a membership. The member of longest standing follows an owner.
func (m *model) leaves(in message.In) {
	m.places[in].till = int64(len(m.messages[in.Conversation]))
	g := m.groups[in.Conversation]
	g.Members = slices.DeleteFunc(slices.Clone(g.Members), func(user string) bool { return user == in.User })
	if g.Owner == in.User {
		g.Owner = ""
		if len(g.Members) > 0 {
			g.Owner = g.Members[0]
		}
	}
	m.groups[in.Conversation] = g
}

// owns returns why a user may not do to a group what only its owner may.
func (m *model) owns(in message.In) error {
	switch {
	case !m.member(in):
		return message.ErrNotMember
	case m.groups[in.Conversation].Owner != in.User:
		return message.ErrNotOwner
	}
	return nil
}

// newest returns the number of the last message that the user may read.
func (m *model) newest(in message.In) int64 {
	p, n := m.places[in], int64(len(m.messages[in.Conversation]))
	if p != nil && p.till >= 0 {
		n = p.till
	}
	return n
}

func (m *model) send(sent message.Message) {
	m.messages[sent.Conversation] = append(m.messages[sent.Conversation], sent)
	for _, user := range m.users {
		if in := of(user, sent.Conversation); m.member(in) {
			m.places[in].last, m.places[in].listed = sent.ID, true
		}
	}
}

// react reports whether a reaction changes.
func react(to *message.Message, user, kind string) (changed bool) {
	users := map[string][]string{}
	for k, all := range to.Reactions {
		kept := slices.DeleteFunc(slices.Clone(all), func(other string) bool { return other == user })
		if len(kept) < len(all) {
			changed = k != kind
		}
		if len(kept) > 0 {
			users[k] = kept
		}
	}
	if kind != "" {
		changed = changed || !slices.Contains(to.Reactions[kind], user)
		users[kind] = append(users[kind], user)
		slices.Sort(users[kind])
	}
	if to.Reactions = users; len(users) == 0 {
		to.Reactions = nil
	}
	return changed
}

func (m *model) unread(in message.In) (n int64) {
	p := m.places[in]
	for _, sent := range m.messages[in.Conversation] {
		if sent.Seq > max(p.read, p.from) && sent.Seq <= m.newest(in) && sent.Sender != in.User && sent.Recalled.IsZero() {
			n++
		}
	}
	return n
}

func (m *model) history(in message.In) (found []message.Message) {
	for _, sent := range slices.Backward(m.messages[in.Conversation][:m.newest(in)]) {
		if sent.Seq > m.places[in].from {
			found = append(found, sent)
		}
	}
	return found
}

// inbox is a user's conversations, newest first.
func (m *model) inbox(user string) (names []string) {
	for _, name := range m.names {
		if p := m.places[of(user, name)]; p != nil && p.listed && p.till < 0 {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Compare(m.places[of(user, b)].last, m.places[of(user, a)].last)
	})
	return names
}

// compare checks what every user sees.
func (m *model) compare(t require.TestingT, w world, tb testing.TB) {
	for _, user := range m.users {
		entries := w.inbox(tb, user)
		var names []string
		for _, e := range entries {
			names = append(names, e.Conversation)
		}
		require.Equal(t, m.inbox(user), names, user)
		var want message.Count
		for _, e := range entries {
			in := of(user, e.Conversation)
			p := m.places[in]
			if n := m.unread(in); !p.muted && (n > 0 || p.unreadFrom() > 0) {
				want.Conversations++
				want.Messages += n
			}
			require.Equal(t, []any{p.muted, p.unreadFrom()}, []any{e.Muted, e.UnreadFrom}, in)
			require.Equal(t, m.unread(in), e.Unread, in)
			require.LessOrEqual(t, max(p.read, p.from), e.Read, in)
			for _, sent := range m.messages[e.Conversation] {
				if sent.Seq > max(p.read, p.from) && sent.Seq <= e.Read {
					require.Equal(t, user, sent.Sender, in)
				}
			}
			shown := message.Message{}
			if found := m.history(in); len(found) > 0 {
				shown = found[0]
			}
			require.Equal(t, shown, e.Last, in)
		}
		count, err := w.Unread(tb.Context(), user)
		require.NoError(t, err)
		require.Equal(t, want, count, user)
		details, err := w.Details(tb.Context(), user, m.names[1:]...)
		require.NoError(t, err)
		wanted := map[string]message.Details{}
		for _, name := range m.names[1:] {
			if m.member(of(user, name)) {
				wanted[name] = m.groups[name]
			}
		}
		require.Equal(t, wanted, details, user)
		for _, name := range m.names {
			in := of(user, name)
			members, err := w.Members(tb.Context(), in)
			if !m.member(in) {
				require.ErrorIs(t, err, plaza.ErrForbidden)
			} else {
				require.NoError(t, err)
				require.True(t, slices.IsSorted(members))
				for _, other := range m.users {
					require.Equal(t, m.member(of(other, name)), slices.Contains(members, other))
				}
			}
			if m.places[in] == nil {
				require.ErrorIs(t, failed(w.History(tb.Context(), in, cursor.PageRequest{})), plaza.ErrForbidden)
				continue
			}
			require.Equal(t, m.history(in), slices.Collect(each(tb, 7, w.historyOf(in))), in)
		}
	}
}

// Two processes take turns, so that what each remembers goes out of date. The entries of
// some messages are written only by a repeat of Send, or long after it.
func TestConversationsAreAsTheModelSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	lagging := new(atomic.Bool)
	late := &faults.Late{Holds: func(op string, body []byte) bool {
		return lagging.Load() && op == "UpdateItem" && bytes.Contains(body, []byte(`"U#`))
	}}
	laggard := w.process(t, nil, late.Wrap)
	checks, failing := 0, false
	rapid.Check(t, func(rt *rapid.T) {
		if checks++; checks > faults.Size(25, 3) && !failing { // rapid repeats what failed
			return
		}
		failing = true
		m := newModel(checks)
		processes := []world{w.process(t, nil), w.process(t, nil)}
		p := func() world { return processes[rapid.IntRange(0, 1).Draw(rt, "process")] }
		user := func() string { return rapid.SampledFrom(m.users).Draw(rt, "user") }
		in := func() message.In { return of(user(), rapid.SampledFrom(m.names).Draw(rt, "conversation")) }
		group := func() message.In { return of(user(), rapid.SampledFrom(m.names[1:]).Draw(rt, "group")) }
		isPair := func(name string) bool { return name == m.names[0] }
		outcome := func(changed bool, err error, want bool, wanted error) {
			if wanted != nil {
				require.ErrorIs(rt, err, wanted)
				return
			}
			require.NoError(rt, err)
			require.Equal(rt, want, changed)
		}
		var said, held []message.Message // as they were sent; without entries yet
		kept := false                    // requests that may still arrive
		rt.Repeat(map[string]func(*rapid.T){
			"create": func(rt *rapid.T) {
				name := rapid.SampledFrom(m.names[1:]).Draw(rt, "group")
				begins := !m.exists(name)
				created, err := p().Create(t.Context(), message.Group{ID: name, Members: m.users[:3]}, "ann")
				outcome(created, err, begins, nil)
				if begins {
					id := w.id() // after the group's
					for _, user := range m.users[:3] {
						m.places[of(user, name)] = &place{till: -1, last: id, listed: true}
						m.joins(of(user, name))
					}
				}
			},
			"send": func(rt *rapid.T) {
				in := in()
				n := int64(len(m.messages[in.Conversation]))
				sent := w.says(in.Conversation, in.User, fmt.Sprint("text ", len(said)))
				sent.ReplyTo = rapid.Int64Range(0, n).Draw(rt, "reply to")
				got, created, err := p().Send(t.Context(), sent)
				var refusal error
				if !m.member(in) {
					refusal = message.ErrNotMember
				} else if isPair(in.Conversation) && len(m.blocked) > 0 {
					refusal = message.ErrBlocked
				}
				outcome(created, err, true, refusal)
				if refusal == nil {
					said = append(said, sent)
					sent.Seq, sent.ID = n+1, got.ID
					require.Equal(rt, sent, got)
					m.send(sent)
				}
			},
			"repeat": func(rt *rapid.T) {
				if len(said) == 0 {
					rt.Skip("nothing was sent")
				}
				sent := rapid.SampledFrom(said).Draw(rt, "message")
				got, created, err := p().Send(t.Context(), sent)
				outcome(created, err, false, nil)
				require.Equal(rt, m.messages[sent.Conversation][got.Seq-1], got)
				sent.Text += " otherwise"
				require.ErrorIs(rt, failed(p().Send(t.Context(), sent)), plaza.ErrConflict)
			},
			"send, and leave the entries to a repeat": func(rt *rapid.T) {
				in := in()
				if !m.member(in) || isPair(in.Conversation) && len(m.blocked) > 0 {
					rt.Skip("it would be refused")
				}
				sent := w.says(in.Conversation, in.User, fmt.Sprint("text ", len(said)))
				lagging.Store(true)
				got, created, err := laggard.Send(t.Context(), sent)
				lagging.Store(false)
				require.Error(rt, err)
				require.True(rt, created)
				said, held, kept = append(said, sent), append(held, sent), true
				m.send(got)
			},
			"late entries arrive": func(rt *rapid.T) {
				if !kept {
					rt.Skip("none is late")
				}
				late.Arrive(t)
				kept = false
			},
			"edit or recall": func(rt *rapid.T) {
				in := in()
				n := len(m.messages[in.Conversation])
				seq := rapid.IntRange(1, n+1).Draw(rt, "number")
				var stored *message.Message
				if seq <= n {
					stored = &m.messages[in.Conversation][seq-1]
				}
				edits := rapid.Bool().Draw(rt, "edits")
				var wanted error
				stranger := isPair(in.Conversation) && m.places[in] == nil
				switch {
				case stranger, edits && !m.member(in), m.places[in] == nil:
					wanted = message.ErrNotMember
				case edits && isPair(in.Conversation) && len(m.blocked) > 0:
					wanted = message.ErrBlocked
				case stored == nil:
					wanted = plaza.ErrNotFound
				case stored.Sender != in.User:
					wanted = plaza.ErrForbidden
				case edits && !stored.Recalled.IsZero():
					wanted = plaza.ErrRemoved
				}
				if !edits {
					changed, err := p().Recall(t.Context(), in, int64(seq))
					outcome(changed, err, wanted == nil && stored.Recalled.IsZero(), wanted)
					if changed {
						*stored = message.Message{
							Conversation: in.Conversation, Sender: in.User, ReplyTo: stored.ReplyTo,
							Seq: stored.Seq, ID: stored.ID, Recalled: w.Now(),
						}
					}
					return
				}
				to := message.Message{
					Conversation: in.Conversation, Sender: in.User, Seq: int64(seq),
					Text: rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, "text"), Data: []byte(`{"a":1}`),
				}
				got, changed, err := p().Edit(t.Context(), to)
				differs := wanted == nil && (stored.Text != to.Text || string(stored.Data) != string(to.Data))
				outcome(changed, err, differs, wanted)
				if changed {
					stored.Text, stored.Data, stored.Edited = to.Text, to.Data, w.Now()
				}
				if err == nil {
					require.Equal(rt, *stored, got)
				}
			},
			"add": func(rt *rapid.T) {
				in := group()
				changed, err := p().Add(t.Context(), in, in.User)
				if !m.exists(in.Conversation) {
					require.ErrorIs(rt, err, plaza.ErrNotFound)
					return
				}
				outcome(changed, err, !m.member(in), nil)
				if changed {
					n := int64(len(m.messages[in.Conversation]))
					was := m.places[in]
					m.places[in] = &place{from: n, read: n, till: -1, last: w.id(), listed: true, muted: was != nil && was.muted}
					m.joins(in)
				}
			},
			"leave": func(rt *rapid.T) {
				in := group()
				changed, err := p().Leave(t.Context(), in)
				if m.places[in] == nil {
					require.ErrorIs(rt, err, message.ErrNotMember)
					return
				}
				outcome(changed, err, m.member(in), nil)
				if changed {
					m.leaves(in)
				}
			},
			"remove": func(rt *rapid.T) {
				in, by := group(), user()
				if by == in.User {
					rt.Skip("it is a leaving")
				}
				changed, err := p().Remove(t.Context(), in, by)
				refusal := m.owns(of(by, in.Conversation))
				outcome(changed, err, m.member(in), refusal)
				if refusal == nil && changed {
					m.leaves(in)
				}
			},
			"describe": func(rt *rapid.T) {
				in := group()
				d := message.Description{Name: rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, "name")}
				changed, err := p().Describe(t.Context(), in, d)
				refusal := m.owns(in)
				g := m.groups[in.Conversation]
				if m.member(in) && g.Description == d {
					refusal = nil // nothing to change
				}
				outcome(changed, err, g.Description != d, refusal)
				if refusal == nil {
					g.Description = d
					m.groups[in.Conversation] = g
				}
			},
			"set owner": func(rt *rapid.T) {
				in, to := group(), user()
				changed, err := p().SetOwner(t.Context(), in, to)
				g, refusal := m.groups[in.Conversation], m.owns(in)
				if m.member(in) && g.Owner == to {
					refusal = nil
				} else if refusal == nil && !m.member(of(to, in.Conversation)) {
					refusal = plaza.ErrNotFound
				}
				outcome(changed, err, g.Owner != to, refusal)
				if refusal == nil {
					g.Owner = to
					m.groups[in.Conversation] = g
				}
			},
			"react": func(rt *rapid.T) {
				in := in()
				n := len(m.messages[in.Conversation])
				seq := rapid.IntRange(1, n+1).Draw(rt, "number")
				kind := rapid.SampledFrom([]string{"", "like", "love"}).Draw(rt, "kind")
				var changed bool
				var err error
				if kind == "" {
					changed, err = p().Unreact(t.Context(), in, int64(seq))
				} else {
					changed, err = p().React(t.Context(), in, int64(seq), kind)
				}
				switch {
				case !m.member(in):
					outcome(changed, err, false, message.ErrNotMember)
				case isPair(in.Conversation) && len(m.blocked) > 0:
					outcome(changed, err, false, message.ErrBlocked)
				case seq > n:
					outcome(changed, err, false, plaza.ErrNotFound)
				case !m.messages[in.Conversation][seq-1].Recalled.IsZero():
					outcome(changed, err, false, plaza.ErrRemoved)
				default:
					outcome(changed, err, react(&m.messages[in.Conversation][seq-1], in.User, kind), nil)
				}
			},
			"block": func(rt *rapid.T) {
				i := rapid.IntRange(0, 1).Draw(rt, "who")
				who := message.Pair{User: m.users[i], Other: m.users[1-i]}
				if rapid.Bool().Draw(rt, "on") {
					changed, err := p().Block(t.Context(), who)
					outcome(changed, err, !m.blocked[who.User], nil)
					m.blocked[who.User] = true
				} else {
					changed, err := p().Unblock(t.Context(), who)
					outcome(changed, err, m.blocked[who.User], nil)
					delete(m.blocked, who.User)
				}
			},
			"read": func(rt *rapid.T) {
				in := in()
				upTo := rapid.Int64Range(1, int64(len(m.messages[in.Conversation]))+1).Draw(rt, "up to")
				changed, err := p().MarkRead(t.Context(), in, upTo)
				switch {
				case m.places[in] == nil:
					require.ErrorIs(rt, err, plaza.ErrForbidden)
				case upTo > m.newest(in):
					require.ErrorIs(rt, err, plaza.ErrInvalid)
				default:
					place := m.places[in]
					own := true // of what comes after what was marked
					for _, sent := range m.messages[in.Conversation][:upTo] {
						own = own && (sent.Seq <= max(place.read, place.from) || sent.Sender == in.User)
					}
					marked := place.unreadFrom() > 0 && place.unread <= upTo
					outcome(changed, err, changed && upTo > max(place.read, place.from) || !own || marked, nil)
					place.read = max(place.read, upTo)
					if changed && place.unread <= upTo {
						place.unread = 0
					}
				}
			},
			"mark unread": func(rt *rapid.T) {
				in := in()
				from := rapid.Int64Range(1, int64(len(m.messages[in.Conversation]))+1).Draw(rt, "from")
				changed, err := p().MarkUnread(t.Context(), in, from)
				if place := m.places[in]; place == nil {
					require.ErrorIs(rt, err, message.ErrNotMember)
				} else if err == nil && changed { // own messages may be read or not
					require.Greater(rt, from, place.from)
					place.unread = from
				} else if err != nil {
					require.ErrorIs(rt, err, plaza.ErrNotFound)
					require.Empty(rt, m.messages[in.Conversation])
				} else {
					require.True(rt, from > place.read || from <= place.from || from == place.unread)
				}
			},
			"mute": func(rt *rapid.T) {
				in, on := in(), rapid.Bool().Draw(rt, "on")
				mute := p().Unmute
				if on {
					mute = p().Mute
				}
				changed, err := mute(t.Context(), in)
				switch place := m.places[in]; {
				case place == nil:
					require.ErrorIs(rt, err, message.ErrNotMember)
				case isPair(in.Conversation) && len(m.messages[in.Conversation]) == 0:
					require.ErrorIs(rt, err, plaza.ErrNotFound)
				default:
					outcome(changed, err, place.muted != on, nil)
					place.muted = on
				}
			},
			"clear": func(rt *rapid.T) {
				in := in()
				changed, err := p().Clear(t.Context(), in)
				if m.places[in] == nil {
					require.ErrorIs(rt, err, plaza.ErrForbidden)
					return
				}
				outcome(changed, err, m.newest(in) > m.places[in].from, nil)
				m.places[in].from = max(m.places[in].from, m.newest(in))
			},
		})
		for _, sent := range held {
			_, created, err := w.Send(t.Context(), sent)
			outcome(created, err, false, nil)
		}
		m.compare(rt, w, t)
		if kept {
			late.Arrive(t)
			m.compare(rt, w, t)
		}
		failing = false
	})
}
