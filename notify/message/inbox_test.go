package message_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/faults"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/pagetest"
	"github.com/plaza-sdk/plaza/notify/message"
)

// layInbox gives a user conversations with a message each.
func (w world) layInbox(t testing.TB, user string, names ...string) {
	t.Helper()
	var items []any
	for _, name := range names {
		id := w.id().String()
		pk, sk := messageAt(name, 1)
		items = append(
			items,
			attributes{"pk": keys.Join("U", user), "sk": "C#" + name, "last": id, "lastSeq": 1, "read": 0},
			attributes{"pk": pk, "sk": sk, "id": id, "sender": "zoe", "key": "k", "text": "text of " + name},
		)
	}
	for chunk := range slices.Chunk(items, 25) {
		_, err := w.raw(t).Batch().Write().Put(chunk...).Run(context.Background())
		require.NoError(t, err)
	}
}

func TestAnInboxIsPagedExactly(t *testing.T) {
	t.Parallel()
	sent := faults.New(t, 1, faults.Rates{})
	w := newWorld(t, nil, sent.Wrap)
	lists, added := 0, 0
	w.lay(t, "g", 0, "ann").send(t, 3)
	w.layInbox(t, "else", "c1", "c2", "c3")
	pagetest.Run(t, func(*testing.T) pagetest.List[message.Entry] {
		lists++
		user := fmt.Sprint("user#", lists)
		return pagetest.List[message.Entry]{
			Page:  w.inboxOf(user),
			Brief: true, // as a history
			ID: func(e message.Entry) string {
				require.Equal(t, "text of "+e.Conversation, e.Last.Text)
				require.EqualValues(t, 1, e.Unread)
				return e.Conversation
			},
			Add: func(_ context.Context, n int) (names []string) {
				for range n {
					added++
					names = append(names, fmt.Sprint("c ", added))
				}
				w.layInbox(t, user, names...)
				return names
			},
			Remove: func(ctx context.Context, name string) {
				require.NoError(t, w.raw(t).Delete("pk", keys.Join("U", user)).Range("sk", "C#"+name).Run(ctx))
			},
			Others: []pagetest.Other{
				pagetest.Foreign("another user's", w.inboxOf("else")),
				pagetest.Foreign("a history", w.historyOf(message.In{Conversation: "g", User: "ann"})),
			},
			Requests: sent.Requests,
		}
	})
}

func (w world) inbox(t testing.TB, user string) []message.Entry {
	t.Helper()
	return slices.Collect(each(t, 100, w.inboxOf(user)))
}

func (w world) unreadOf(t testing.TB, user string) message.Count {
	t.Helper()
	count, err := w.Unread(t.Context(), user)
	require.NoError(t, err)
	return count
}

func TestAnInboxShowsWhatIsLastAndUnread(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	names := map[string]attributes{
		"nothing read":                   {"lastSeq": 5, "read": 0},
		"some read":                      {"lastSeq": 5, "read": 3},
		"all read":                       {"lastSeq": 5, "read": 5},
		"read more than the entry knows": {"lastSeq": 5, "read": 7},
		"own messages":                   {"lastSeq": 5, "read": 2, "own": numberSet("1", "2", "4", "5", "6")},
		"cleared":                        {"lastSeq": 5, "read": 1, "from": 5},
		"cleared before":                 {"lastSeq": 5, "read": 1, "from": 4, "own": numberSet("3")},
		"left":                           {"lastSeq": 4, "read": 1, "till": 4},
	}
	unread := map[string]int64{"nothing read": 5, "some read": 2, "own messages": 1, "cleared before": 1}
	read := map[string]int64{"some read": 3, "all read": 5, "read more than the entry knows": 7, "own messages": 2, "cleared": 5, "cleared before": 4}
	var order []string
	for name, entry := range names {
		l := w.lay(t, name, 0, "zoe")
		l.send(t, 5)
		if entry["till"] == nil {
			entry["last"] = w.id().String()
			order = append(order, name)
		}
		l.entry(t, "ann", entry)
	}
	slices.Reverse(order)
	var got []string
	for _, e := range w.inbox(t, "ann") {
		got = append(got, e.Conversation)
		require.Equal(t, unread[e.Conversation], e.Unread, e.Conversation)
		require.Equal(t, read[e.Conversation], e.Read, e.Conversation)
		require.Empty(t, e.Other)
		if e.Conversation == "cleared" {
			require.Equal(t, message.Message{}, e.Last)
			continue
		}
		want := message.Message{
			Conversation: e.Conversation, Sender: "zoe", Key: "key 5", Text: "text 5", Seq: 5, ID: e.Last.ID,
		}
		require.Equal(t, want, e.Last)
	}
	require.Equal(t, order, got)
	require.Equal(t, message.Count{Conversations: 4, Messages: 9}, w.unreadOf(t, "ann"))
	require.Empty(t, w.inbox(t, "nobody"))
	require.Zero(t, w.unreadOf(t, "nobody"))
}

