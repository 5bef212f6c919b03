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
	w.put(t, items...)
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
			Remove: func(_ context.Context, name string) {
				w.remove(t, keys.Join("U", user), "C#"+name)
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
	cases := map[string]struct {
		entry        attributes
		unread, read int64
	}{
		"nothing read":                   {attributes{"lastSeq": 5, "read": 0}, 5, 0},
		"some read":                      {attributes{"lastSeq": 5, "read": 3}, 2, 3},
		"all read":                       {attributes{"lastSeq": 5, "read": 5}, 0, 5},
		"read more than the entry knows": {attributes{"lastSeq": 5, "read": 7}, 0, 7},
		"own messages":                   {attributes{"lastSeq": 5, "read": 2, "own": numberSet("1", "2", "4", "5", "6")}, 1, 2},
		"cleared":                        {attributes{"lastSeq": 5, "read": 1, "from": 5}, 0, 5},
		"cleared before":                 {attributes{"lastSeq": 5, "read": 1, "from": 4, "own": numberSet("3")}, 1, 4},
		"left":                           {attributes{"lastSeq": 4, "read": 1, "till": 4}, 0, 0},
	}
	var order []string
	for name, c := range cases {
		l := w.lay(t, name, 0, "zoe")
		l.send(t, 5)
		if c.entry["till"] == nil {
			c.entry["last"] = w.id().String()
			order = append([]string{name}, order...)
		}
		l.entry(t, "ann", c.entry)
	}
	var got []string
	for _, e := range w.inbox(t, "ann") {
		got = append(got, e.Conversation)
		want := message.Entry{Conversation: e.Conversation, Unread: cases[e.Conversation].unread, Read: cases[e.Conversation].read}
		if e.Conversation != "cleared" {
			want.Last = message.Message{Conversation: e.Conversation, Sender: "zoe", Key: "key 5", Text: "text 5", Seq: 5, ID: e.Last.ID}
		}
		require.Equal(t, want, e)
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
	}
	w.put(t, items[:400]...)
	require.Equal(t, message.Count{Conversations: 400, Messages: 800}, w.unreadOf(t, "ann"))
	w.put(t, items[400])
	require.Equal(t, message.Count{Conversations: 400, Messages: 801, More: true}, w.unreadOf(t, "ann"))
}

// The damaged entries in a row are more than a page reads.
func TestDamageEndsNoInbox(t *testing.T) {
	t.Parallel()
	var seen reports
	c := newCosts(t)
	w := newWorld(t, seen.options(), c.Wrap)
	w.layInbox(t, "ann", "1")
	damages := map[string]attributes{
		"C#a": {"read": -1}, "C#b": {"read": "x"}, "C#c": {"lastSeq": "x"}, "C#d": {"own": "x"}, "C#e": {"from": -1}, "C#f": {"till": "x"},
		"C#g": {"last": "lower"}, "C#h": {"last": "}"}, "C#i": {"last": "7鳥\x00"},
		"C#ann#ann": nil, "C#ben#carl": nil, `C#\ann#ben`: nil, "C#": nil, "x": nil,
	}
	for n := range 200 {
		damages[fmt.Sprint("C#bad", n)] = attributes{"last": fmt.Sprintf("5-%03d", n)}
	}
	var items []any
	for sk, with := range damages {
		item := attributes{"pk": "U#ann", "sk": sk, "last": w.id().String(), "lastSeq": 1, "read": 0}
		maps.Copy(item, with)
		items = append(items, item)
	}
	w.put(t, items...)
	w.layInbox(t, "ann", "2", "without its message", "with a damaged message")
	pk, sk := messageAt("without its message", 1)
	w.remove(t, pk, sk)
	pk, sk = messageAt("with a damaged message", 1)
	w.damage(t, pk, sk, attributes{"id": "x"})

	c.Take()
	require.NoError(t, failed(w.Inbox(t.Context(), "ann", cursor.PageRequest{})))
	require.LessOrEqual(t, c.Take().Requests, c.Of("Repository.Inbox", "past damaged entries").Requests)
	for _, limit := range []int{1, 2, 100} {
		var names, texts []string
		for e := range each(t, limit, w.inboxOf("ann")) {
			names, texts = append(names, e.Conversation), append(texts, e.Last.Text)
		}
		require.Equal(t, []string{"with a damaged message", "without its message", "2", "1"}, names)
		require.Equal(t, []string{"", "", "text of 2", "text of 1"}, texts)
	}
	require.Len(t, seen.items, len(damages)+1)
	require.EqualValues(t, 4, w.unreadOf(t, "ann").Messages)
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
