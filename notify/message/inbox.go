package message

import (
	"context"
	"maps"
	"unicode/utf8"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Entry is a conversation in a user's inbox.
type Entry struct {
	Conversation string  `json:"conversation"`
	Other        string  `json:"other,omitzero"` // the other one of a pair
	Last         Message `json:"last,omitzero"`  // its Seq is 0 if there is none to show
	Unread       int64   `json:"unread"`         // messages of others
	Read         int64   `json:"read"`           // the Seq up to which the user has read

	UnreadFrom int64 `json:"unreadFrom,omitzero"` // the Seq from which on the user has marked it unread; 0 if not
	Muted      bool  `json:"muted,omitzero"`      // left out of Unread
}

// Count is how much is unread in an inbox.
type Count struct {
	Conversations int   `json:"conversations"` // those with unread messages, or marked unread
	Messages      int64 `json:"messages"`
	More          bool  `json:"more,omitzero"` // older conversations were not counted
}

// Inbox lists a user's conversations, the one with the newest message first. A
// conversation that gets a message between two pages moves to the top. Conversations
// that the user has left are left out.
//
// Cost: 2 requests, 0.5 RCU for some 20 entries, 0.5 RCU for each message;
// Options.Consistent doubles the RCU.
//
//plaza:cost a page: 2 requests
//plaza:cost each 4 KB of entries, some 20: 0.5 RCU
//plaza:cost each message: 0.5 RCU
//plaza:cost a message that was sent just before: 1 RCU
//plaza:cost messages that were sent just before: 1 request
//plaza:cost with Options.Consistent, each 4 KB of entries: 1 RCU
//plaza:cost with Options.Consistent, each message: 1 RCU
//plaza:cost past damaged entries: 8 requests
func (r *Repository) Inbox(ctx context.Context, user string, req cursor.PageRequest) (cursor.Page[Entry], error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Inbox")
	if err := keys.CheckName("User", user); err != nil {
		return cursor.Page[Entry]{}, err
	}
	page, err := store.List[entry, Entry]{
		Codec: r.opts.Codec,
		Scope: cursor.Scope{List: "message/inbox", Partition: user},
		Read: func(ctx context.Context, reach store.Reach) ([]entry, string, error) {
			span := store.IndexSpan{
				Partition: userPK(user), Ascending: reach.Ascending(), Limit: reach.Limit, Consistent: r.opts.Consistent,
			}
			if span.Ascending {
				span.From = []byte(reach.Gap)
			} else {
				span.To = []byte(reach.Gap)
			}
			return store.ReadIndex[entry](ctx, r.table, recent, span)
		},
		Order: store.Order[entry]{
			Below: func(e entry) string { return e.Last.String() },
			Above: func(e entry) string { return e.Last.String() + after },
			// A damaged entry has a place too, so that a reader gets past it.
			Valid: func(gap string) bool { return gap != "" && len(gap) <= maxPlace && utf8.ValidString(gap) },
		},
		Item: entry.shown,
	}.Page(ctx, req)
	if err == nil {
		err = r.preview(ctx, page.Items)
	}
	if err != nil {
		return cursor.Page[Entry]{}, wrap("inbox of", user, err)
	}
	return page, nil
}

const (
	after    = "\x00" // appended to a place: the next greater one
	maxPlace = 1024   // bytes of a sort key
)

// shown sets only the number of the last message; preview adds the rest.
func (e entry) shown() Entry {
	s := Entry{
		Conversation: e.in.Conversation, Unread: e.unread(), Read: e.readUpTo(),
		UnreadFrom: e.unreadFrom(), Muted: e.Muted,
	}
	if p, ok := e.in.pair(); ok {
		s.Other = p.Other
	}
	if e.LastSeq > e.From {
		s.Last.Seq = e.LastSeq
	}
	return s
}

// preview adds the last messages to entries. If a message is missing or damaged, its
// entry has none.
func (r *Repository) preview(ctx context.Context, entries []Entry) error {
	wanted := make([]store.Key, 0, len(entries))
	at := make([]int, 0, len(entries))
	for i, e := range entries {
		if e.Last.Seq > 0 {
			wanted, at = append(wanted, messageKey(e.Conversation, e.Last.Seq)), append(at, i)
		}
	}
	items, err := r.table.GetAll(ctx, wanted, r.opts.Consistent, 1)
	if err == nil && !r.opts.Consistent {
		err = r.addLagging(ctx, items, wanted)
	}
	if err != nil {
		return err
	}
	for n, key := range wanted {
		e := &entries[at[n]]
		e.Last = Message{}
		var last item
		if found := items[key]; found != nil && !r.table.Skips(r.table.Decode(found, &last)) {
			e.Last = last.message(e.Conversation)
		}
	}
	return nil
}

// addLagging reads again, consistently, what an eventually consistent read did not find:
// an entry is written after its message.
func (r *Repository) addLagging(ctx context.Context, items map[store.Key]dynamo.Item, wanted []store.Key) error {
	var missing []store.Key
	for _, key := range wanted {
		if items[key] == nil {
			missing = append(missing, key)
		}
	}
	late, err := r.table.GetAll(ctx, missing, true, 1)
	maps.Copy(items, late)
	return err
}

// maxCounted is how many conversations Unread counts.
const maxCounted = 400

// Unread counts the unread messages in the newest 400 conversations of a user, and the
// conversations that have any or are marked unread. Muted ones do not count.
//
// Cost: 1 request, 0.5 RCU for each 4 KB, some 20 conversations; twice the units where
// Options.Consistent is set.
func (r *Repository) Unread(ctx context.Context, user string) (Count, error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.Unread")
	if err := keys.CheckName("User", user); err != nil {
		return Count{}, err
	}
	entries, err := store.QueryIndex[entry](ctx, r.table, recent, store.IndexSpan{
		Partition: userPK(user), Limit: maxCounted + 1, Consistent: r.opts.Consistent,
	})
	if err != nil {
		return Count{}, wrap("unread of", user, err)
	}
	var count Count
	if len(entries) > maxCounted {
		entries, count.More = entries[:maxCounted], true
	}
	for _, e := range entries {
		if n := e.unread(); !e.Muted && (n > 0 || e.unreadFrom() > 0) {
			count.Conversations++
			count.Messages += n
		}
	}
	return count, nil
}
