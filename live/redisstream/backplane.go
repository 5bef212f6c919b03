// Package redisstream is a live.Backplane on Redis Streams: each room is a
// stream, and a position in it is the id of an entry. After a connection was
// down, the next one reads the entries that it missed, which Redis's publish and
// subscribe cannot do.
//
// For few rooms with many viewers each, such as videos, a stream for each room is
// best. Many rooms with a viewer or two each, such as the bells of users, need
// Options.Shared: otherwise each read names every room, and an event costs more
// the more rooms are open.
//
// It needs Redis 6.2 or later, or Valkey. If a server loses entries, by a
// restart, a failover or because it evicts keys, the rooms are reset: with the
// next entry, and within some seconds otherwise.
package redisstream

import (
	"context"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/live"
)

// These fields hold the room and the payload of an entry. An entry of a stream that is
// one room's alone has no room, and a mark has an empty payload.
const roomField, payloadField = "r", "p"

// Backplane is a live.Backplane. It is safe for concurrent use.
type Backplane struct {
	client  redis.UniversalClient
	opts    Options
	readers []*reader
}

var _ live.Backplane = (*Backplane)(nil)

// New does no I/O. The caller still owns the client: close it after the hubs. A
// connection reads until the rooms on it are closed.
func New(client redis.UniversalClient, opts *Options) (*Backplane, error) {
	if client == nil {
		return nil, &plaza.InvalidError{Field: "client", Reason: "is nil"}
	}
	b := &Backplane{client: client, opts: args.Given(opts)}
	if err := b.opts.setDefaults(); err != nil {
		return nil, err
	}
	for i := range b.opts.Readers {
		// One request reads all rooms of a reader, so they have one slot.
		prefix := "{" + b.opts.Prefix + ":" + strconv.Itoa(i) + "}"
		b.readers = append(b.readers, newReader(b, prefix))
	}
	return b, nil
}

// place returns where a room's entries are, and the reader that reads them.
func (b *Backplane) place(room string) (place, *reader) {
	n := hash(room)
	if b.opts.Shared == 0 {
		r := b.readers[n%uint32(len(b.readers))]
		return place{key: r.prefix + "r" + room}, r
	}
	// Streams of another number have other keys: one room must not have two.
	n %= uint32(b.opts.Shared)
	r := b.readers[n%uint32(len(b.readers))]
	return place{r.prefix + "s" + strconv.Itoa(b.opts.Shared) + "." + strconv.Itoa(int(n)), room}, r
}

// Publish adds an entry, or two if the client repeats a request that was lost.
//
// Cost: 1 request to Redis.
func (b *Backplane) Publish(ctx context.Context, room string, payload []byte) error {
	ctx = plaza.WithOperation(ctx, "live/redisstream.Backplane.Publish")
	at, _ := b.place(room)
	values := []any{payloadField, payload}
	if at.room != "" {
		values = append(values, roomField, at.room)
	}
	_, err := b.add(ctx, at.key, values)
	return err
}

// mark appends an entry without a payload: it is the end, and can be found again.
func (b *Backplane) mark(ctx context.Context, key string) (position, error) {
	return b.add(ctx, key, []any{payloadField, ""})
}

// add appends an entry to a stream and puts off its expiry.
func (b *Backplane) add(ctx context.Context, key string, values []any) (position, error) {
	var added *redis.StringCmd
	_, err := b.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		added = p.XAdd(ctx, &redis.XAddArgs{Stream: key, MaxLen: b.opts.MaxLen, Approx: true, Values: values})
		p.PExpire(ctx, key, b.opts.Expire)
		return nil
	})
	if err != nil {
		return position{}, fmt.Errorf("redisstream: add to %q: %w", key, err)
	}
	id, ok := parse(added.Val())
	if !ok {
		return position{}, fmt.Errorf("redisstream: add to %q: the id is %q", key, added.Val())
	}
	return id, nil
}

// end returns the last entry's id, zero if there is none, and whether the entry id still
// exists. If it does, so do all entries after it, because streams are trimmed from their
// beginning. It puts off the stream's expiry.
func (b *Backplane) end(ctx context.Context, key string, id position) (end position, known bool, err error) {
	var found, last *redis.XMessageSliceCmd
	_, err = b.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		found = p.XRangeN(ctx, key, id.String(), id.String(), 1)
		last = p.XRevRangeN(ctx, key, "+", "-", 1)
		p.PExpire(ctx, key, b.opts.Expire)
		return nil
	})
	if err != nil {
		return position{}, false, fmt.Errorf("redisstream: find the end of %q: %w", key, err)
	}
	if len(last.Val()) == 0 {
		return position{}, false, nil
	}
	end, ok := parse(last.Val()[0].ID)
	return end, ok && len(found.Val()) == 1, nil
}

// Subscribe implements live.Backplane.
//
// Cost: 1 request to Redis; 2 requests if the stream is not read here yet; to catch up
// 1 request more for each 1,000 entries.
//
//plaza:cost of a stream that is read here: 1 request
//plaza:cost of another stream: 2 requests
//plaza:cost of an empty stream, more: 1 request
//plaza:cost each 1,000 entries since the position, more: 1 request
//plaza:cost if others here have read further, more: 1 request
func (b *Backplane) Subscribe(ctx context.Context, room string, after live.Pos, deliver func([]live.Entry)) (live.Subscription, error) {
	ctx = plaza.WithOperation(ctx, "live/redisstream.Backplane.Subscribe")
	at, r := b.place(room)
	from, ok := at.parse(after)
	end, known, err := b.end(ctx, at.key, from)
	if err != nil {
		return live.Subscription{}, err
	}
	if !ok || !known {
		if end == (position{}) {
			if end, err = b.mark(ctx, at.key); err != nil {
				return live.Subscription{}, err
			}
		}
		from = end
	}
	end, stop, err := r.subscribe(ctx, at, from, end, deliver)
	if err != nil {
		return live.Subscription{}, err
	}
	return live.Subscription{From: at.pos(from), End: at.pos(end), Stop: stop}, nil
}
