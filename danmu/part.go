package danmu

import (
	"context"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// errWide refuses a window of more than two segments.
var errWide = &plaza.InvalidError{Field: "to", Reason: "makes a window of more than two segments"}

// part is what one read fetches: a span of a segment, or a sample of its
// comments.
type part struct {
	object  string
	segment int
	span    span
	sample  int
}

// readWindow reads the parts of a span and applies opts.
func (r *Repository) readWindow(ctx context.Context, l *layout, s span, opts *WindowOptions) (Window, error) {
	parts, err := l.parts(s, opts.Sample)
	if err != nil || len(parts) == 0 || len(l.segments) == 0 {
		return Window{}, err
	}
	read := make([][]Comment, len(parts))
	group, ctx := parallel.WithContext(ctx)
	for i, p := range parts {
		group.Go(func() (err error) {
			read[i], err = r.readPart(ctx, l, p, r.consistent(opts))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return Window{}, err
	}
	all := read[0]
	if len(read) > 1 {
		all = slices.Concat(read...)
	}
	var w Window
	w.Comments, w.Dropped = opts.show(all, l.owner, r.opts.HideAt)
	for i := range w.Comments {
		w.Comments[i].Extra = slices.Clone(w.Comments[i].Extra) // reads are shared
	}
	return w, nil
}

// parts cuts a span at the bounds of segments.
func (l *layout) parts(s span, sample int) ([]part, error) {
	var parts []part
	for s.from < s.to {
		if len(parts) == 2 {
			return nil, errWide
		}
		n := l.segmentOf(s.from)
		end := min(s.to, l.span(n).to)
		parts = append(parts, part{l.object, n, span{s.from, end}, sample})
		s.from = end
	}
	return parts, nil
}

// readPart returns a part from the cache, if there is one, or reads it. Concurrent
// callers share one read, so they must not change the comments.
func (r *Repository) readPart(ctx context.Context, l *layout, p part, consistent bool) ([]Comment, error) {
	if consistent {
		return r.fetch(ctx, l, p, true)
	}
	whole := p
	if r.cache != nil {
		whole.span = l.span(p.segment)
		if found, ok := r.cache.get(whole); ok {
			return p.span.of(found), nil
		}
	}
	found, err := r.reads.Do(ctx, whole, func(ctx context.Context) ([]Comment, error) {
		if r.cache != nil {
			if found, ok := r.cache.get(whole); ok {
				return found, nil // by a read that has just ended
			}
		}
		found, err := r.fetch(ctx, l, whole, false)
		if err == nil && r.cache != nil {
			r.cache.put(whole, found)
		}
		return found, err
	})
	return p.span.of(found), err
}

// textAt returns the lower bound of the texts of all IDs from a moment on. It is empty
// past MaxProgress.
func textAt(moment time.Duration) string {
	if moment > MaxProgress {
		return ""
	}
	return at(uint32(moment / time.Millisecond)).String()
}

// of returns the comments in the span. comments must be in playing order.
func (s span) of(comments []Comment) []Comment {
	find := func(at time.Duration) int {
		return sort.Search(len(comments), func(i int) bool { return comments[i].Progress >= at })
	}
	return comments[find(s.from):find(s.to)]
}

// fetch reads a part from the table, without tombstones.
func (r *Repository) fetch(ctx context.Context, l *layout, p part, consistent bool) ([]Comment, error) {
	bounds := store.Span{From: textAt(p.span.from), To: textAt(p.span.to), Ascending: true, Consistent: consistent}
	items, _, err := r.readShards(ctx, l, p.segment, p.sample, bounds)
	if err != nil {
		return nil, err
	}
	comments := make([]Comment, 0, len(items))
	for i := range items {
		if !items[i].gone() {
			comments = append(comments, items[i].comment(l.object))
		}
	}
	return comments, nil
}

// readShards reads s in every shard that holds the sample, and merges the items. If the
// limit of s ends the read, rest is the gap where it ended.
func (r *Repository) readShards(ctx context.Context, l *layout, segment, sample int, s store.Span) (items []commentItem, rest string, err error) {
	return store.Union[commentItem]{
		Sources:   (l.shards() + 1<<sample - 1) >> sample,
		Ascending: s.Ascending,
		Read: func(ctx context.Context, shard int, _ string) ([]commentItem, string, error) {
			part := s
			part.PK = place{l.object, segment, shard << sample}.pk()
			items, rest, err := store.Read[commentItem](ctx, r.table, part)
			if id, after := strings.CutSuffix(rest, "\x00"); after {
				rest = id + afterID
			}
			return items, rest, err
		},
		Place:   func(i *commentItem) string { return i.ID.String() },
		Compare: func(a, b *commentItem) int { return a.ID.Compare(b.ID) },
		Join:    commentItem.join, // a comment may have copies in two shards
	}.Rows(ctx, math.MaxInt, 1)
}
