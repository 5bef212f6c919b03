package message_test

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/pagetest"
	"github.com/plaza-sdk/plaza/notify/message"
)

type lister[T any] = func(context.Context, cursor.PageRequest) (cursor.Page[T], error)

func (w world) historyOf(in message.In) lister[message.Message] {
	return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[message.Message], error) {
		return w.History(ctx, in, req)
	}
}

func (w world) inboxOf(user string) lister[message.Entry] {
	return func(ctx context.Context, req cursor.PageRequest) (cursor.Page[message.Entry], error) {
		return w.Inbox(ctx, user, req)
	}
}

// each reads a list to its end, limit items a page.
func each[T any](t testing.TB, limit int, list lister[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for item, err := range cursor.All(t.Context(), func(ctx context.Context, req cursor.PageRequest) (cursor.Page[T], error) {
			page, err := list(ctx, cursor.PageRequest{Cursor: req.Cursor, Limit: limit})
			require.False(t, req.Cursor != "" && page.Next == req.Cursor, "a page leads to itself")
			return page, err
		}) {
			require.NoError(t, err)
			if !yield(item) {
				return
			}
		}
	}
}

// The second history lies across the end of a bucket.
func TestHistoryIsPagedExactly(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]int64{"from the first message": 0, "across buckets": bucket - 3} {
		if start == 0 && !faults.Full() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := faults.New(t, 1, faults.Rates{})
			w := newWorld(t, nil, sent.Wrap)
			lists := 0
			other := w.lay(t, "other", start, "ann", "ben")
			other.send(t, 3)
			pagetest.Run(t, func(t *testing.T) pagetest.List[message.Message] {
				lists++
				l := w.lay(t, fmt.Sprint("group ", lists), start, "ann", "ben")
				return pagetest.List[message.Message]{
					Page: w.historyOf(message.In{Conversation: l.name, User: "ann"}),
					ID:   func(m message.Message) string { return strconv.FormatInt(m.Seq, 10) },
					Add: func(_ context.Context, n int) (seqs []string) {
						for _, seq := range l.send(t, n) {
							seqs = append(seqs, strconv.FormatInt(seq, 10))
						}
						w.pass(time.Minute) // a number that is still missing then stays missing
						return seqs
					},
					Remove: func(ctx context.Context, id string) {
						seq, err := strconv.ParseInt(id, 10, 64)
						require.NoError(t, err)
						pk, sk := messageAt(l.name, seq)
						require.NoError(t, w.raw(t).Delete("pk", pk).Range("sk", sk).Run(ctx))
					},
					Others: []pagetest.Other{
						pagetest.Foreign("of another conversation", w.historyOf(message.In{Conversation: other.name, User: "ann"})),
						pagetest.Foreign("of another user", w.historyOf(message.In{Conversation: other.name, User: "ben"})),
						pagetest.Foreign("the inbox", w.inboxOf("ann")),
					},
					Requests: sent.Requests,
				}
			})
		})
	}
}

func TestHistoryShowsWhatTheUserMayRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.lay(t, "g", 0, "ann").send(t, 10)
	group := func(user string) message.In { return message.In{Conversation: "g", User: user} }
	entry := func(user string, more attributes) message.In {
		(&laid{w: w, name: "g"}).entry(t, user, more)
		return group(user)
	}
	for name, c := range map[string]struct {
		in          message.In
		last, first int64
	}{
		"all":                       {group("ann"), 10, 1},
		"since the user joined":     {entry("ben", attributes{"from": 4, "read": 4, "lastSeq": 4}), 10, 5},
		"an entry that lags":        {entry("carl", attributes{"read": 0, "lastSeq": 2}), 10, 1},
		"until the user left":       {entry("dora", attributes{"from": 2, "till": 7, "read": 2, "lastSeq": 7}), 7, 3},
		"who came and left at once": {entry("eve", attributes{"from": 7, "till": 7, "read": 7, "lastSeq": 7}), 0, 1},
		"all was cleared":           {entry("finn", attributes{"from": 10, "read": 0, "lastSeq": 9}), 0, 1},
	} {
		for _, limit := range faults.Some(2, 3, 100, 1, 4) {
			require.Equal(t, downFrom(c.last, c.first), w.history(t, c.in, limit), name)
		}
		page, err := w.History(t.Context(), c.in, cursor.PageRequest{})
		require.NoError(t, err)
		require.NotNil(t, page.Items)
	}
	for name, in := range map[string]message.In{
		"no member":        group("zoe"),
		"no such group":    {Conversation: "h", User: "ann"},
		"another pair's":   {Conversation: pair, User: "carl"},
		"a pair's, in all": {Conversation: message.Pair{User: "x#y", Other: `a\b`}.Conversation(), User: "x"},
	} {
		_, err := w.History(t.Context(), in, cursor.PageRequest{})
		require.ErrorIs(t, err, message.ErrNotMember, name)
		require.ErrorIs(t, err, plaza.ErrForbidden, name)
	}
	require.Empty(t, w.history(t, message.In{Conversation: pair, User: "ann"}, 3), "a pair that wrote nothing")
}

