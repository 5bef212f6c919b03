package message_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/message"
)

// operation is a call that writes several items. It is about the group of that name, with
// ann, ben and cleo in it, and two messages.
type operation struct {
	call  func(ctx context.Context, p world, name string) (changed bool, err error)
	check func(t *testing.T, w world, name string) // after it was repeated until it succeeded
}

func of(user, group string) message.In { return message.In{Conversation: group, User: user} }

func pairOf(name string) message.Pair { return message.Pair{User: "ann " + name, Other: "ben " + name} }

func say(conversation, sender, key string) message.Message {
	return message.Message{Conversation: conversation, Sender: sender, Key: key + conversation, Text: "text of " + key}
}

func sends(ctx context.Context, p world, m message.Message) (created bool, err error) {
	_, created, err = p.Send(ctx, m)
	return created, err
}

var operations = map[string]operation{
	"send": {
		call: func(ctx context.Context, p world, name string) (bool, error) {
			return sends(ctx, p, say(name, "ben", "new"))
		},
		check: func(t *testing.T, w world, name string) {
			require.EqualValues(t, 3, w.settled(t, name, "ann", "ben", "cleo"))
		},
	},
	"first": {
		call: func(ctx context.Context, p world, name string) (bool, error) {
			to := pairOf(name)
			return sends(ctx, p, say(to.Conversation(), to.User, "first"))
		},
		check: func(t *testing.T, w world, name string) {
			require.EqualValues(t, 1, w.settled(t, pairOf(name).Conversation(), pairOf(name).User, pairOf(name).Other))
		},
	},
	"create": {
		call: func(ctx context.Context, p world, name string) (bool, error) {
			return p.Create(ctx, message.Group{ID: "other " + name, Members: crowd(100)}, "ann")
		},
		check: func(t *testing.T, w world, name string) {
			require.Zero(t, w.settled(t, "other "+name, crowd(100)...))
		},
	},
	"add": {
		call: func(ctx context.Context, p world, name string) (bool, error) {
			return p.Add(ctx, of("dan", name), "ann")
		},
		check: func(t *testing.T, w world, name string) {
			require.EqualValues(t, 2, w.settled(t, name, "ann", "ben", "cleo", "dan"))
			require.Empty(t, w.history(t, of("dan", name), 10))
		},
	},
	"recall": {
		call: func(ctx context.Context, p world, name string) (bool, error) {
			return p.Recall(ctx, of("ann", name), 2)
		},
		check: func(t *testing.T, w world, name string) {
			require.NotZero(t, w.message(t, of("ben", name), 2).Recalled)
			require.EqualValues(t, 2, w.settled(t, name, "ann", "ben", "cleo"))
			for _, user := range []string{"ben", "cleo"} {
				require.Equal(t, []int64{2}, w.entry(t, name, user).Recalled, user)
			}
		},
	},
	"react": {
		call: func(ctx context.Context, p world, name string) (bool, error) {
			return p.React(ctx, of("ben", name), 2, "like")
		},
		check: func(t *testing.T, w world, name string) {
			require.Equal(t, map[string][]string{"like": {"ben"}}, w.message(t, of("ann", name), 2).Reactions)
		},
	},
	"describe": {
		call: func(ctx context.Context, p world, name string) (bool, error) {
			return p.Describe(ctx, of("ann", name), message.Description{Name: "Climbers"})
		},
		check: func(t *testing.T, w world, name string) {
			require.Equal(t, "Climbers", w.details(t, "ben", name).Name)
			require.EqualValues(t, 2, w.settled(t, name, "ann", "ben", "cleo"))
		},
	},
	"set owner": {
		call: func(ctx context.Context, p world, name string) (bool, error) {
			return p.SetOwner(ctx, of("ann", name), "ben")
		},
		check: func(t *testing.T, w world, name string) {
			require.Equal(t, "ben", w.details(t, "cleo", name).Owner)
		},
	},
	"remove": {
		call: func(ctx context.Context, p world, name string) (bool, error) {
			return p.Remove(ctx, of("ben", name), "ann")
		},
		check: func(t *testing.T, w world, name string) {
			require.EqualValues(t, 2, w.settled(t, name, "ann", "cleo"))
		},
	},
	"leave": {
		call: func(ctx context.Context, p world, name string) (bool, error) { return p.Leave(ctx, of("ben", name)) },
		check: func(t *testing.T, w world, name string) {
			require.EqualValues(t, 2, w.settled(t, name, "ann", "cleo"))
			w.send(t, name, "ann")
			require.Equal(t, downFrom(2, 1), w.history(t, of("ben", name), 10))
		},
	},
}

// crowd returns n names of users.
func crowd(n int) (users []string) {
	for i := range n {
		users = append(users, fmt.Sprintf("user %03d", i))
	}
	return users
}

// message returns a message from a user's history.
func (w world) message(t testing.TB, in message.In, seq int64) message.Message {
	t.Helper()
	for m := range each(t, 50, w.historyOf(in)) {
		if m.Seq == seq {
			return m
		}
	}
	t.Fatalf("no message %d", seq)
	return message.Message{}
}

