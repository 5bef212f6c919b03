package redisstream

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/live"
)

const (
	// block is how long a read waits, and so how long a reader runs after its last room.
	block = time.Second

	// most is how many entries of a room are read at once.
	most = 1000

	// check is how often quiet rooms are verified, because the client hides that the
	// server was restarted or replaced.
	check = 5 * time.Second

	firstPause, longestPause = 20 * time.Millisecond, 2 * time.Second // after errors
)

// reader reads many rooms by one connection.
type reader struct {
	b      *Backplane
	prefix string
	wake   string // a stream for itself; an entry in it ends a waiting read

	mu      sync.Mutex
	rooms   map[string]*stream // by key
	running bool
}

// stream is a room that is read.
type stream struct {
	read position // the last entry that was read
	subs []*sub
}

type sub struct {
	seen    position
	deliver func([]live.Entry)
	lost    bool // it lost entries by a panic
}

// hand delivers entries. After a panic, the lost entries become a gap before the next
// ones.
func (s *sub) hand(entries []live.Entry) {
	if s.lost {
		entries = slices.Clone(entries)
		entries[0].Gap = true
	}
	s.lost = parallel.Catch(func() error { s.deliver(entries); return nil }) != nil
}

func newReader(b *Backplane, prefix string) *reader {
	return &reader{b: b, prefix: prefix, wake: prefix + "w" + rand.Text(), rooms: map[string]*stream{}}
}

func (r *reader) key(room string) string { return r.prefix + "r" + room }

// subscribe reads a room from a position on. The position must exist.
func (r *reader) subscribe(ctx context.Context, key string, from position, deliver func([]live.Entry)) (stop func(), err error) {
	if ahead, ok := r.ahead(key, from); ok {
		// Check that: a stream that was deleted and begun again may have smaller ids.
		_, known, err := r.b.end(ctx, key, ahead)
		if err != nil {
			return nil, err
		}
		if !known {
			r.lose(key, ahead, from)
		}
	}
	added := &sub{seen: from, deliver: deliver}
	stop = func() { r.unsubscribe(key, added) }

	r.mu.Lock()
	s := r.rooms[key]
	if s == nil {
		s = &stream{read: from}
		r.rooms[key] = s
	}
	if from.compare(s.read) < 0 {
		s.read = from // the other subscribers have seen some of the entries after it
	}
	s.subs = append(s.subs, added)
	started := !r.running
	if started {
		r.running = true
		go r.run() //nolint:contextcheck // it reads for all rooms, not for this caller alone
	}
	r.mu.Unlock()

	if started {
		return stop, nil
	}
	if err := r.interrupt(ctx); err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// ahead returns the last entry of a room that was read, if it is past a position.
func (r *reader) ahead(key string, from position) (position, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.rooms[key]
	if s == nil || s.read.compare(from) <= 0 {
		return position{}, false
	}
	return s.read, true
}

func (r *reader) unsubscribe(key string, gone *sub) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.rooms[key]
	if s == nil {
		return
	}
	s.subs = slices.DeleteFunc(s.subs, func(other *sub) bool { return other == gone })
	if len(s.subs) == 0 {
		delete(r.rooms, key)
	}
}

// interrupt makes the reader ask again, for the current rooms. It also works if the
// reader is just about to ask.
func (r *reader) interrupt(ctx context.Context) error {
	_, err := r.b.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.XAdd(ctx, &redis.XAddArgs{Stream: r.wake, MaxLen: 1, Values: []any{field, ""}})
		p.PExpire(ctx, r.wake, 10*block)
		return nil
	})
	return err
}

// run reads until there are no rooms. A panic of the client is handled like an error.
func (r *reader) run() {
	ctx := context.Background()
	woken, pause := "0-0", firstPause
	verified := time.Now()
	for {
		rooms := r.asked()
		if len(rooms) == 0 {
			return
		}
		err := parallel.Catch(func() (err error) {
			if time.Since(verified) > check {
				verified = time.Now()
				return r.verify(ctx, rooms)
			}
			woken, err = r.read(ctx, rooms, woken)
			return err
		})
		if err != nil {
			verified, woken = time.Time{}, "0-0" // the server may have been replaced
			time.Sleep(pause)
			pause = min(2*pause, longestPause)
			continue
		}
		pause = firstPause
		time.Sleep(r.b.opts.Every)
	}
}

