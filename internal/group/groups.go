package group

import (
	"context"
	"errors"
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

	// maxLost is how many requests of a call may have no answer in time.
	maxLost = 3

	// remembered is how many full groups and how many writes a process remembers.
	remembered = 10_000

	// slack is how much longer than Retention a group stays: longer than clocks
	// differ, so that its events are too old to be stored again when it expires.
	slack = time.Hour
)

// RequestTime is how long a request that moves a group may take. Its id is made just
// before it, and each has another.
const RequestTime = 3 * time.Second

// Groups are the groups of a table.
type Groups struct {
	Config

	full *lru.Cache[store.Key, rise]

	// inTime has writes of events that were certainly applied in time.
	inTime *lru.Cache[ids.ID, struct{}]

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
	InTime    time.Duration // after a write's id; later marks may cover what was just applied

	// Rebuild makes the Data of an event from its group's sort key and its entry,
	// or returns data, that of the head, if it is the event's.
	Rebuild func(sk string, e Entry, data string) (string, error)

	// Named reports whether the user's marks name a place of which Head.Shown says that
	// the group was shown there.
	Named func(ctx context.Context, g Head) bool
}

// Mint makes a write id above another.
type Mint func(ctx context.Context, above ids.ID) (ids.ID, error)

// New does no I/O.
func New(c Config) (*Groups, error) {
	full, err := lru.New[store.Key, rise](remembered)
	if err != nil {
		return nil, fmt.Errorf("group: %w", err)
	}
	inTime, err := lru.New[ids.ID, struct{}](remembered)
	if err != nil {
		return nil, fmt.Errorf("group: %w", err)
	}
	return &Groups{Config: c, full: full, inTime: inTime, turns: turns.New()}, nil
}

// rise says when a full group moved to the top last.
type rise struct {
	last ids.ID
	next time.Time // when it may rise again
}

// rise returns when the group rose, and whether it may not rise again yet. If the clock that
// raised it is ahead of ours, it waits longer by that much.
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

	id   ids.ID
	sent []ids.ID // the id, and those before it
	lost []error  // of requests that may have been applied, though not in time
}

// raise takes an id above another.
func (w *write) raise(ctx context.Context, above ids.ID) (err error) {
	w.id, err = w.mint(ctx, above)
	w.sent = append(w.sent, w.id)
	return err
}

// own reports whether this call has sent the id.
func (w *write) own(id ids.ID) bool { return slices.Contains(w.sent, id) }

// late reports whether a write, which has been applied by now, may have been applied too
// late: then a mark of a list without it may cover it.
func (s *Groups) late(id ids.ID) bool { return s.Now().Sub(id.Time()) > s.InTime }

// again waits before the next try after a request that failed. If there is no next try, it
// returns the error of the call.
func (w *write) again(ctx context.Context, try int, err error) error {
	if errors.Is(err, plaza.ErrUnknownOutcome) {
		w.lost = append(w.lost, err)
	}
	if len(w.lost) < maxLost && store.Again(ctx, try, err) {
		return nil
	}
	return w.failed(err)
}

// failed returns the error of the call: that of the first request that may have been
// applied, or else the last one.
func (w *write) failed(err error) error {
	if len(w.lost) > 0 {
		return w.lost[0]
	}
	return err
}

// put writes the group as it was changed, unless others have changed it.
func (w *write) put(g *stored, now time.Time) *store.Put {
	g.TTL = max(g.TTL, w.ttl(now))
	put := w.Table.Put(g.next())
	if g.exists {
		put.If("'rev' = ? AND 'lv' = ?", g.Rev, g.from)
	} else {
		put.If("attribute_not_exists('pk')")
	}
	return put
}

// ttl is the time to live of the group after a write. This clock may be behind the event's.
func (w *write) ttl(now time.Time) int64 {
	if at := w.event.ID.Time(); at.After(now) {
		now = at
	}
	return now.Add(w.Retention + slack).Unix()
}

func (w *write) busy() error {
	return fmt.Errorf("group %q: %w: others write it", w.key.SK, plaza.ErrBusy)
}
