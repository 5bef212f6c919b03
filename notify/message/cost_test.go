package message_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/internal/dynamotest"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/notify/message"
	"github.com/plaza-sdk/plaza/notify/prefs"
	"github.com/plaza-sdk/plaza/ratelimit"
)

func TestSendCostsNoMoreThanStated(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	w := newWorld(t, nil, meter.Wrap)
	for _, m := range faults.Some(1, 3, 2, 30, 98) {
		at := func(name string, want dynamotest.Cost, call func()) {
			t.Helper()
			name = fmt.Sprint(name, ", members: ", m)
			t.Logf("%s: %v", name, meter.AtMost(t, name, want, call))
		}
		want := func(requests int, write, read float64) dynamotest.Cost {
			return dynamotest.Cost{Requests: requests, Write: write, Read: read}
		}
		id, entries := fmt.Sprint("g", m), float64(m)
		members := crowd(m)
		names := float64(2 * (m * 8 / 1024)) // further KB
		again := func(created bool) func() {
			return func() {
				found, err := w.Create(t.Context(), message.Group{ID: id, Members: members}, "ann")
				require.NoError(t, err)
				require.Equal(t, created, found)
			}
		}
		at("create", want(1, 4+3*entries+names, 0), again(true))
		at("create again", want(1, 4+3*entries+names, 0), again(false))
		at("first", want(1+m, 6+3*entries, 0), func() { w.send(t, id, members[0]) })
		at("next", want(1+m, 6+3*entries, 0), func() { w.send(t, id, members[0]) })
		p := w.process(t, nil, meter.Wrap)
		at("unread before, by a new process", want(3+m, 7+3*entries, 2), func() { p.send(t, id, members[1]) })
		at("unread before", want(2+m, 7+3*entries, 0), func() { p.send(t, id, members[1]) })
		long := w.says(id, members[0], string(make([]byte, 3000)))
		require.NoError(t, errOf(w.MarkRead(t.Context(), of(members[0], id), 4)))
		at("outrun, and of 3 KB", want(2+m, 6+6+6+3*entries, 0), func() {
			_, _, err := w.Send(t.Context(), long)
			require.NoError(t, err)
		})
		at("a repeat", want(2+m, 6+2*3+entries, 1), func() {
			_, created, err := w.Send(t.Context(), long)
			require.NoError(t, err)
			require.False(t, created)
		})
		at("no member", want(2, 0, 3), func() {
			_, _, err := w.Send(t.Context(), w.says(id, "stranger", "hello"))
			require.ErrorIs(t, err, message.ErrNotMember)
		})
	}
}