// settled checks a conversation that nobody writes to any more: numbers without gaps,
// one message for each key, the members, and their entries at the last message. It returns
// the number of messages.
func (w world) settled(t testing.TB, conversation string, members ...string) (n int64) {
	t.Helper()
	reader := of(members[0], conversation)
	require.ElementsMatch(t, members, w.members(t, reader))
	sent := map[string]bool{}
	var last message.Message
	var seqs []int64
	for m := range each(t, 50, w.historyOf(reader)) {
		if len(seqs) == 0 {
			last = m
		}
		seqs = append(seqs, m.Seq)
		require.NotContains(t, sent, m.Sender+m.Key)
		sent[m.Sender+m.Key] = true
	}
	n = int64(len(seqs))
	require.Equal(t, downFrom(n, 1), seqs)
	entries := w.entries(t, conversation, members)
	require.Len(t, entries, len(members))
	for user, found := range entries {
		require.Nil(t, found.Till, user)
		require.Equal(t, n, found.LastSeq, user)
		if found.From == 0 && n > 0 {
			require.Equal(t, last.ID.String(), found.Last, user)
		}
		require.NotEmpty(t, found.Last, user)
	}
	return n
}

// whole checks that a group's members, and nobody else, have an entry that says so.
func (w world) whole(t testing.TB, group string) {
	t.Helper()
	var in []string
	for user, e := range w.entries(t, group, append(crowd(100), "ann", "ben", "cleo", "dan")) {
		if e.Till == nil {
			in = append(in, user)
		}
	}
	var stored struct {
		Members []string `dynamo:"members"`
	}
	if item := w.item(t, "C#"+group, "M"); item != nil {
		require.NoError(t, dynamo.UnmarshalItem(item, &stored))
	}
	require.Equal(t, stored.Members != nil, w.item(t, "C#"+group, "~") != nil)
	require.ElementsMatch(t, stored.Members, in)
}

// run calls the operation in a process with a fault. If that fails, it repeats the call in
// a process that it is given. It checks the result.
func (o operation) run(t *testing.T, w world, name string, faulty func(call func(context.Context, world) (bool, error)) (repeats world, err error)) {
	t.Helper()
	w.lay(t, name, 0, "ann", "ben", "cleo").send(t, 2)
	repeats, err := faulty(func(ctx context.Context, p world) (bool, error) { return o.call(ctx, p, name) })
	w.whole(t, name)
	w.whole(t, "other "+name)
	if err != nil {
		require.NoError(t, failed(o.call(t.Context(), repeats, name)))
	}
	o.check(t, w.process(t, nil), name)
}

func TestAProcessThatIsKilledLeavesNothingHalf(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for name, o := range faults.Sample(5, operations, "send") {
		killed := true
		for k := 1; killed; k += faults.Size(1, 2) {
			for _, applied := range []bool{false, true} {
				if applied == (k%4 < 2) && !faults.Full() {
					continue // by turns
				}
				inject := faults.New(t, 1, faults.Rates{})
				if applied {
					inject.KillAt(k)
				} else {
					inject.KillBefore(k)
				}
				o.run(t, w, fmt.Sprint(name, " ", k, applied), func(call func(context.Context, world) (bool, error)) (world, error) {
					_, err := call(t.Context(), w.process(t, nil, inject.Wrap))
					killed = inject.Count(faults.KilledBefore)+inject.Count(faults.KilledAfter) > 0
					require.Equal(t, killed, err != nil, "%s, write %d", name, k)
					return w.process(t, nil), err
				})
			}
			require.Less(t, k, 12)
		}
	}
}

// A caller gives up while a request hangs, and its answer never comes. The process goes on.
func TestACallerWhoGivesUpLeavesNothingHalf(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for name, o := range faults.Sample(5, operations, "send") {
		hung := true
		for k := 1; hung; k += faults.Size(1, 4) {
			ctx, cancel := context.WithCancel(t.Context())
			inject := faults.New(t, 1, faults.Rates{})
			hung = false
			var mu sync.Mutex
			inject.Script(func(_ string, _ []byte, n int) faults.Fault {
				mu.Lock()
				defer mu.Unlock()
				if n != k {
					return faults.Fault{}
				}
				hung = true
				cancel()
				return faults.Fault{Kind: faults.Hung}
			})
			o.run(t, w, fmt.Sprint(name, " ", k), func(call func(context.Context, world) (bool, error)) (world, error) {
				p := w.process(t, nil, inject.Wrap)
				_, err := call(ctx, p)
				mu.Lock()
				defer mu.Unlock()
				require.Equal(t, hung, err != nil)
				if hung && !errors.Is(err, plaza.ErrUnknownOutcome) {
					require.ErrorIs(t, err, context.Canceled, "%s, request %d", name, k)
				}
				return p, err
			})
			cancel()
			require.Less(t, k, 20)
		}
	}
}

