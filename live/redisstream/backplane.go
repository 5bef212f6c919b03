// Package redisstream is a live.Backplane on Redis Streams: each room is a
// stream, and a position in it is the id of an entry. Entries that a connection
// misses while it is down are read by the next one, which Redis's publish and
// subscribe cannot do.
//
// It needs Redis 6.2 or later, or Valkey. If a server loses entries, by a
// restart, a failover or because it evicts keys, the rooms are reset: with the
// next entry, and within some seconds otherwise.
package redisstream

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/live"
)

// field holds the payload of an entry. A mark has none.
const field = "p"

// Backplane is a live.Backplane. It is safe for concurrent use.
type Backplane struct {
	client  redis.UniversalClient
	opts    Options
	readers []*reader
}

var _ live.Backplane = (*Backplane)(nil)

// New does no I/O. The client stays the caller's: close it after the hubs. A
// connection reads until the rooms on it are closed.
func New(client redis.UniversalClient, opts *Options) (*Backplane, error) {
	if client == nil {
		return nil, &plaza.InvalidError{Field: "client", Reason: "is nil"}
	}
	b := &Backplane{client: client}
	if opts != nil {
		b.opts = *opts
	}
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

func (b *Backplane) reader(room string) *reader {
	hash := fnv.New32a()
	hash.Write([]byte(room))
	return b.readers[hash.Sum32()%uint32(len(b.readers))]
}

// Publish adds an entry, or two if the client repeats a request that was lost.
//
// Cost: 1 request to Redis.
func (b *Backplane) Publish(ctx context.Context, room string, payload []byte) error {
	_, err := b.add(ctx, b.reader(room).key(room), payload)
	return err
}

// add appends an entry to a stream and puts off its expiry.
func (b *Backplane) add(ctx context.Context, key string, payload []byte) (position, error) {
	var added *redis.StringCmd
	_, err := b.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		added = p.XAdd(ctx, &redis.XAddArgs{
			Stream: key, MaxLen: b.opts.MaxLen, Approx: true, Values: []any{field, payload},
		})
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

// end returns the last entry's id, and whether the entry id still exists. If it does, so
// do all entries after it, because streams are trimmed from their beginning.
func (b *Backplane) end(ctx context.Context, key string, id position) (end position, known bool, err error) {
	var found, last *redis.XMessageSliceCmd
	_, err = b.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		found = p.XRangeN(ctx, key, id.String(), id.String(), 1)
		last = p.XRevRangeN(ctx, key, "+", "-", 1)
		return nil
	})
	if err != nil {
		return position{}, false, fmt.Errorf("redisstream: find the end of %q: %w", key, err)
	}
	if len(found.Val()) == 0 || len(last.Val()) == 0 {
		return position{}, false, nil
	}
	end, known = parse(last.Val()[0].ID)
	return end, known, nil
}

// Subscribe implements live.Backplane.
//
// Cost: 2 requests to Redis; 1 more if after is unknown; 1 more if others here
// have read further.
func (b *Backplane) Subscribe(ctx context.Context, room string, after live.Pos, deliver func([]live.Entry)) (live.Subscription, error) {
	r := b.reader(room)
	key := r.key(room)
	from, known := parsePos(after, key)
	end := from
	if known {
		var err error
		if end, known, err = b.end(ctx, key, from); err != nil {
			return live.Subscription{}, err
		}
	}
	if !known { // append a mark and begin there: it is the end, and can be found again
		var err error
		if from, err = b.add(ctx, key, nil); err != nil {
			return live.Subscription{}, err
		}
		end = from
	}
	stop, err := r.subscribe(ctx, key, from, deliver)
	if err != nil {
		return live.Subscription{}, err
	}
	return live.Subscription{From: from.pos(key), End: end.pos(key), Stop: stop}, nil
}
