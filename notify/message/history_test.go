package message_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
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

// page reads a page of a user's history.
func (w world) page(t testing.TB, in message.In, limit int, c cursor.Cursor) cursor.Page[message.Message] {
	t.Helper()
	page, err := w.History(t.Context(), in, cursor.PageRequest{Limit: limit, Cursor: c})
	require.NoError(t, err)
	return page
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

// The history lies across the end of a bucket.
func TestHistoryIsPagedExactly(t *testing.T) {
	t.Parallel()
	sent := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, sent.Wrap)
	lists := 0
	other := w.lay(t, "other", bucket-3, "ann", "ben")
	other.send(t, 3)
	pagetest.Run(t, func(t *testing.T) pagetest.List[message.Message] {
		lists++
		l := w.lay(t, fmt.Sprint("group ", lists), bucket-3, "ann", "ben")
		return pagetest.List[message.Message]{
			Page: w.historyOf(of("ann", l.name)),
			ID:   func(m message.Message) string { return strconv.FormatInt(m.Seq, 10) },
			Add: func(_ context.Context, n int) (seqs []string) {
				for _, seq := range l.send(t, n) {
					seqs = append(seqs, strconv.FormatInt(seq, 10))
				}
				w.pass(time.Minute) // a number that is still missing then stays missing
				return seqs
			},
			Remove: func(_ context.Context, id string) {
				seq, err := strconv.ParseInt(id, 10, 64)
				require.NoError(t, err)
				pk, sk := messageAt(l.name, seq)
				w.remove(t, pk, sk)
			},
			Others: []pagetest.Other{
				pagetest.Foreign("of another conversation", w.historyOf(of("ann", other.name))),
				pagetest.Foreign("of another user", w.historyOf(of("ben", other.name))),
				pagetest.Foreign("the inbox", w.inboxOf("ann")),
			},
			Requests: sent.Requests,
		}
	})
}

func TestHistoryShowsWhatTheUserMayRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	l := w.lay(t, "g", 0, "ann")
	l.send(t, 10)
	entry := func(user string, more attributes) message.In {
		l.entry(t, user, more)
		return of(user, "g")
	}
	for name, c := range map[string]struct {
		in          message.In
		last, first int64
	}{
		"all":                       {of("ann", "g"), 10, 1},
		"since the user joined":     {entry("ben", attributes{"from": 4, "read": 4, "lastSeq": 4}), 10, 5},
		"an entry that lags":        {entry("carl", attributes{"read": 0, "lastSeq": 2}), 10, 1},
		"until the user left":       {entry("dora", attributes{"from": 2, "till": 7, "read": 2, "lastSeq": 7}), 7, 3},
		"who came and left at once": {entry("eve", attributes{"from": 7, "till": 7, "read": 7, "lastSeq": 7}), 0, 1},
		"all was cleared":           {entry("finn", attributes{"from": 10, "read": 0, "lastSeq": 9}), 0, 1},
		"a pair that wrote nothing": {of("ann", pair), 0, 1},
	} {
		for _, limit := range faults.Some(2, 3, 100, 1, 4) {
			require.Equal(t, downFrom(c.last, c.first), w.history(t, c.in, limit), name)
		}
		require.NotNil(t, w.page(t, c.in, 10, "").Items)
	}
	for name, in := range map[string]message.In{
		"no member":        of("zoe", "g"),
		"no such group":    of("ann", "h"),
		"another pair's":   of("carl", pair),
		"a pair's, in all": of("x", message.Pair{User: "x#y", Other: `a\b`}.Conversation()),
	} {
		require.ErrorIs(t, failed(w.History(t.Context(), in, cursor.PageRequest{})), message.ErrNotMember, name)
	}
}

// What the user may read shrinks while they page.
func TestHistoryEndsWhereItWasClearedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	l := w.lay(t, "g", 0, "ann")
	l.send(t, 10)
	in := of("ann", "g")
	page := w.page(t, in, 4, "")
	require.Len(t, page.Items, 4)
	does(t, true)(w.Clear(t.Context(), in))
	l.send(t, 2)
	next := w.page(t, in, 4, page.Next)
	require.Empty(t, next.Items)
	require.Empty(t, next.Next)
	for _, prev := range []cursor.Cursor{page.Prev, next.Prev} {
		require.Len(t, w.page(t, in, 4, prev).Items, 2)
	}
	require.Equal(t, []int64{12, 11}, w.history(t, in, 4))
}

// reports are the damaged items that were reported.
type reports struct {
	mu    sync.Mutex
	items map[string]bool
}

