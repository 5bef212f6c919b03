package main

import (
	"maps"
	"sync"

	"github.com/plaza-sdk/plaza/notify"
)

// seen is what the workers did so far.
type seen struct {
	mu      sync.Mutex
	records map[string]map[string]bool // that a group has handled, by their ids
	rung    map[string]map[string]bool // records that rang a user's bell
	asked   int                        // notifications of watchers that Run must deliver
	done    int                        // and has delivered
	failed  error                      // the last one
}

func newSeen() *seen {
	return &seen{records: map[string]map[string]bool{}, rung: map[string]map[string]bool{}}
}

func (s *seen) record(group, id string) { s.add(s.records, group, id) }

func (s *seen) ring(user, record string) { s.add(s.rung, user, record) }

func (s *seen) add(to map[string]map[string]bool, key, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if to[key] == nil {
		to[key] = map[string]bool{}
	}
	to[key][id] = true
}

func (s *seen) watch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
}

func (s *seen) delivery(d notify.Delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d.Done {
		s.done++
	}
	if d.Err != nil {
		s.failed = d.Err
	}
}

func (s *seen) problem(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = err
}

func (s *seen) met() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

func (s *seen) watches() (asked, done int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked, s.done
}

// unread is how many of one group's records another one has not handled.
func (s *seen) unread(group, by string) (left int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.records[group] {
		if !s.records[by][id] {
			left++
		}
	}
	return left
}

func (s *seen) count(group string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.records[group])
}

// rings is how often the users' bells rang.
func (s *seen) rings() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	rings := map[string]int{}
	for user, records := range maps.All(s.rung) {
		rings[user] = len(records)
	}
	return rings
}
