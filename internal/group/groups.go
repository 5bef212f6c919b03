package group

import (
	"context"
	"fmt"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/internal/turns"
)

const (
	// maxTries is how often a write is tried while others write the same group.
	maxTries = 20

	// maxFull is how many full groups a process remembers.
	maxFull = 10_000

	// slack is how much longer than Retention a group stays: longer than clocks
	// differ, so that its events are too old to be stored again when it expires.
	slack = time.Hour
)

// Groups are the groups of a table.
type Groups struct {
	Config

	full *lru.Cache[store.Key, rise]

	// turns queues the writes of one group, which would refuse each other: 64 writers
	// took 7 requests an event without it, and take 1.1 with it.
	turns *turns.Turns
}

// Config of Groups. All fields are required.
type Config struct {
	Table     *store.Table
	Now       func() time.Time
	Retention time.Duration // of a group, since its last write
	Coalesce  time.Duration // how often a full group rises at most
	Ack       time.Duration // a write that takes longer is moved to a new id

	// Rebuild makes the Data of an event from its group's sort key and its entry,
	// or returns data, that of the head, if it is the event's.
	Rebuild func(sk string, e Entry, data string) (string, error)
}

// Mint makes a write id above another.
type Mint func(ctx context.Context, above ids.ID) (ids.ID, error)

// New does no I/O.
func New(c Config) (*Groups, error) {
	full, err := lru.New[store.Key, rise](maxFull)
	if err != nil {
		return nil, fmt.Errorf("group: %w", err)
	}
	return &Groups{Config: c, full: full, turns: turns.New()}, nil
}

// rise is when a full group rose last.
type rise struct {
	last ids.ID
	next time.Time // when it may rise again
}

// rise is when the group rose, if it may not rise yet. A clock that was ahead does
// not keep it down longer.
func (s *Groups) rise(g *stored, now time.Time) (rise, bool) {
	at := g.Last.Time()
	if at.After(now) {
		at = now
	}
	r := rise{g.Last, at.Add(s.Coalesce)}
	return r, g.More && now.Before(r.next)
}

// write is one call that writes a group.
type write struct {
	*Groups
	key   store.Key
	event Event
	mint  Mint

	minted
	sent []minted
}

// minted is a write id of this call.
type minted struct {
	id    ids.ID
	since time.Time // by our clock
}

// raise takes an id above another.
func (w *write) raise(ctx context.Context, above ids.ID) (err error) {
	w.since = w.Now()
	w.id, err = w.mint(ctx, above)
	w.sent = append(w.sent, w.minted)
	return err
}

// own reports whether this call has sent the id, and goes back to it.
func (w *write) own(id ids.ID) bool {
	i := slices.IndexFunc(w.sent, func(m minted) bool { return m.id == id })
	if i >= 0 {
		w.minted = w.sent[i]
	}
	return i >= 0
}

// put writes the group as it was changed, unless others have changed it.
func (w *write) put(ctx context.Context, g *stored, now time.Time) error {
	g.TTL = max(g.TTL, w.ttl(now))
	put := w.Table.Put(g.next())
	if g.exists {
		put.If("'rev' = ? AND 'lv' = ?", g.Rev, g.from)
	} else {
		put.If("attribute_not_exists('pk')")
	}
	return w.Table.Run(ctx, put)
}

// ttl is the group's after a write. Its clock may be behind the event's.
func (w *write) ttl(now time.Time) int64 {
	if at := w.event.ID.Time(); at.After(now) {
		now = at
	}
	return now.Add(w.Retention + slack).Unix()
}

func (w *write) busy() error {
	return fmt.Errorf("group %q: %w: others write it", w.key.SK, plaza.ErrBusy)
}
