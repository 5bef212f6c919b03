package message_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/message"
)

// marks are the calls that raise a number of an entry, in a conversation of 9 messages.
var marks = map[string]func(ctx context.Context, w world, in message.In) error{
	"read":          func(ctx context.Context, w world, in message.In) error { return errOf(w.MarkRead(ctx, in, 5)) },
	"read the last": func(ctx context.Context, w world, in message.In) error { return errOf(w.MarkRead(ctx, in, 9)) },
	"clear":         func(ctx context.Context, w world, in message.In) error { return errOf(w.Clear(ctx, in)) },
	"read and clear": func(ctx context.Context, w world, in message.In) error {
		if err := errOf(w.MarkRead(ctx, in, 5)); err != nil {
			return err
		}
		return errOf(w.Clear(ctx, in))
	},
}

func marked(name string) int64 {
	if name == "read" {
		return 5
	}
	return 9
}

// eachEntry runs a test for each call, on entries that are as they should be, that lag, and
// that are missing.
func eachEntry(t *testing.T, test func(t *testing.T, name string, w world, in message.In)) {
	entries := map[string]attributes{"sound": nil, "lagging": {"lastSeq": 2, "read": 1}, "missing": {}}
	for i, name := range slices.Sorted(maps.Keys(marks)) {
		for j, kind := range slices.Sorted(maps.Keys(entries)) {
			if i%len(entries) != j && !faults.Full() {
				continue
			}
			entry := entries[kind]
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, nil)
				l := w.lay(t, pair, 0, "ann", "ben")
				l.send(t, 9)
				switch {
				case entry == nil:
				case len(entry) == 0:
					require.NoError(t, w.raw(t).Delete("pk", "U#ben").Range("sk", "C#"+pair).Run(t.Context()))
				default:
					l.entry(t, "ben", entry)
				}
				test(t, name, w, message.In{Conversation: pair, User: "ben"})
			})
		}
	}
}

func TestAMarkOfAKilledProcessIsWholeOrMissing(t *testing.T) {
	t.Parallel()
	eachEntry(t, func(t *testing.T, name string, w world, in message.In) {
		before := w.receipts(t, in)["ben"]
		for at := 1; ; at++ {
			killed := faults.New(t, 1, faults.Rates{})
			if at%2 == 0 {
				killed.KillAt(at / 2)
			} else {
				killed.KillBefore(at/2 + 1)
			}
			err := marks[name](t.Context(), w.process(t, nil, killed.Wrap), in)
			got := w.receipts(t, in)["ben"]
			require.Contains(t, []int64{before, 5, marked(name)}, got)
			require.GreaterOrEqual(t, got, before)
			before = got
			if err == nil {
				break
			}
		}
		require.Equal(t, marked(name), before)
	})
}

// The caller gives up after each request. The request arrives after the user's later
// calls.
func TestALateMarkTakesNothingBack(t *testing.T) {
	t.Parallel()
	eachEntry(t, func(t *testing.T, name string, w world, in message.In) {
		late := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "UpdateItem" }}
		p := w.process(t, nil, late.Wrap)
		require.Error(t, marks[name](t.Context(), p, in))
		w.read(t, in, 9)
		require.NoError(t, errOf(w.Clear(t.Context(), in)))
		w.send(t, pair, "ann", "ann")
		w.read(t, in, 10)
		late.Arrive(t)
		require.Equal(t, map[string]int64{"ann": 0, "ben": 10}, w.receipts(t, in))
		require.Equal(t, []int64{11, 10}, w.history(t, in, 9))
		require.EqualValues(t, 1, w.inbox(t, "ben")[0].Unread)
	})
}

func TestAMarkEndsWithItsContext(t *testing.T) {
	w := newWorld(t, nil)
	w.lay(t, pair, 0, "ann", "ben").send(t, 9)
	in := message.In{Conversation: pair, User: "ben"}
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent(), goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
	for name, call := range marks {
		ctx, cancel := context.WithCancel(t.Context())
		hung := faults.New(t, 1, faults.Rates{})
		hung.Script(func(string, []byte, int) faults.Fault { cancel(); return faults.Fault{Kind: faults.Hung} })
		require.Error(t, call(ctx, w.process(t, nil, hung.Wrap), in), name)
		require.Equal(t, 1, hung.Requests(), name)
		require.NoError(t, call(t.Context(), w, in))
	}
}

// Two devices of each user read and clear while a third user sends, and every answer may
// be lost.
func TestMarksUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range faults.Seeds(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			in := faults.New(t, seed, faults.Rates{LostBefore: 0.1, LostAfter: 0.15, Twice: 0.1, Throttled: 0.05, Conflict: 0.1})
			w := newWorld(t, nil, in.Wrap)
			quiet := w.process(t, nil)
			l := quiet.lay(t, "g", 0, "zoe", "ann", "ben")
			random := rand.New(rand.NewPCG(seed, 1))
			read, from := map[string]int64{}, map[string]int64{}
			for range 60 {
				user := []string{"ann", "ben"}[random.IntN(2)]
				at := message.In{Conversation: "g", User: user}
				switch upTo := int64(1 + random.IntN(40)); {
				case random.IntN(4) == 0:
					l.send(t, 1+random.IntN(3))
				case random.IntN(6) == 0:
					faults.Acknowledged(t, func() error { return errOf(w.Clear(t.Context(), at)) })
					from[user] = l.n
				case upTo <= l.n:
					faults.Acknowledged(t, func() error { return errOf(w.MarkRead(t.Context(), at, upTo)) })
					read[user] = max(read[user], upTo)
				}
				require.Equal(t, max(read[user], from[user]), quiet.receipts(t, at)[user])
			}
			in.Off()
			for _, user := range []string{"ann", "ben"} {
				above := max(read[user], from[user])
				require.Equal(t, downFrom(l.n, from[user]+1), w.history(t, message.In{Conversation: "g", User: user}, 50))
				require.Equal(t, l.n-above, w.inbox(t, user)[0].Unread)
			}
		})
	}
}

// The user's membership was erased meanwhile.
func TestALateMarkRevivesNoEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.create(t, "g", "ann", "ben")
	w.send(t, "g", "ann")
	late := &faults.Late{Holds: func(op string, _ []byte) bool { return op == "UpdateItem" }}
	p := w.process(t, nil, late.Wrap)
	in := message.In{Conversation: "g", User: "ben"}
	require.Error(t, errOf(p.Clear(t.Context(), in)))
	require.Error(t, errOf(p.MarkRead(t.Context(), in, 1)))
	require.NoError(t, w.Erase(t.Context(), "ben"))
	require.Zero(t, late.Arrive(t))
	require.Nil(t, w.item(t, "U#ben", "C#g"))
}
