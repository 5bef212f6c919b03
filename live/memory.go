package live

import (
	"context"
	"crypto/rand"
	"slices"
	"strconv"
	"sync"

	"github.com/plaza-sdk/plaza/internal/args"
)

// Memory is a Backplane within this process. It keeps the log of a room while
// the room has subscribers.
type Memory struct {
	keep int

	mu   sync.Mutex
	logs map[string]*memoryLog
}

type memoryLog struct {
	name    string // part of positions; no two logs share one
	entries []Entry
	last    int // number of entries so far
	subs    []*memorySub
}

type memorySub struct{ deliver func([]Entry) }

// MemoryOptions of NewMemory. The zero value works.
type MemoryOptions struct {
	Keep int // entries of a room. Defaults to 1,024.
}

// NewMemory returns an empty Memory.
func NewMemory(opts *MemoryOptions) (*Memory, error) {
	o := args.Given(opts)
	if err := args.DefaultAtLeast("Keep", &o.Keep, 1024, 0); err != nil {
		return nil, err
	}
	return &Memory{keep: o.Keep, logs: map[string]*memoryLog{}}, nil
}

// Publish implements Backplane. It delivers payload before it returns.
//
// Cost: none.
func (m *Memory) Publish(_ context.Context, room string, payload []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	log := m.logs[room]
	if log == nil {
		return nil
	}
	log.last++
	entry := Entry{Pos: log.pos(log.last), Payload: slices.Clone(payload)}
	if len(log.entries) == m.keep {
		log.entries[0] = Entry{}
		log.entries = log.entries[1:]
	}
	log.entries = append(log.entries, entry)
	for _, sub := range log.subs {
		sub.deliver([]Entry{entry})
	}
	return nil
}

// Subscribe implements Backplane.
//
// Cost: none.
func (m *Memory) Subscribe(_ context.Context, room string, after Pos, deliver func([]Entry)) (Subscription, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	log := m.logs[room]
	if log == nil {
		log = &memoryLog{name: rand.Text()}
		m.logs[room] = log
	}
	end := log.pos(log.last)
	from := end
	if rest, ok := log.after(after); ok {
		from = after
		if len(rest) > 0 {
			deliver(slices.Clone(rest))
		}
	}
	sub := &memorySub{deliver}
	log.subs = append(log.subs, sub)
	stop := func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		log.subs = slices.DeleteFunc(log.subs, func(s *memorySub) bool { return s == sub })
		if len(log.subs) == 0 && m.logs[room] == log {
			delete(m.logs, room)
		}
	}
	return Subscription{From: from, End: end, Stop: stop}, nil
}

func (l *memoryLog) pos(n int) Pos { return Pos(l.name + "-" + strconv.Itoa(n)) }

// after returns the entries after p, if none of them is gone.
func (l *memoryLog) after(p Pos) ([]Entry, bool) {
	first := l.last - len(l.entries)
	for n := l.last; n >= first; n-- {
		if p == l.pos(n) {
			return l.entries[n-first:], true
		}
	}
	return nil, false
}