// asked returns the rooms, each with the last entry that was read. If there are none, the
// reader ends.
func (r *reader) asked() map[string]position {
	r.mu.Lock()
	defer r.mu.Unlock()
	rooms := make(map[string]position, len(r.rooms))
	for key, s := range r.rooms {
		rooms[key] = s.read
	}
	r.running = len(rooms) > 0
	return rooms
}

// read waits for entries of these rooms and delivers them.
func (r *reader) read(ctx context.Context, rooms map[string]position, woken string) (string, error) {
	streams := make([]string, 0, 2*len(rooms)+2)
	ids := make([]string, 0, len(rooms)+1)
	for key, from := range rooms {
		streams, ids = append(streams, key), append(ids, from.String())
	}
	streams = append(append(streams, r.wake), append(ids, woken)...)
	answers, err := r.b.client.XRead(ctx, &redis.XReadArgs{Streams: streams, Count: most, Block: block}).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return "", err
	}
	answered := map[string]position{}
	for _, a := range answers {
		if a.Stream == r.wake {
			woken = a.Messages[len(a.Messages)-1].ID
		} else {
			answered[a.Stream] = rooms[a.Stream]
		}
	}
	if len(answered) == 0 {
		return woken, nil
	}
	kept, err := r.kept(ctx, answered)
	if err != nil {
		return "", err
	}
	for _, a := range answers {
		if from, ok := answered[a.Stream]; ok {
			r.take(a.Stream, from, a.Messages, !kept[a.Stream])
		}
	}
	return woken, nil
}

// kept reports for each room whether the last entry that was read still exists. If not,
// later ones may be lost, because streams are trimmed from their beginning.
func (r *reader) kept(ctx context.Context, rooms map[string]position) (map[string]bool, error) {
	found := make(map[string]*redis.XMessageSliceCmd, len(rooms))
	_, err := r.b.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for key, from := range rooms {
			found[key] = p.XRangeN(ctx, key, from.String(), from.String(), 1)
			p.PExpire(ctx, key, r.b.opts.Expire) // a room with a reader does not expire
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	kept := make(map[string]bool, len(rooms))
	for key, cmd := range found {
		kept[key] = len(cmd.Val()) == 1
	}
	return kept, nil
}

// take delivers the entries that were read after a position.
func (r *reader) take(key string, from position, messages []redis.XMessage, gap bool) {
	entries := make([]live.Entry, 0, len(messages))
	ids := make([]position, 0, len(messages))
	for _, m := range messages {
		id, ok := parse(m.ID)
		if !ok {
			continue // impossible: Redis writes no such id
		}
		payload, _ := m.Values[field].(string)
		entries = append(entries, live.Entry{Pos: id.pos(key), Payload: []byte(payload), Gap: gap && len(entries) == 0})
		ids = append(ids, id)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.rooms[key]
	if s == nil || s.read != from || len(ids) == 0 {
		return // the room is closed, or a new subscriber needs a read from an earlier entry
	}
	s.read = ids[len(ids)-1]
	for _, sub := range s.subs {
		if gap {
			sub.seen = from // also for a subscriber that was further: its entry may be gone too
		}
		seen := sort.Search(len(ids), func(i int) bool { return ids[i].compare(sub.seen) > 0 })
		if seen < len(ids) {
			sub.seen = s.read
			sub.hand(entries[seen:])
		}
	}
}

// verify checks that all rooms still have the entry that was read last. A room without it
// gets a gap, and continues from its end.
func (r *reader) verify(ctx context.Context, rooms map[string]position) error {
	kept, err := r.kept(ctx, rooms)
	if err != nil {
		return err
	}
	for key, from := range rooms {
		if kept[key] {
			continue
		}
		end, err := r.b.add(ctx, key, nil)
		if err != nil {
			return err
		}
		r.lose(key, from, end)
	}
	return nil
}

// lose delivers a gap between two positions.
func (r *reader) lose(key string, from, end position) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.rooms[key]
	if s == nil || s.read != from {
		return
	}
	s.read = end
	for _, sub := range s.subs {
		sub.seen = end
		sub.hand([]live.Entry{{Pos: end.pos(key), Gap: true}})
	}
}