// What the user may read shrinks while they page.
func TestHistoryEndsWhereItWasClearedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	l := w.lay(t, "g", 0, "ann")
	l.send(t, 10)
	in := message.In{Conversation: "g", User: "ann"}
	page, err := w.History(t.Context(), in, cursor.PageRequest{Limit: 4})
	require.NoError(t, err)
	require.Len(t, page.Items, 4)
	require.NoError(t, errOf(w.Clear(t.Context(), in)))
	l.send(t, 2)
	next, err := w.History(t.Context(), in, cursor.PageRequest{Limit: 4, Cursor: page.Next})
	require.NoError(t, err)
	require.Empty(t, next.Items)
	require.Empty(t, next.Next)
	prev, err := w.History(t.Context(), in, cursor.PageRequest{Limit: 4, Cursor: page.Prev})
	require.NoError(t, err)
	require.Len(t, prev.Items, 2)
	prev, err = w.History(t.Context(), in, cursor.PageRequest{Limit: 4, Cursor: next.Prev})
	require.NoError(t, err)
	require.Len(t, prev.Items, 2)
	require.Equal(t, []int64{12, 11}, w.history(t, in, 4))
}

// reports are the sort keys of damaged items that were reported.
type reports struct {
	mu  sync.Mutex
	sks map[string]bool
}

func (r *reports) options() *message.Options {
	r.sks = map[string]bool{}
	return &message.Options{Consistent: true, OnCorrupt: func(e *plaza.CorruptError) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.sks[e.SK] = true
	}}
}

func TestDamagedMessagesAreLeftOutAndReported(t *testing.T) {
	t.Parallel()
	var seen reports
	w := newWorld(t, seen.options())
	l := w.lay(t, "g", 0, "ann")
	damages := []attributes{
		{"id": "x"}, {"id": 7}, {"sender": ""}, {"sender": 7}, {"text": ""}, {"text": []byte("x")}, {"data": `"\ud800"`},
		{"replyTo": -1}, {"replyTo": 1 << 40}, {"replyTo": "x"}, {"edit": "x"}, {"recalled": "x"}, {"recalled": true},
	}
	var want []int64
	l.send(t, 2*len(damages))
	for i, damage := range damages {
		want = append([]int64{int64(2*i + 1)}, want...)
		pk, sk := messageAt("g", int64(2*i+2))
		w.damage(t, pk, sk, damage)
	}
	in := message.In{Conversation: "g", User: "ann"}
	w.pass(time.Minute)
	for _, limit := range faults.Some(2, 3, 100, 1, 2) {
		require.Equal(t, want, w.history(t, in, limit))
	}
	require.Len(t, seen.sks, len(damages))
}

