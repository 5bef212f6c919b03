package danmu

import (
	"context"
	"slices"
	"sort"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// errWide is what is said of more than two segments at once.
var errWide = &plaza.InvalidError{Field: "to", Reason: "is in more than two segments with from"}

// part is what one read of a segment gives: what is played in a span of it, in
// a share.
type part struct {
	object  string
	segment int
	span    span
	share   int
}

// window reads the parts of a span and shows of them what opts say.
func (r *Repository) window(ctx context.Context, l *layout, s span, opts *WindowOptions) (Window, error) {
	parts, err := l.parts(s, opts.Share)
	if err != nil || len(parts) == 0 || len(l.segments) == 0 {
		return Window{}, err
	}
	read := make([][]Comment, len(parts))
	group, ctx := parallel.WithContext(ctx)
	for i, p := range parts {
		group.Go(func() (err error) {
			read[i], err = r.readPart(ctx, l, p, opts.Consistent)
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
		w.Comments[i].Extra = slices.Clone(w.Comments[i].Extra) // others may have it too
	}
	return w, nil
}

// parts cuts a span where segments meet.
func (l *layout) parts(s span, share int) ([]part, error) {
	var parts []part
	for s.from < s.to {
		if len(parts) == 2 {
			return nil, errWide
		}
		n := l.segmentOf(s.from)
		end := min(s.to, l.span(n).to)
		parts = append(parts, part{l.object, n, span{s.from, end}, share})
		s.from = end
	}
	return parts, nil
}

// readPart gives a part to all who want it at one time, by way of the cache if
// there is one: they must not change it.
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
	found, err := r.reads.do(ctx, whole, func(ctx context.Context) ([]Comment, error) {
		found, err := r.fetch(ctx, l, whole, false)
		if err == nil && r.cache != nil {
			r.cache.put(whole, found)
		}
		return found, err
	})
	return p.span.of(found), err
}

// textAt is the text that IDs from a moment on are not less than; empty past
// the last.
func textAt(moment time.Duration) string {
	if moment > MaxProgress {
		return ""
	}
	return at(uint32(moment / time.Millisecond)).String()
}

// of cuts the span out of comments in playing order.
func (s span) of(comments []Comment) []Comment {
	find := func(at time.Duration) int {
		return sort.Search(len(comments), func(i int) bool { return comments[i].Progress >= at })
	}
	return comments[find(s.from):find(s.to)]
}

// fetch reads a part from the table.
func (r *Repository) fetch(ctx context.Context, l *layout, p part, consistent bool) ([]Comment, error) {
	bounds := store.Span{From: textAt(p.span.from), To: textAt(p.span.to), Ascending: true, Consistent: consistent}
	rows, _, err := r.readShards(ctx, l, p.segment, p.share, bounds)
	if err != nil {
		return nil, err
	}
	comments := make([]Comment, 0, len(rows))
	for i := range rows {
		if !rows[i].gone() {
			comments = append(comments, rows[i].comment(l.object))
		}
	}
	return comments, nil
}
