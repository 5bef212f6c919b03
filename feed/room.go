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

// maxHeader is the largest size of a header's marks, in bytes. DynamoDB allows
// 400 KB for an item. With names of 16 bytes there is room for some 4,000
// marks.
const maxHeader = 300 << 10

// markSize and pullSize are the sizes of marks without their names: ids, the
// names of their attributes, and DynamoDB's overhead for a map.
const (
	markSize = 60
	pullSize = 70
)

// maxPulls is how many outboxes a home may read.
const maxPulls = 500

const (
	fullAttr    = "full"    // present if the marks have reached maxHeader
	crowdedAttr = "crowded" // present if the home reads maxPulls outboxes
)

type tooManyPulledError struct{}

func (tooManyPulledError) Error() string { return "feed: the home reads too many outboxes" }

func (tooManyPulledError) Unwrap() error { return plaza.ErrBusy }

// ErrTooManyPulled is returned by Home.Follow of a Pulled source if the home
// already reads 500 outboxes. A source that was Pulled counts too, until the
// activities that homes read there expire. It unwraps to plaza.ErrBusy.
var ErrTooManyPulled error = tooManyPulledError{}

// room reports what a header can still take.
type room struct {
	marks bool // of any kind
	pulls bool // with a range
}

// makeRoom tidies the header. It fails if a pull is wanted and there is no room
// for it.
func (h Home) makeRoom(ctx context.Context, head *header, wanted bool) error {
	room, err := h.tidy(ctx, head, "")
	switch {
	case err != nil || !wanted:
		return err
	case !room.marks:
		return ErrFull
	case !room.pulls:
		return ErrTooManyPulled
	}
	return nil
}

// tidy removes marks that no longer hide anything, except the one named keep,
// and pulls that no longer show anything. It stores and returns the room that
// is left.
func (h Home) tidy(ctx context.Context, head *header, keep string) (room, error) {
	now := h.r.opts.Now()
	s := sweep{
		header: head, names: slices.Sorted(maps.Keys(head.item)),
		now: ids.At(now), horizon: ids.At(now.Add(-h.r.opts.Retention).Add(-24 * time.Hour)), // the sum of both may overflow
		update:   h.r.table.Update(headerKey(h.reader)),
		ended:    map[string][]string{},
		outlived: sync.OnceValue(func() bool { return h.outlived(ctx, now) }),
		stands:   func(source string, edge ids.ID) bool { return h.stands(ctx, source, edge) },
	}
	s.pulls(h.lowest(head, now))
	s.marks(keep)
	found := room{marks: s.size < maxHeader, pulls: s.reading < maxPulls}
	stored := room{marks: head.item[fullAttr] == nil, pulls: head.item[crowdedAttr] == nil}
	if s.removed == 0 && found == stored {
		return found, nil
	}
	s.note(fullAttr, !found.marks)
	s.note(crowdedAttr, !found.pulls)
	err := h.r.runIf(ctx, s.update)
	found.marks = found.marks || s.removed == sweepSize // there may be more to remove
	return found, err
}

// outlivedRows is how many rows outlived looks at.
const outlivedRows = 1000

// outlived reports whether the home may have entries that were stored under a
// longer Retention. Expired ones may lie there too, until DynamoDB deletes them.
func (h Home) outlived(ctx context.Context, now time.Time) bool {
	entries, rest, err := store.Read[entryItem](ctx, h.r.table, store.Span{
		PK: homePK(h.reader), To: ids.At(now.Add(-h.r.opts.Retention)).String(), Limit: outlivedRows,
	})
	return err != nil || rest != "" || slices.ContainsFunc(entries, func(e entryItem) bool { return e.TTL > now.Unix() })
}

// stands reports whether the source's edge, or an earlier one, may stand.
func (h Home) stands(ctx context.Context, source string, edge ids.ID) bool {
	last, stands, err := h.r.graph.Last(ctx, follow.Edge{Follower: h.reader, Followee: source})
	if err != nil {
		return !errors.Is(err, plaza.ErrNotFound)
	}
	return stands && last.ID <= edge
}

// sweepSize is how many marks one sweep removes or renews.
const sweepSize = 50

// sweep is the removal of old marks from a header.
type sweep struct {
	*header
	names    []string
	now      ids.ID
	horizon  ids.ID
	update   *store.Update
	ended    map[string][]string // by dead mark, the pulls that it has ended
	outlived func() bool
	stands   func(source string, edge ids.ID) bool

	removed int
	size    int // of what stays, in bytes
	reading int // how many pulls show something
}

// pulls removes the pulls whose range is over, and collects those that an unfollow
// has ended.
func (s *sweep) pulls(lowest ids.ID) {
	for _, name := range s.names {
		edge, source, ok := parsePullName(name)
		if !ok {
			continue
		}
		if of := markName(source); s.mark(of).Unfollow != 0 && s.covers(source, edge) {
			s.ended[of] = append(s.ended[of], name)
			continue
		}
		p, _, err := s.pull(edge, source)
		if err == nil && p.Until != 0 && max(p.Until, p.At) < s.horizon && s.removed < sweepSize {
			s.update.If("$.$ = ?", name, "at", p.At) // unless it was written again
			if s.forget(name, "at", p.Kept && s.stands(source, edge)) {
				continue
			}
		}
		s.size += len(name) + pullSize
		if err == nil && !p.empty(lowest) {
			s.reading++
		}
	}
}

// marks removes the pulls that unfollows have ended, and old dead marks that
// have no such pull left: without its dead mark a pull would show again.
func (s *sweep) marks(keep string) {
	for _, name := range s.names {
		if !strings.HasPrefix(name, markPrefix) {
			continue
		}
		m, ended := s.mark(name), s.ended[name]
		n := min(len(ended), sweepSize-s.removed)
		for _, pull := range ended[:n] {
			s.update.RemoveExpr("$", pull)
		}
		for _, pull := range ended[n:] {
			s.size += len(pull) + pullSize
		}
		s.removed += n
		old := name != keep && m.Unfollow != 0 && m.Unfollow < s.horizon && s.removed < sweepSize && !s.outlived() // then all of ended were removed
		if old || n > 0 {
			s.update.If("$.$ = ?", name, "unfollow", m.Unfollow) // unless it was written again
		}
		if !old || !s.forget(name, "unfollow", s.stands(keys.Split(name)[1], m.Edge)) {
			s.size += len(name) + markSize
		}
	}
}

// forget removes an old mark, or renews it if its edge stands, because an Unfollow
// died: without the mark, what the edge still brings would show.
func (s *sweep) forget(name, at string, stands bool) (removed bool) {
	s.removed++
	if stands {
		s.update.SetExpr("$.$ = ?", name, at, s.now)
	} else {
		s.update.RemoveExpr("$", name)
	}
	return !stands
}

// note sets the attribute, or removes it.
func (s *sweep) note(attr string, present bool) {
	if present {
		s.update.Set(attr, true)
	} else {
		s.update.Remove(attr)
	}
}

// lowest is the lowest id that the home shows.
func (h Home) lowest(head *header, now time.Time) ids.ID {
	return max(head.floor, ids.At(now.Add(-h.r.opts.Retention)))
}