// A call that succeeds at once reports a change, even if the SDK repeated its requests.
func TestFaultsDoNoHarm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for seed := range faults.Seeds(8) {
		for name, o := range faults.Sample(4, operations, "send") {
			inject := faults.New(t, seed, faults.Rates{LostBefore: 0.05, LostAfter: 0.15, Throttled: 0.05, Twice: 0.1, Conflict: 0.05})
			o.run(t, w, fmt.Sprint(name, " ", seed), func(call func(context.Context, world) (bool, error)) (world, error) {
				p, changed := w.process(t, nil, inject.Wrap), false
				calls := faults.Acknowledged(t, func() (err error) { changed, err = call(t.Context(), p); return err })
				require.True(t, changed || calls > 1, name)
				return p, nil
			})
		}
	}
}

// Two users say more than their conversation's partition takes, and read inboxes whose
// index lags.
func TestAHotConversationAndInboxesThatLag(t *testing.T) {
	t.Parallel()
	lag, hot := faults.NewLag(t, 1), &faults.Buckets{}
	w := newWorld(t, &message.Options{MaxRunes: 20_000}, lag.Wrap, hot.Wrap)
	ctx := t.Context()
	does := func(want bool, call func() (bool, error)) {
		t.Helper()
		require.Equal(t, want, hot.Changes(t, call))
	}

	shown := map[string]message.Entry{}
	inbox := func(user string) (e message.Entry) {
		does(true, func() (bool, error) {
			page, err := w.Inbox(ctx, user, cursor.PageRequest{})
			for _, e = range page.Items {
				require.NotEmpty(t, e.Last.Text)
			}
			require.GreaterOrEqual(t, e.Last.Seq, shown[user].Last.Seq, "an inbox goes on, never back")
			require.LessOrEqual(t, e.Unread, e.Last.Seq-e.Read)
			shown[user] = e
			return err == nil, err
		})
		return e
	}
	var want []message.Message
	read := int64(0) // by ann, who only reads
	for hot.Throttled() < 50 || lag.Reads() < 50 {
		n := int64(len(want)) + 1
		require.Less(t, n, int64(100))
		m := w.says(pair, "ben", strings.Repeat("€", 7_000))
		does(true, func() (bool, error) { return sends(ctx, w, m) })
		does(false, func() (bool, error) { return sends(ctx, w, m) })
		if m.Seq = n; n%3 == 0 {
			m.Text = strings.Repeat("ß", 7_000)
			does(true, func() (bool, error) { _, changed, err := w.Edit(ctx, m); return changed, err })
		}
		want = append(want, m)
		inbox("ben")
		if last := inbox("ann").Last.Seq; last > read { // up to what she was shown
			does(true, func() (bool, error) { return w.MarkRead(ctx, of("ann", pair), last) })
			read = last
		}
	}
	require.Positive(t, hot.Busy())
	for range 50 {
		inbox("ann")
	}
	n := int64(len(want))
	for user, unread := range map[string]int64{"ann": n - read, "ben": 0} {
		e := inbox(user)
		require.Equal(t, []int64{n, unread}, []int64{e.Last.Seq, e.Unread}, user)
	}
	fast := w.process(t, nil)
	require.Equal(t, n, fast.settled(t, pair, "ann", "ben"))
	for m := range each(t, 50, fast.historyOf(of("ann", pair))) {
		require.Equal(t, want[m.Seq-1].Text, m.Text)
	}
}

func TestNoGoroutineIsLeft(t *testing.T) {
	w := newWorld(t, nil)
	for name, o := range faults.Sample(3, operations, "send") {
		o.run(t, w, name, func(call func(context.Context, world) (bool, error)) (world, error) {
			return w, failed(call(t.Context(), w.process(t, nil)))
		})
	}
	goleak.VerifyNone(t, goleak.IgnoreCurrent(), goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

// The hashes are stored, so that a repeat after an upgrade is one. Cases are only added.
func TestHashesOfRepeatsStayTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.create(t, "g", "ann", "ben")
	hash := func(pk, sk, name string) string {
		return fmt.Sprintf("%x", w.item(t, pk, sk)[name].(*types.AttributeValueMemberB).Value)
	}
	require.Equal(t, "e8e2d26ca9c62faff0fb428b8279d911f092b03bc6419826fd2360d8d89269b3", hash("C#g", "M", "made"))
	for _, tc := range []struct {
		key  string
		m    message.Message
		want string
	}{
		{"a", message.Message{Text: "hello"}, "c9d9a509f74861909e51cad8ab98fe57e51af14001993e6a6119839fefa8d98f"},
		{"b", message.Message{Text: "hi", Data: []byte(`{"a":1}`), ReplyTo: 1}, "197870c1233653e8882b00b939d18b62f71a85066fa50cbf8132bdbe375e1ddf"},
	} {
		tc.m.Conversation, tc.m.Sender, tc.m.Key = "g", "ann", tc.key
		require.NoError(t, failed(w.Send(t.Context(), tc.m)))
		require.Equal(t, tc.want, hash("K#ann#"+tc.key, "K", "hash"), tc.key)
	}
}