// The partition has nothing else, and a run of them is longer than a page's reads.
func TestManyDamagedMessagesStopNoReader(t *testing.T) {
	t.Parallel()
	c := newCosts(t)
	w := newWorld(t, nil, c.Wrap)
	l := w.lay(t, "g", bucket-150, "ann")
	l.send(t, 300)
	var keep []int64
	for chunk := int64(0); chunk < 300; chunk += 25 {
		var items []any
		for seq := bucket - 149 + chunk; seq < bucket-149+chunk+25; seq++ {
			pk, sk := messageAt("g", seq)
			switch {
			case seq == bucket-149 || seq == bucket+150:
				keep = append([]int64{seq}, keep...)
			case seq%2 == 0:
				items = append(items, attributes{"pk": pk, "sk": sk})
			default: // a key that is not a number comes in between
				items = append(items, attributes{"pk": pk, "sk": sk + "x"}, attributes{"pk": pk, "sk": sk, "id": 1})
			}
		}
		_, err := w.raw(t).Batch("pk", "sk").Write().Put(items...).Run(t.Context())
		require.NoError(t, err)
	}
	w.pass(time.Minute)
	c.Take()
	_, err := w.History(t.Context(), of("ann", "g"), cursor.PageRequest{})
	require.NoError(t, err)
	require.LessOrEqual(t, c.Take().Requests, c.Of("Repository.History", "past damaged messages, and once in 65,536").Requests)
	for _, limit := range []int{1, 20} {
		require.Equal(t, keep, w.history(t, message.In{Conversation: "g", User: "ann"}, limit))
	}
}

func TestADamagedPlaceIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	l := w.lay(t, "g", 0, "ann", "ben")
	l.send(t, 3)
	calls := map[string]func(in message.In) error{
		"History": func(in message.In) error { _, err := w.History(t.Context(), in, cursor.PageRequest{}); return err },
		"Clear":   func(in message.In) error { return errOf(w.Clear(t.Context(), in)) },
		"Read":    func(in message.In) error { return errOf(w.MarkRead(t.Context(), in, 4)) }, // higher than the entry's last message
	}
	for _, attribute := range []string{"read", "from", "till", "own", "last", "lastSeq"} {
		for _, value := range []any{"x", -1, []byte("x"), true} {
			if _, text := value.(string); text || attribute != "last" {
				l.entry(t, "ann", attributes{"lastSeq": 3, "read": 1, attribute: value})
				for name, call := range calls {
					err := call(message.In{Conversation: "g", User: "ann"})
					require.ErrorIs(t, err, plaza.ErrCorrupt, "%s %s %v", name, attribute, value)
				}
			}
		}
	}
	w.damage(t, "C#g", "~", map[string]any{"n": "x"})
	for name, call := range calls {
		in := message.In{Conversation: "g", User: "ben"}
		require.ErrorIs(t, call(in), plaza.ErrCorrupt, name)
	}
}

func TestInvalidPlacesAreRefused(t *testing.T) {
	t.Parallel()
	sent := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, sent.Wrap)
	calls := map[string]func(in message.In) error{
		"History":  func(in message.In) error { _, err := w.History(t.Context(), in, cursor.PageRequest{}); return err },
		"Clear":    func(in message.In) error { return errOf(w.Clear(t.Context(), in)) },
		"Read":     func(in message.In) error { return errOf(w.MarkRead(t.Context(), in, 1)) },
		"Receipts": func(in message.In) error { _, err := w.Receipts(t.Context(), in); return err },
	}
	for name, in := range map[string]message.In{
		"no user":                {Conversation: "g"},
		"no conversation":        {User: "ann"},
		"three parts":            {Conversation: "a#b#c", User: "a"},
		"a pair with itself":     {Conversation: "a#a", User: "a"},
		"the wrong way round":    {Conversation: "b#a", User: "a"},
		"a needless escape":      {Conversation: `\a#b`, User: "a"},
		"a group with escapes":   {Conversation: `a\#b`, User: "a"},
		"nobody and somebody":    {Conversation: "#b", User: "b"},
		"a user that is no text": {Conversation: "g", User: "\xff"},
	} {
		for call, f := range calls {
			require.ErrorIs(t, f(in), plaza.ErrInvalid, "%s: %s", call, name)
		}
	}
	for _, upTo := range []int64{0, -1} {
		require.ErrorIs(t, errOf(w.MarkRead(t.Context(), message.In{Conversation: "g", User: "ann"}, upTo)), plaza.ErrInvalid)
	}
	_, err := w.Inbox(t.Context(), "", cursor.PageRequest{})
	require.ErrorIs(t, err, plaza.ErrInvalid)
	_, err = w.Unread(t.Context(), "")
	require.ErrorIs(t, err, plaza.ErrInvalid)
	require.Zero(t, sent.Requests())
}