func TestOtherWritesCostNoMoreThanStated(t *testing.T) {
	t.Parallel()
	meter := dynamotest.NewMeter()
	elsewhere := &blocks{blocked: map[prefs.Pair]bool{}}
	w := newWorld(t, &message.Options{Blocks: elsewhere, Rate: ratelimit.Rate{Burst: 3, Every: time.Hour}}, meter.Wrap)
	at := func(name string, want dynamotest.Cost, call func()) {
		t.Helper()
		t.Logf("%s: %v", name, meter.AtMost(t, name, want, call))
	}
	ok := func(changed bool, call func() (bool, error)) func() {
		return func() {
			found, err := call()
			require.NoError(t, err)
			require.Equal(t, changed, found)
		}
	}
	at("a pair's first", dynamotest.Cost{Requests: 4, Read: 1, Write: 14}, func() { w.send(t, pair, "ann") })
	require.EqualValues(t, 2, elsewhere.asked.Load())
	at("its next", dynamotest.Cost{Requests: 3, Write: 12}, func() { w.send(t, pair, "ann") })
	w.send(t, pair, "ann")
	at("too many", dynamotest.Cost{Requests: 1, Read: 1}, func() {
		_, _, err := w.Send(t.Context(), w.says(pair, "ann", "too many"))
		require.ErrorIs(t, err, ratelimit.ErrExceeded)
	})
	edit := message.Message{Conversation: pair, Sender: "ann", Seq: 1, Text: "edited"}
	edits := func() (bool, error) { _, changed, err := w.Edit(t.Context(), edit); return changed, err }
	at("edit", dynamotest.Cost{Requests: 2, Read: 2, Write: 1}, ok(true, edits))
	at("edit again", dynamotest.Cost{Requests: 2, Read: 2, Write: 1}, ok(false, edits))
	edit.Text = string(make([]byte, 3000))
	at("edit to 3 KB", dynamotest.Cost{Requests: 2, Read: 2, Write: 4}, ok(true, edits))
	edit.Data = json.RawMessage(strconv.Quote(strings.Repeat("x", 3000)))
	at("edit to 6 KB", dynamotest.Cost{Requests: 2, Read: 2, Write: 7}, ok(true, edits))
	edit.Data = nil
	at("edit of 6 KB", dynamotest.Cost{Requests: 2, Read: 3, Write: 7}, ok(true, edits))
	overlaps := faults.New(t, 1, faults.Rates{})
	updates := 0
	overlaps.Script(func(op string, _ []byte, _ int) faults.Fault {
		if op == "UpdateItem" {
			updates++
		}
		if op == "UpdateItem" && updates == 1 {
			_, _, err := w.skewed(t, -time.Hour).Edit(t.Context(), message.Message{Conversation: pair, Sender: "ann", Seq: 1, Text: "meanwhile"})
			require.NoError(t, err)
		}
		return faults.Fault{}
	})
	edit.Text = "overlaps"
	at("an edit that overlaps", dynamotest.Cost{Requests: 3, Read: 2, Write: 2}, ok(true, func() (bool, error) {
		_, changed, err := w.skewed(t, time.Hour, meter.Wrap, overlaps.Wrap).Edit(t.Context(), edit)
		return changed, err
	}))
	edit.Text = string(make([]byte, 3000))
	_, err := edits()
	require.NoError(t, err)
	recall := func() (bool, error) { return w.Recall(t.Context(), of("ann", pair), 1) }
	at("recall", dynamotest.Cost{Requests: 1, Write: 4}, ok(true, recall))
	at("recall again", dynamotest.Cost{Requests: 1, Write: 1}, ok(false, recall))
	who := message.Pair{User: "ann", Other: "ben"}
	for _, changed := range []bool{true, false} {
		at("block", dynamotest.Cost{Requests: 2, Read: 1, Write: 1}, ok(changed, func() (bool, error) { return w.Block(t.Context(), who) }))
	}
	at("blocked", dynamotest.Cost{Requests: 2, Read: 1, Write: 6}, func() {
		_, _, err := w.Send(t.Context(), w.says(pair, "ben", "refused"))
		require.ErrorIs(t, err, message.ErrBlocked)
	})
	for _, changed := range []bool{true, false} {
		at("unblock", dynamotest.Cost{Requests: 2, Read: 1, Write: 1}, ok(changed, func() (bool, error) { return w.Unblock(t.Context(), who) }))
	}

	w.create(t, "g", crowd(3)...)
	add := func(p world) func() (bool, error) {
		return func() (bool, error) { return p.Add(t.Context(), of("ann", "g"), "ann") }
	}
	leave := func(p world) func() (bool, error) {
		return func() (bool, error) { return p.Leave(t.Context(), of("ann", "g")) }
	}
	fresh := func() world { return w.process(t, nil, meter.Wrap) }
	at("add", dynamotest.Cost{Requests: 1, Write: 7}, ok(true, add(w)))
	at("add again", dynamotest.Cost{Requests: 2, Read: 2, Write: 4}, ok(false, add(w)))
	at("leave", dynamotest.Cost{Requests: 1, Write: 7}, ok(true, leave(w)))
	at("leave again", dynamotest.Cost{Requests: 2, Read: 2, Write: 4}, ok(false, leave(w)))
	at("add by another", dynamotest.Cost{Requests: 1, Write: 7}, ok(true, func() (bool, error) { return w.Add(t.Context(), of("cleo", "g"), "ann") }))
	at("add by a new process", dynamotest.Cost{Requests: 2, Read: 2, Write: 7}, ok(true, add(fresh())))
	at("leave by a new process", dynamotest.Cost{Requests: 2, Read: 2, Write: 7}, ok(true, leave(fresh())))
	at("members", dynamotest.Cost{Requests: 1, Read: 1}, func() { w.members(t, of("user 000", "g")) })
	at("members of a pair", dynamotest.Cost{}, func() { w.members(t, of("ann", pair)) })
	elsewhere.blocked[prefs.Pair{User: "ben", Actor: "ann"}] = true
	at("a group refused", dynamotest.Cost{Requests: 1, Read: 1}, func() {
		_, err := w.Create(t.Context(), message.Group{ID: "refused", Members: []string{"ann", "ben"}}, "ann")
		require.ErrorIs(t, err, message.ErrBlocked)
	})
	require.EqualValues(t, 2+2*3+2+2, elsewhere.asked.Load(), "for a first message, two groups, and who was added by another")
	hundred := crowd(100)
	at("create with a hundred", dynamotest.Cost{Requests: 3, Write: 4 + 3*98 + 2*7}, func() { w.create(t, "h", hundred...) })
}
