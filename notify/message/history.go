package message

import (
	"context"
	"sort"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// History lists the messages that a user may read, newest first: those since the user
// joined or cleared the history, until the user left. Recalled ones keep their place. A
// page's Prev reads newer messages. It is strongly consistent.
//
// Cost: 2 requests, 3 RCU, 1 RCU for each further 4 KB of messages; past damaged
// messages 7 requests at most.
//
//plaza:cost the first page: 2 requests, 3 RCU
//plaza:cost each further 4 KB of messages: 1 RCU
//plaza:cost a later page: 2 requests, 2 RCU
//plaza:cost nothing new on the way up: 1 request, 2 RCU
//plaza:cost past damaged messages, and once in 65,536: 7 requests
func (r *Repository) History(ctx context.Context, in In, req cursor.PageRequest) (cursor.Page[Message], error) {
	ctx = plaza.WithOperation(ctx, "notify/message.Repository.History")
	if err := in.check("User"); err != nil {
		return cursor.Page[Message]{}, err
	}
	h := history{r: r, in: in}
	page, err := store.List[item, Message]{
		Codec: r.opts.Codec,
		Scope: cursor.Scope{List: "message/history", Partition: keys.Join(in.User, in.Conversation)},
		Read:  h.read,
		Order: store.Order[item]{
			Below: func(i item) string { return seqSK(i.seq) },
			Above: func(i item) string { return seqSK(i.seq + 1) },
			Valid: func(gap string) bool { _, ok := parseSeqSK(gap); return ok },
		},
		Item: func(i item) Message { return i.message(in.Conversation) },
	}.Page(ctx, req)
	return page, wrap("history of", in.Conversation, err)
}

// settling is how long a message may be visible before those with lower numbers are:
// DynamoDB applies the writes of a transaction one by one. Clocks may differ by less
// than this.
const settling = 10 * time.Second

// history is one call of History.
type history struct {
	r  *Repository
	in In

	known       bool
	first, last int64 // what the user could read at the first request
	left        bool  // the user has left, so no more messages will follow
}

// read makes one request for the messages in a reach.
func (h *history) read(ctx context.Context, reach store.Reach) ([]item, string, error) {
	if !h.known {
		if err := h.load(ctx, reach); err != nil {
			return nil, "", err
		}
		h.known = true
	}
	up := reach.Ascending()
	lo, hi := h.first, h.last
	if gap, ok := parseSeqSK(reach.Gap); ok && up {
		lo = max(lo, gap)
	} else if ok {
		hi = min(hi, gap-1)
	}
	if lo > hi {
		return nil, "", nil
	}
	begin := hi / bucketSize * bucketSize
	if up {
		begin = lo / bucketSize * bucketSize
	}
	end := begin + bucketSize - 1
	lo = max(lo, begin)
	if hi > end || (up || reach.Gap == "") && !h.left {
		hi = end // includes what was sent meanwhile
	}
	found, rest, err := store.Read[item](ctx, h.r.table, store.Span{
		PK: messageKey(h.in.Conversation, lo).PK, From: seqSK(lo), To: seqSK(hi),
		Ascending: up, Limit: reach.Limit, Consistent: true,
	})
	switch {
	case err != nil:
		return nil, "", err
	case up:
		if n := h.dense(found, lo); n < len(found) {
			return found[:n], "", nil
		}
	case reach.Gap == "":
		found = h.settled(found)
	}
	return found, h.rest(up, lo, hi, rest), nil
}

// rest returns the gap at which a read of lo to hi ended, or "" if the next message was
// not sent yet: it may go into the same bucket. The key in rest may belong to a damaged
// item.
func (h *history) rest(up bool, lo, hi int64, rest string) string {
	gap, ok := parseSeqSK(rest)
	switch {
	case ok: // on the way down, where the read was full
	case rest != "":
		gap = lo + int64(sort.Search(int(hi-lo+1), func(i int) bool { return seqSK(lo+int64(i)) >= rest }))
	case up && hi >= h.last:
		return ""
	case up:
		gap = hi + 1
	default:
		gap = lo
	}
	return seqSK(gap)
}

// dense is how many messages come before the first missing number that may still
// appear. A reader on the way up must not pass that number.
func (h *history) dense(found []item, lo int64) int {
	for i := range found {
		if found[i].seq > lo && h.young(found[i]) {
			return i
		}
		lo = found[i].seq + 1
	}
	return len(found)
}

// settled leaves out the messages above the lowest missing number that may still
// appear.
func (h *history) settled(found []item) []item {
	from := 0
	for i := 0; i+1 < len(found) && h.young(found[i]); i++ {
		if found[i].seq > found[i+1].seq+1 {
			from = i + 1
		}
	}
	return found[from:]
}

// young reports whether messages below an item may still appear. An item from a clock that
// was far ahead is not young: a damaged message below would hide it until that time.
func (h *history) young(i item) bool {
	age := h.r.opts.Now().Sub(i.ID.Time())
	return -keys.MaxAhead <= age && age < settling
}

// load finds out which messages the user may read. On the way down the gap itself is
// the upper bound.
func (h *history) load(ctx context.Context, reach store.Reach) error {
	gap, _ := parseSeqSK(reach.Gap)
	var own entry
	n := gap - 1
	var err error
	if reach.Gap == "" || reach.Ascending() {
		own, n, err = h.r.place(ctx, h.in)
	} else {
		own, err = h.r.entry(ctx, h.in)
	}
	h.first, h.last = own.readable(n)
	h.left = own.Till != nil
	return err
}

// entry reads a user's entry of a conversation. If there is none, a pair's entry has the
// defaults, and a group's user is not a member.
func (r *Repository) entry(ctx context.Context, in In) (entry, error) {
	items, err := r.table.GetAll(ctx, []store.Key{entryKey(in)}, true, 1)
	if err != nil {
		return entry{}, err
	}
	return r.entryOf(in, items)
}

// place reads a user's entry of a conversation, as entry does, and the number of messages.
func (r *Repository) place(ctx context.Context, in In) (own entry, n int64, err error) {
	items, err := r.table.GetAll(ctx, []store.Key{entryKey(in), headKey(in.Conversation)}, true, 1)
	if err != nil {
		return entry{}, 0, err
	}
	if own, err = r.entryOf(in, items); err != nil {
		return entry{}, 0, err
	}
	h, err := r.headOf(in.Conversation, items)
	return own, h.N, err
}

func (r *Repository) entryOf(in In, items map[store.Key]dynamo.Item) (entry, error) {
	key := entryKey(in)
	found := items[key]
	if found == nil {
		if _, isPair := in.pair(); !isPair {
			return entry{}, ErrNotMember
		}
		return entry{PK: key.PK, SK: key.SK, in: in}, nil
	}
	var own entry
	err := r.table.Decode(found, &own)
	return own, err
}
