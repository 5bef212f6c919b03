package redisstream

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/live"
)

const (
	// block is how long a read waits, and so how long a reader runs after its last stream.
	block = time.Second

	// most is how many entries of a stream are read at once.
	most = 1000

	// replays is how many subscribers of a reader are brought up to date at once.
	replays = 4

	// check is how often quiet streams are verified, because the client hides that the
	// server was restarted or replaced.
	check = 5 * time.Second

	firstPause, longestPause = 20 * time.Millisecond, 2 * time.Second // after errors
)

// reader reads many streams by one connection.
type reader struct {
	b      *Backplane
	prefix string
	wake   string // a stream for itself; an entry in it ends a waiting read

	replaying chan struct{} // has one for each replay, so that few hold entries at once

	mu      sync.Mutex
	streams map[string]*stream // by key
	running bool
}

func newReader(b *Backplane, prefix string) *reader {
	return &reader{
		b: b, prefix: prefix, wake: prefix + "w" + rand.Text(),
		replaying: make(chan struct{}, replays), streams: map[string]*stream{},
	}
}

// subscribe delivers a room's entries after one that exists. It reads those up to the end
// itself, because a reader never goes back: others would wait. It returns the end as it is
// when the reader takes over.
func (r *reader) subscribe(
	ctx context.Context, at place, from, end position, deliver func([]live.Entry),
) (position, func(), error) {
	if ahead, ok := r.ahead(at.key, end); ok {
		// Check that: a stream that was deleted and begun again may have smaller ids.
		_, known, err := r.b.end(ctx, at.key, ahead)
		if err != nil {
			return position{}, nil, err
		}
		if !known {
			r.lose(at.key, ahead, end)
		}
	}
	added := &sub{deliver: deliver}

	r.mu.Lock()
	s := r.streams[at.key]
	opened := s == nil
	if opened {
		s = &stream{key: at.key, read: end, rooms: map[string][]*sub{}}
		r.streams[at.key] = s
	}
	if end.compare(s.read) < 0 {
		end = s.read
	}
	added.seen, added.behind = end, from != end
	s.rooms[at.room] = append(s.rooms[at.room], added)
	started := !r.running
	if started {
		r.running = true
		go r.run() //nolint:contextcheck // it reads for all rooms, not for this caller alone
	}
	r.mu.Unlock()

	stop := func() { r.unsubscribe(s, at.room, added) }
	var err error
	if opened && !started {
		err = r.interrupt(ctx)
	}
	if err == nil && added.behind {
		err = r.replay(ctx, added, at, from, end)
	}
	if err != nil {
		stop()
		return position{}, nil, err
	}
	return end, stop, nil
}

// ahead returns the last entry of a stream that was read, if it is past a position.
func (r *reader) ahead(key string, end position) (position, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.streams[key]
	if s == nil || s.read.compare(end) <= 0 {
		return position{}, false
	}
	return s.read, true
}

func (r *reader) unsubscribe(s *stream, room string, gone *sub) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s.remove(room, gone)
	if len(s.rooms) == 0 && r.streams[s.key] == s {
		delete(r.streams, s.key)
	}
}

// interrupt makes the reader ask again, for the current streams. It also works if the
// reader is just about to ask.
func (r *reader) interrupt(ctx context.Context) error {
	_, err := r.b.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.XAdd(ctx, &redis.XAddArgs{Stream: r.wake, MaxLen: 1, Values: []any{payloadField, ""}})
		p.PExpire(ctx, r.wake, 10*block)
		return nil
	})
	return err
}

// replay delivers a room's entries up to the end, and then those that the reader has read
// meanwhile.
func (r *reader) replay(ctx context.Context, to *sub, at place, from, end position) error {
	select {
	case r.replaying <- struct{}{}:
		defer func() { <-r.replaying }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for from.compare(end) < 0 {
		messages, err := r.b.client.XRangeN(ctx, at.key, from.String(), end.String(), most+1).Result()
		if err != nil {
			return fmt.Errorf("redisstream: read %q: %w", at.key, err)
		}
		kept := len(messages) > 0 && messages[0].ID == from.String()
		if kept {
			messages = messages[1:]
		}
		if len(messages) == 0 {
			break // the end is gone too, which the reader notices
		}
		entries, last := at.replayed(messages, !kept, end)
		if len(entries) > 0 {
			to.give(entries)
		}
		from = last
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	to.release()
	return nil
}

// run reads until there are no streams. A panic of the client is handled like an error.
func (r *reader) run() {
	ctx := plaza.WithOperation(context.Background(), "live/redisstream.Backplane.Subscribe")
	woken, pause := "0-0", firstPause
	verified := time.Now()
	for {
		streams := r.asked()
		if len(streams) == 0 {
			return
		}
		err := parallel.Catch(func() (err error) {
			if time.Since(verified) > check {
				verified = time.Now()
				return r.verify(ctx, streams)
			}
			woken, err = r.read(ctx, streams, woken)
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

// asked returns the streams, each with the last entry that was read. If there are none, the
// reader ends.
func (r *reader) asked() map[string]position {
	r.mu.Lock()
	defer r.mu.Unlock()
	streams := make(map[string]position, len(r.streams))
	for key, s := range r.streams {
		streams[key] = s.read
	}
	r.running = len(streams) > 0
	return streams
}

// read waits for entries of these streams and delivers them.
func (r *reader) read(ctx context.Context, streams map[string]position, woken string) (string, error) {
	keys := make([]string, 0, 2*len(streams)+2)
	ids := make([]string, 0, len(streams)+1)
	for key, from := range streams {
		keys, ids = append(keys, key), append(ids, from.String())
	}
	keys = append(append(keys, r.wake), append(ids, woken)...)
	answers, err := r.b.client.XRead(ctx, &redis.XReadArgs{Streams: keys, Count: most, Block: block}).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return "", err
	}
	answered := map[string]position{}
	for _, a := range answers {
		if a.Stream == r.wake {
			woken = a.Messages[len(a.Messages)-1].ID
		} else {
			answered[a.Stream] = streams[a.Stream]
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

// kept reports for each stream whether the last entry that was read still exists. If not,
// later ones may be lost, because streams are trimmed from their beginning.
func (r *reader) kept(ctx context.Context, streams map[string]position) (map[string]bool, error) {
	found := make(map[string]*redis.XMessageSliceCmd, len(streams))
	_, err := r.b.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for key, from := range streams {
			found[key] = p.XRangeN(ctx, key, from.String(), from.String(), 1)
			p.PExpire(ctx, key, r.b.opts.Expire) // a stream with a reader does not expire
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	kept := make(map[string]bool, len(streams))
	for key, cmd := range found {
		kept[key] = len(cmd.Val()) == 1
	}
	return kept, nil
}

// take delivers the entries that were read after a position.
func (r *reader) take(key string, from position, messages []redis.XMessage, gap bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.streams[key]; s != nil && s.read == from { // otherwise it is closed, or has lost entries
		s.take(messages, gap)
	}
}

// verify checks that all streams still have the entry that was read last. One without it
// gets a gap, and continues from its end.
func (r *reader) verify(ctx context.Context, streams map[string]position) error {
	kept, err := r.kept(ctx, streams)
	if err != nil {
		return err
	}
	for key, from := range streams {
		if kept[key] {
			continue
		}
		end, err := r.b.mark(ctx, key)
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
	if s := r.streams[key]; s != nil && s.read == from {
		s.lose(end)
	}
}
