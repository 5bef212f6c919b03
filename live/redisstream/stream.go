package redisstream

import (
	"slices"
	"sort"

	"github.com/redis/go-redis/v9"

	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/live"
)

// stream is what its reader knows of it. The reader's lock guards it and its subs.
type stream struct {
	key   string
	read  position          // the last entry that was read
	rooms map[string][]*sub // those that have subscribers
}

// sub is a subscriber of a room.
type sub struct {
	deliver func([]live.Entry)
	seen    position     // it gets entries after this one
	behind  bool         // a replay delivers earlier entries; its goroutine alone calls give
	held    []live.Entry // what has arrived during the replay
	lost    bool         // it lost entries by a panic
}

// batch is entries of one room, with their ids.
type batch struct {
	ids     []position
	entries []live.Entry
}

func (b *batch) add(id position, e live.Entry) {
	b.ids, b.entries = append(b.ids, id), append(b.entries, e)
}

// take delivers entries, each to its room alone. A gap before the first one concerns all
// rooms.
func (s *stream) take(messages []redis.XMessage, gap bool) {
	arrived := map[string]*batch{}
	for i, m := range messages {
		id, ok := parse(m.ID)
		if !ok {
			continue // impossible: Redis writes no such id
		}
		s.read = id
		if gap && i == 0 {
			for room, subs := range s.rooms {
				arrived[room] = &batch{}
				arrived[room].add(id, place{s.key, room}.entry(id, m, true))
				for _, sub := range subs {
					sub.seen = position{} // even if it was further: that entry may be gone too
				}
			}
			continue
		}
		room := roomOf(m)
		if s.rooms[room] == nil {
			continue
		}
		if arrived[room] == nil {
			arrived[room] = &batch{}
		}
		arrived[room].add(id, place{s.key, room}.entry(id, m, false))
	}
	for room, b := range arrived {
		for _, sub := range s.rooms[room] {
			seen := sort.Search(len(b.ids), func(i int) bool { return b.ids[i].compare(sub.seen) > 0 })
			if seen < len(b.ids) {
				sub.hand(b.entries[seen:])
			}
		}
	}
}

// lose delivers a gap to all rooms.
func (s *stream) lose(end position) {
	s.read = end
	for room, subs := range s.rooms {
		for _, sub := range subs {
			sub.seen = position{}
			sub.hand([]live.Entry{{Pos: place{s.key, room}.pos(end), Gap: true}})
		}
	}
}

func (s *stream) remove(room string, gone *sub) {
	subs := slices.DeleteFunc(s.rooms[room], func(other *sub) bool { return other == gone })
	s.rooms[room] = subs
	if len(subs) == 0 {
		delete(s.rooms, room)
	}
}

// replayed returns the room's entries among messages, and the id of the last message. The
// end is an entry too, without a payload if it is another room's, and so is a gap.
func (at place) replayed(messages []redis.XMessage, gap bool, end position) (entries []live.Entry, last position) {
	for i, m := range messages {
		id, ok := parse(m.ID)
		if !ok {
			continue // impossible: Redis writes no such id
		}
		last = id
		gap := gap && i == 0
		if gap || id == end || roomOf(m) == at.room {
			entries = append(entries, at.entry(id, m, gap))
		}
	}
	return entries, last
}

// roomOf is the room that an entry names.
func roomOf(m redis.XMessage) string {
	room, _ := m.Values[roomField].(string)
	return room
}

// entry returns what the room gets of an entry of the stream: only the position, if it is
// another room's.
func (at place) entry(id position, m redis.XMessage, gap bool) live.Entry {
	e := live.Entry{Pos: at.pos(id), Gap: gap}
	if payload, ok := m.Values[payloadField].(string); ok && roomOf(m) == at.room {
		e.Payload = []byte(payload)
	}
	return e
}

// hand delivers entries, or holds them until the replay is over.
func (s *sub) hand(entries []live.Entry) {
	if !s.behind {
		s.give(entries)
		return
	}
	if len(s.held)+len(entries) > most {
		s.held = nil
		entries = []live.Entry{{Pos: entries[len(entries)-1].Pos, Gap: true}}
	}
	s.held = append(s.held, entries...)
}

// release ends the replay.
func (s *sub) release() {
	s.behind = false
	if held := s.held; len(held) > 0 {
		s.held = nil
		s.give(held)
	}
}

// give delivers entries. After a panic, the lost entries become a gap before the next
// ones.
func (s *sub) give(entries []live.Entry) {
	if s.lost {
		entries = slices.Clone(entries)
		entries[0].Gap = true
	}
	s.lost = parallel.Catch(func() error { s.deliver(entries); return nil }) != nil
}