func (r *reports) options() *message.Options {
	r.items = map[string]bool{}
	return &message.Options{Consistent: true, OnCorrupt: func(e *plaza.CorruptError) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.items[e.PK+" "+e.SK] = true
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
	require.Len(t, seen.items, len(damages))
}

// The partition has nothing else, and a run of them is longer than a page's reads.
func TestManyDamagedMessagesStopNoReader(t *testing.T) {
	t.Parallel()
	c := newCosts(t)
	w := newWorld(t, nil, c.Wrap)
	const first, last = bucket - 149, bucket + 150
	w.lay(t, "g", first-1, "ann").send(t, last-first+1)
	var items []any
	for seq := int64(first + 1); seq < last; seq++ {
		pk, sk := messageAt("g", seq)
		if seq%2 == 0 {
			items = append(items, attributes{"pk": pk, "sk": sk})
		} else { // a key that is not a number comes in between
			items = append(items, attributes{"pk": pk, "sk": sk + "x"}, attributes{"pk": pk, "sk": sk, "id": 1})
		}
	}
	w.put(t, items...)
	w.pass(time.Minute)
	c.Take()
	require.NoError(t, failed(w.History(t.Context(), of("ann", "g"), cursor.PageRequest{})))
	require.LessOrEqual(t, c.Take().Requests, c.Of("Repository.History", "past damaged messages, and once in 65,536").Requests)
	for _, limit := range []int{1, 20} {
		require.Equal(t, []int64{last, first}, w.history(t, of("ann", "g"), limit))
	}
}

// DynamoDB applies the writes of a transaction one by one: a message may appear before
// one below it. DynamoDB Local never does that.
func TestAMessageThatAppearsLateIsShown(t *testing.T) {
	t.Parallel()
	for _, limit := range faults.Some(2, 2, 100, 1, 5) {
		w := newWorld(t, nil)
		l, in := w.lay(t, "g", 0, "ann"), of("ann", "g")
		l.send(t, 4)
		w.pass(time.Minute)
		l.send(t, 4)
		hold := func(seq int64) (appears func()) {
			pk, sk := messageAt("g", seq)
			item := w.item(t, pk, sk)
			w.remove(t, pk, sk)
			return func() { w.put(t, item) }
		}
		appears := []func(){hold(6), hold(7)}
		first := w.page(t, in, limit, "").Prev
		require.Equal(t, downFrom(5, 1), w.history(t, in, limit))

		at := first
		up := func() (seqs []int64) {
			for {
				page := w.page(t, in, limit, at)
				at = page.Prev
				if len(page.Items) == 0 {
					return seqs
				}
				for _, m := range slices.Backward(page.Items) {
					seqs = append(seqs, m.Seq)
				}
			}
		}
		require.Empty(t, up())
		appears[1]()
		require.Empty(t, up())
		appears[0]()
		require.Equal(t, []int64{6, 7, 8}, up())

		hold(7)
		w.pass(time.Minute) // it will not come any more
		require.Equal(t, []int64{8, 6, 5, 4, 3, 2, 1}, w.history(t, in, limit))
		at = first
		require.Equal(t, []int64{6, 8}, up())
	}
}

// The sender's clock was a year ahead, and the message before is damaged.
func TestAMessageOfAClockFarAheadIsShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	in := of("ann", "g")
	w.create(t, "g", "ann")
	w.send(t, "g", "ann")
	prev := w.page(t, in, 20, "").Prev
	w.send(t, "g", "ann")
	const year = 365 * 24 * time.Hour
	w.pass(year)
	w.send(t, "g", "ann")
	w.pass(-year)
	pk, sk := messageAt("g", 2)
	w.damage(t, pk, sk, attributes{"id": "x"})
	require.Equal(t, []int64{3, 1}, w.history(t, in, 100))
	require.Len(t, w.page(t, in, 20, prev).Items, 1, "a reader on the way up gets past it")
}

// Between the two requests of a History another process sends, and then edits.
func TestAHistoryIsOfOneMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.send(t, pair, "ann", "ben", "ann")
	between := faults.Before(t, "Query", func() {
		w.send(t, pair, "ann")
		require.NoError(t, failed(w.Edit(t.Context(), message.Message{Conversation: pair, Sender: "ben", Seq: 2, Text: "edited"})))
	})
	page := w.process(t, nil, between.Wrap).page(t, of("ben", pair), 20, "")
	require.Len(t, page.Items, 4)
	require.Equal(t, "edited", page.Items[2].Text)
}