func TestUnreadCountsTheNewest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var items []any
	for n := range 401 {
		items = append(items, attributes{"pk": "U#ann", "sk": fmt.Sprint("C#", n), "last": w.id().String(), "lastSeq": 2 + n/400, "read": 0})
		if n == 399 {
			_, err := w.raw(t).Batch().Write().Put(items...).Run(t.Context())
			require.NoError(t, err)
			items = nil
			require.Equal(t, message.Count{Conversations: 400, Messages: 800}, w.unreadOf(t, "ann"))
		}
	}
	_, err := w.raw(t).Batch().Write().Put(items...).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, message.Count{Conversations: 400, Messages: 801, More: true}, w.unreadOf(t, "ann"))
}

func TestDamageEndsNoInbox(t *testing.T) {
	t.Parallel()
	var seen reports
	w := newWorld(t, seen.options())
	sound := func(name string) { w.layInbox(t, "ann", name) }
	sound("1")
	damages := []struct {
		sk   string
		with attributes
	}{
		{"C#a", attributes{"read": -1}},
		{"C#b", attributes{"read": "x"}},
		{"C#c", attributes{"lastSeq": "x"}},
		{"C#d", attributes{"own": "x"}},
		{"C#e", attributes{"from": -1}},
		{"C#f", attributes{"till": "x"}},
		{"C#g", attributes{"last": "lower"}},
		{"C#h", attributes{"last": "}"}},
		{"C#i", attributes{"last": "7鳥\x00"}},
		{"C#ann#ann", nil},
		{"C#ben#carl", nil},
		{`C#\ann#ben`, nil},
		{"C#", nil},
		{"x", nil},
	}
	for _, d := range damages {
		item := attributes{"pk": "U#ann", "sk": d.sk, "last": w.id().String(), "lastSeq": 1, "read": 0}
		maps.Copy(item, d.with)
		require.NoError(t, w.raw(t).Put(item).Run(t.Context()))
	}
	sound("2")
	sound("without its message")
	pk, sk := messageAt("without its message", 1)
	require.NoError(t, w.raw(t).Delete("pk", pk).Range("sk", sk).Run(t.Context()))
	sound("with a damaged message")
	pk, sk = messageAt("with a damaged message", 1)
	w.damage(t, pk, sk, attributes{"id": "x"})
	for _, limit := range []int{1, 2, 100} {
		var names, texts []string
		for e := range each(t, limit, w.inboxOf("ann")) {
			names, texts = append(names, e.Conversation), append(texts, e.Last.Text)
		}
		require.Equal(t, []string{"with a damaged message", "without its message", "2", "1"}, names)
		require.Equal(t, []string{"", "", "text of 2", "text of 1"}, texts)
	}
	require.Len(t, seen.sks, len(damages)+1)
	require.Equal(t, message.Count{Conversations: 4, Messages: 4}, w.unreadOf(t, "ann"))
}

func TestManyDamagedEntriesStopNoReader(t *testing.T) {
	t.Parallel()
	c := newCosts(t)
	w := newWorld(t, nil, c.Wrap)
	w.layInbox(t, "ann", "1")
	var items []any
	for n := range 200 {
		items = append(items, attributes{"pk": "U#ann", "sk": fmt.Sprint("C#bad", n), "last": fmt.Sprintf("5-%03d", n), "lastSeq": 1, "read": 0})
	}
	for chunk := range slices.Chunk(items, 25) {
		_, err := w.raw(t).Batch().Write().Put(chunk...).Run(t.Context())
		require.NoError(t, err)
	}
	c.Take()
	_, err := w.Inbox(t.Context(), "ann", cursor.PageRequest{})
	require.NoError(t, err)
	require.LessOrEqual(t, c.Take().Requests, c.Of("Repository.Inbox", "past damaged entries").Requests)
	for _, limit := range []int{1, 20} {
		var names []string
		for e := range each(t, limit, w.inboxOf("ann")) {
			names = append(names, e.Conversation)
		}
		require.Equal(t, []string{"1"}, names)
	}
}

// Every eventually consistent read lags, so the first one finds no message.
func TestAPreviewThatLagsIsReadAgain(t *testing.T) {
	t.Parallel()
	in := faults.New(t, 1, faults.Rates{})
	in.Script(func(op string, _ []byte, n int) faults.Fault {
		if op == "BatchGetItem" && n%3 == 2 {
			return faults.Fault{Kind: faults.Stale}
		}
		return faults.Fault{}
	})
	c := newCosts(t)
	want := c.Of("Repository.Inbox", "a page", "each 4 KB of entries, some 20", "messages that were sent just before").
		Plus(c.Times(2, "Repository.Inbox", "each message")).Plus(c.Times(2, "Repository.Inbox", "a message that was sent just before"))
	w := newWorld(t, &message.Options{}, c.Wrap, in.Wrap)
	w.layInbox(t, "ann", "1", "2")
	for range 3 {
		c.at("an inbox whose messages lag", want, func() {
			entries := w.inbox(t, "ann")
			require.Equal(t, []string{"text of 2", "text of 1"}, []string{entries[0].Last.Text, entries[1].Last.Text})
		})
	}
	require.Equal(t, 3, in.Count(faults.Stale))
}
