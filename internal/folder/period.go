package folder

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/internal/fold"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Period is a period of a board, as its table has it.
type Period struct {
	Name
	Parts   []string  // the partitions of the index that have its entries
	Closes  time.Time // when it accepts no more submissions; zero means never
	Final   time.Time // when all of them are in the index; zero means never
	Expires int64     // the ttl of its entries; 0 means never
}

func (p Period) closed(now time.Time) bool { return over(p.Closes, now) }

func (p Period) final(now time.Time) bool { return over(p.Final, now) }

func over(end, now time.Time) bool { return !end.IsZero() && !now.Before(end) }

func (p Period) expired(now time.Time) bool { return p.Expires != 0 && p.Expires <= now.Unix() }

// state is what a folder does with a period.
type state int

const (
	waits    state = iota // keeps changes, until the index may be read
	reads                 // keeps changes, until the index was read
	fails                 // ignores it, until the next attempt
	follows               // has its keys
	rests                 // it is closed and published
	tooLarge              // leaves it to be counted
)

// period is a period of a folded board.
type period struct {
	Period
	board *board
	state state
	since time.Time // when the state began; when a failed one is tried again
	tries int

	pending []change // since it waits
	load    *load
	order   dynamo.Item // the last order that came through the stream

	set     *fold.Set
	ready   time.Time // when the index had been read: the set is right once all changes up to then are in it
	changed time.Time // the last change
	dirty   bool      // and it is not published

	asOf   time.Time // of what is published
	tried  time.Time // the last attempt to publish
	stored stored
}

// change is a key that came into the index or left it.
type change struct {
	key []byte
	add bool
}

func (c change) apply(set *fold.Set) (changed bool) {
	if c.add {
		return set.Add(c.key)
	}
	return set.Remove(c.key)
}

// load is what is read of a period when a folder begins with it.
type load struct {
	cancel  func()
	entries atomic.Int64 // read so far
	done    chan struct{}

	// These are set when done is closed.
	set    *fold.Set
	stored stored
	ended  time.Time
	err    error
}

// stored is what the table had of a period before it was loaded.
type stored struct {
	blocks   []store.Key // in order
	gen, seq uint64      // of the root; 0 if there is none or it is damaged
	order    dynamo.Item // nil if there is none
}

// wait starts the wait until the period is loaded.
func (p *period) wait() {
	p.drop()
	p.state, p.since = waits, time.Now()
}

// leave leaves the period to be counted.
func (p *period) leave() {
	p.drop()
	p.state, p.dirty = tooLarge, true
}

// drop frees what the period has in memory.
func (p *period) drop() {
	if p.load != nil {
		p.load.cancel()
	}
	p.load, p.pending, p.set = nil, nil, nil
}

// size is how many entries the period has in memory.
func (p *period) size() int {
	n := len(p.pending)
	if p.set != nil {
		n += p.set.Len()
	}
	if p.load != nil {
		n += int(p.load.entries.Load())
	}
	return n
}

// take applies a change, or keeps it until the period is loaded.
func (p *period) take(c change, now time.Time) {
	switch p.state {
	case rests:
		p.wait()
		p.pending = append(p.pending, c)
	case waits, reads:
		p.pending = append(p.pending, c)
	case follows:
		if c.apply(p.set) {
			p.dirty, p.changed = true, now
		}
	}
}

// obey loads the period again.
func (p *period) obey(order dynamo.Item) {
	if p.order = order; p.state != waits && p.state != reads {
		p.wait()
	}
}

// loaded reports whether the set is right.
func (p *period) loaded(through time.Time) bool {
	return p.state == rests || p.state == follows && !through.Before(p.ready)
}

// due reports whether there is something to publish: changes, or a later time up to
// which there are no others.
func (p *period) due(through time.Time) bool {
	switch p.state {
	case tooLarge:
		return p.dirty
	case follows:
		behind := p.asOf.Before(p.changed) && !through.Before(p.changed)
		return p.loaded(through) && (p.dirty || behind || p.stored.order != nil)
	}
	return false
}

// attempt returns an attempt to do something with the period: what is the verb.
func (p *period) attempt(what string, err error) Attempt {
	a := Attempt{Board: p.Board, Period: p.Name.Period}
	if err != nil {
		a.Err = fmt.Errorf("leaderboard: %s period %s of %q: %w", what, a.Period, a.Board, err)
	}
	return a
}
