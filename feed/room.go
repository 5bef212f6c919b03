package feed

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/follow"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// maxHeader is the largest size of a header's endings and pulls, in bytes. DynamoDB
// allows 400 KB for an item. With names of 16 bytes there is room for some 4,000.
const maxHeader = 300 << 10

// endingSize and pullSize are sizes without the name: ids, the names of their
// attributes, and DynamoDB's overhead for a map.
const (
	endingSize = 60
	pullSize   = 70
)

// maxPulls is how many outboxes a home may read.
const maxPulls = 500

type tooManyPulledError struct{}

func (tooManyPulledError) Error() string { return "feed: the home reads too many outboxes" }

func (tooManyPulledError) Unwrap() error { return plaza.ErrBusy }

type fullError struct{}

func (fullError) Error() string { return "feed: the home remembers too many follows" }

func (fullError) Unwrap() error { return plaza.ErrBusy }

// ErrFull is returned by Home.Unfollow if the home cannot remember another
// source whose entries it hides or keeps: some 4,000 within Retention. Nothing
// was written. Home.Follow returns it too, for a Pulled source. It unwraps to
// plaza.ErrBusy.
var ErrFull error = fullError{}

// ErrTooManyPulled is returned by Home.Follow of a Pulled source if the home
// already reads 500 outboxes. A source that was Pulled counts too, until the
// activities that homes read there expire. It unwraps to plaza.ErrBusy.
var ErrTooManyPulled error = tooManyPulledError{}

// makeRoom tidies the header. It fails if there is then no room for another ending
// or pull, or for another outbox to read.
func (h Home) makeRoom(ctx context.Context, head *header, outbox bool) error {
	room, err := h.tidy(ctx, head)
	switch {
	case err != nil:
		return err
	case !room.more:
		return ErrFull
	case outbox && !room.outbox:
		return ErrTooManyPulled
	}
	return nil
}

// room is what a header can still take.
type room struct {
	more   bool // an ending or a pull
	outbox bool // a pull that reads something
}

// tidy removes old endings and pulls, at most sweepSize. It stores and returns the room
// that is left.
func (h Home) tidy(ctx context.Context, head *header) (room, error) {
	now := h.r.opts.Now()
	s := sweep{
		header: head, home: h, names: slices.Sorted(maps.Keys(head.item)),
		now: ids.At(now), horizon: ids.At(now.Add(-h.r.opts.Retention).Add(-24 * time.Hour)), // the sum of both may overflow
		update: h.update(),
		over:   map[string][]string{},
	}
	s.sweepPulls(ctx, h.lowest(head, now))
	s.sweepEndings(ctx, sync.OnceValue(func() bool { return h.outlived(ctx, now) }))
	found := room{more: s.size < maxHeader, outbox: s.reading < maxPulls}
	stored := room{more: head.item[fullAttr] == nil, outbox: head.item[crowdedAttr] == nil}
	if s.removed == 0 && found == stored {
		return found, nil
	}
	s.set(fullAttr, !found.more)
	s.set(crowdedAttr, !found.outbox)
	err := h.r.runIf(ctx, s.update)
	found.more = found.more || s.removed == sweepSize // there may be more to remove
	return found, err
}

// sweepSize is how many endings and pulls one sweep removes or renews.
const sweepSize = 50

// sweep removes old endings and pulls from a header, and measures what stays.
type sweep struct {
	*header
	home    Home
	names   []string // of all attributes
	now     ids.ID
	horizon ids.ID // entries from before it have expired
	update  *store.Update
	over    map[string][]string // by the name of an ending, the pulls that it has ended

	removed int
	size    int // of what stays, in bytes
	reading int // how many pulls read something
}

// sweepPulls removes the pulls whose last activities have expired, and collects those
// that an unfollow has ended.
func (s *sweep) sweepPulls(ctx context.Context, lowest ids.ID) {
	for _, name := range s.names {
		edge, source, ok := parsePullName(name)
		if !ok {
			continue
		}
		if end := endingName(source); s.ending(end).Unfollow != 0 && s.ended(source, edge) {
			s.over[end] = append(s.over[end], name)
			continue
		}
		p, _, err := s.pull(edge, source)
		if err == nil && p.Until != 0 && max(p.Until, p.At) < s.horizon && s.removed < sweepSize {
			s.update.If("$.$ = ?", name, "at", p.At) // unless it was written again
			if s.forget(name, "at", p.Kept && s.home.mayFollow(ctx, source, edge)) {
				continue
			}
		}
		s.size += len(name) + pullSize
		if err == nil && !p.empty(lowest) {
			s.reading++
		}
	}
}

// sweepEndings removes the pulls that unfollows have ended, and old endings that have no
// such pull left: without its ending a pull would show again.
func (s *sweep) sweepEndings(ctx context.Context, outlived func() bool) {
	for _, name := range s.names {
		if !strings.HasPrefix(name, endingPrefix) {
			continue
		}
		e, over := s.ending(name), s.over[name]
		n := min(len(over), sweepSize-s.removed)
		for _, pull := range over[:n] {
			s.update.RemoveExpr("$", pull)
		}
		for _, pull := range over[n:] {
			s.size += len(pull) + pullSize
		}
		s.removed += n
		old := e.Unfollow != 0 && e.Unfollow < s.horizon && s.removed < sweepSize && !outlived() // then all of over were removed
		if old || n > 0 {
			s.update.If("$.$ = ?", name, "unfollow", e.Unfollow) // unless it was written again
		}
		if !old || !s.forget(name, "unfollow", s.home.mayFollow(ctx, keys.Split(name)[1], e.Edge)) {
			s.size += len(name) + endingSize
		}
	}
}

// forget removes an old ending or pull. If an Unfollow died and left its edge, it renews
// it: without it, the home would show what the edge still brings.
func (s *sweep) forget(name, at string, follows bool) (removed bool) {
	s.removed++
	if follows {
		s.update.SetExpr("$.$ = ?", name, at, s.now)
	} else {
		s.update.RemoveExpr("$", name)
	}
	return !follows
}

// set sets the attribute, or removes it.
func (s *sweep) set(attr string, present bool) {
	if present {
		s.update.Set(attr, true)
	} else {
		s.update.Remove(attr)
	}
}

// mayFollow reports whether the home may still follow the source by this edge or an
// earlier one.
func (h Home) mayFollow(ctx context.Context, source string, edge ids.ID) bool {
	last, follows, err := h.r.graph.Last(ctx, follow.Edge{Follower: h.reader, Followee: source})
	if err != nil {
		return !errors.Is(err, plaza.ErrNotFound)
	}
	return follows && last.ID <= edge
}

// outlivedEntries is how many entries outlived looks at.
const outlivedEntries = 1000

// outlived reports whether the home may have entries that were stored under a
// longer Retention. Expired ones may lie there too, until DynamoDB deletes them.
func (h Home) outlived(ctx context.Context, now time.Time) bool {
	entries, rest, err := store.Read[entryItem](ctx, h.r.table, store.Span{
		PK: homePK(h.reader), To: ids.At(now.Add(-h.r.opts.Retention)).String(), Limit: outlivedEntries,
	})
	return err != nil || rest != "" || slices.ContainsFunc(entries, func(e entryItem) bool { return e.TTL > now.Unix() })
}