// DynamoDB applies the writes of a transaction one by one: a message may appear before
// one below it. DynamoDB Local never does that.
func TestAMessageThatAppearsLateIsShown(t *testing.T) {
	t.Parallel()
	for _, limit := range faults.Some(2, 2, 100, 1, 5) {
		w := newWorld(t, nil)
		l := w.lay(t, "g", 0, "ann")
		in := message.In{Conversation: "g", User: "ann"}
		l.send(t, 4)
		w.pass(time.Minute)
		l.send(t, 4)
		hold := func(seq int64) (appears func()) {
			pk, sk := messageAt("g", seq)
			item := w.item(t, pk, sk)
			require.NoError(t, w.raw(t).Delete("pk", pk).Range("sk", sk).Run(t.Context()))
			return func() { require.NoError(t, w.raw(t).Put(item).Run(t.Context())) }
		}
		appears := []func(){hold(6), hold(7)}
		page, err := w.History(t.Context(), in, cursor.PageRequest{Limit: limit})
		require.NoError(t, err)
		require.EqualValues(t, 5, page.Items[0].Seq)
		require.Equal(t, downFrom(5, 1), w.history(t, in, limit))

		poll, at := []int64{}, page.Prev
		up := func() {
			for {
				page, err := w.History(t.Context(), in, cursor.PageRequest{Limit: limit, Cursor: at})
				require.NoError(t, err)
				at = page.Prev
				if len(page.Items) == 0 {
					return
				}
				for i := range page.Items {
					poll = append(poll, page.Items[len(page.Items)-1-i].Seq)
				}
			}
		}
		up()
		require.Empty(t, poll)
		appears[1]()
		up()
		require.Empty(t, poll)
		appears[0]()
		up()
		require.Equal(t, []int64{6, 7, 8}, poll)

		hold(7)
		w.pass(time.Minute) // it will not come any more
		require.Equal(t, []int64{8, 6, 5, 4, 3, 2, 1}, w.history(t, in, limit))
		poll, at = nil, page.Prev
		up()
		require.Equal(t, []int64{6, 8}, poll)
	}
}

// The sender's clock was a year ahead, and the message before is damaged.
func TestAMessageOfAClockFarAheadIsShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	in := of("ann", "g")
	w.create(t, "g", "ann")
	w.send(t, "g", "ann")
	page, err := w.History(t.Context(), in, cursor.PageRequest{})
	require.NoError(t, err)
	w.send(t, "g", "ann")
	const year = 365 * 24 * time.Hour
	w.pass(year)
	w.send(t, "g", "ann")
	w.pass(-year)
	pk, sk := messageAt("g", 2)
	w.damage(t, pk, sk, map[string]any{"id": "x"})
	require.Equal(t, []int64{3, 1}, w.history(t, in, 100))
	page, err = w.History(t.Context(), in, cursor.PageRequest{Cursor: page.Prev})
	require.NoError(t, err)
	require.Len(t, page.Items, 1, "a reader on the way up gets past it")
}

// Between the two requests of a History another process sends, and then edits.
func TestAHistoryIsOfOneMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.send(t, pair, "ann", "ben", "ann")
	between := faults.New(t, 1, faults.Rates{})
	between.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "Query" {
			w.send(t, pair, "ann")
			_, changed, err := w.Edit(t.Context(), message.Message{Conversation: pair, Sender: "ben", Seq: 2, Text: "edited"})
			require.NoError(t, err)
			require.True(t, changed)
		}
		return faults.Fault{}
	})
	page, err := w.process(t, nil, between.Wrap).History(t.Context(), message.In{Conversation: pair, User: "ben"}, cursor.PageRequest{})
	require.NoError(t, err)
	require.Len(t, page.Items, 4)
	require.Equal(t, "edited", page.Items[2].Text)
}
