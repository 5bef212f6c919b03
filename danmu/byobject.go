package danmu

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// ByObject lists the comments of an object in playing order, from a moment on,
// without those that reports have hidden. With a cursor the moment is ignored.
//
// A page is short or empty, with a Next, if many segments have no comments, or if more
// than 63 times its comments are removed or hidden. It reads in up to six rounds of up
// to 128 requests.
//
// Cost: 1 request, 0.5 RCU, and 1 request, 0.5 RCU for each 4 KB of each shard and
// segment; at most 47 segments a page.
//
//plaza:cost the object: 1 request, 0.5 RCU
//plaza:cost a shard of a segment: 1 request
//plaza:cost each 4 KB of a shard: 0.5 RCU
//plaza:cost with Options.Consistent, the object: 1 request, 1 RCU
//plaza:cost with Options.Consistent, each 4 KB of a shard: 1 RCU
func (r *Repository) ByObject(ctx context.Context, object string, moment time.Duration, req cursor.PageRequest) (cursor.Page[Comment], error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.ByObject")
	if err := cmp.Or(keys.CheckName("Object", object), args.AtLeast("moment", moment, 0)); err != nil {
		return cursor.Page[Comment]{}, err
	}
	reader := segmentReader{r: r, object: object, start: ceil(moment)}
	order := store.Order[commentItem]{
		Below: func(i commentItem) string { return i.ID.String() },
		Above: func(i commentItem) string { return i.ID.String() + afterID },
		Valid: validGap,
	}
	list := store.List[commentItem, Comment]{
		Codec:  r.opts.Codec,
		Scope:  cursor.Scope{List: "danmu/from", Partition: object, Order: "playing"},
		Oldest: true,
		Order:  order,
		Read:   reader.read,
		Show: func(_ context.Context, read []commentItem) ([]commentItem, error) {
			return slices.DeleteFunc(read, func(i commentItem) bool { return i.gone() || r.hides(&i) }), nil
		},
		Item: func(i commentItem) Comment { return i.comment(object) },
	}
	page, err := list.Page(ctx, req)
	return page, wrap("comments on", object, err)
}

// afterID appended to the text of an ID is the next greater text.
const afterID = "0"

func validGap(gap string) bool {
	id, err := ParseID(strings.TrimSuffix(gap, afterID))
	if err != nil {
		id, err = ParseID(gap)
	}
	return err == nil && id != (ID{})
}

func (r *Repository) hides(i *commentItem) bool { return hides(i.Reports, i.Protected, r.opts.HideAt) }

// Each round of a page reads twice as many segments as the one before, up to
// these bounds.
const (
	maxSegmentsRead = 16
	maxRequests     = 128
)

// segmentReader reads the segments of an object one after another, for one page.
type segmentReader struct {
	r      *Repository
	object string
	start  time.Duration
	layout *layout // after the first read
	wide   int     // the most segments that the last round could read
}

// read reads the next segments in parallel, a part of the limit from each.
func (w *segmentReader) read(ctx context.Context, reach store.Reach) (items []commentItem, rest string, err error) {
	if w.layout == nil {
		if w.layout, err = w.r.readLayout(ctx, w.object, w.r.opts.Consistent); err != nil {
			return nil, "", err
		}
	}
	if reach.Gap == "" {
		if w.start > MaxProgress {
			return nil, "", nil
		}
		reach.Gap = textAt(w.start)
	}
	segments := w.layout.segmentsFrom(reach.Gap, reach.Ascending())
	w.wide = max(1, min(2*w.wide, maxSegmentsRead, maxRequests/w.layout.shards()))
	ended := len(segments) <= w.wide
	segments = segments[:min(len(segments), w.wide)]

	span := reach.Span("")
	span.Consistent = w.r.opts.Consistent
	span.Limit = (reach.Limit + w.wide - 1) / w.wide
	parts, rests, err := w.r.readSegments(ctx, w.layout, segments, span)
	if err != nil {
		return nil, "", err
	}
	for i, part := range parts {
		items = append(items, part...)
		if rests[i] != "" {
			return items, rests[i], nil
		}
	}
	if ended {
		return items, "", nil
	}
	return items, w.layout.gapAfter(segments[len(segments)-1], reach.Ascending()), nil
}

// readSegments reads the items of span in each segment.
func (r *Repository) readSegments(ctx context.Context, l *layout, segments []int, span store.Span) (items [][]commentItem, rests []string, err error) {
	items, rests = make([][]commentItem, len(segments)), make([]string, len(segments))
	group, ctx := parallel.WithContext(ctx)
	for i, segment := range segments {
		group.Go(func() (err error) {
			items[i], rests[i], err = r.readShards(ctx, l, segment, 0, span)
			return err
		})
	}
	return items, rests, group.Wait()
}

// segmentsFrom returns the segments with comments from a gap on, in reading
// order.
func (l *layout) segmentsFrom(gap string, ascending bool) []int {
	id, _ := ParseID(gap[:textLen])
	moment := id.Progress()
	at, own := slices.BinarySearch(l.segments, l.segmentOf(moment))
	if ascending {
		return l.segments[at:]
	}
	if own && gap > textAt(l.span(l.segments[at]).from) {
		at++
	}
	before := slices.Clone(l.segments[:at])
	slices.Reverse(before)
	return before
}

// gapAfter returns the gap after a segment, in reading order.
func (l *layout) gapAfter(segment int, ascending bool) string {
	if ascending {
		return textAt(l.span(segment).to)
	}
	return textAt(l.span(segment).from)
}
