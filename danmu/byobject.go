package danmu

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// From lists the comments of an object in playing order, beginning at a
// moment, but for what reports have hidden. The moment counts only without a
// cursor.
//
// A page that passes over many segments without comments, or over 63 times its
// rows of removed and hidden ones, is short or empty, with a Next.
//
// Cost: 2 requests, 1 RCU eventually consistent for each 4 KB; a request more for
// each other shard and for each other segment. Of these a page reads up to 47
// in up to six rounds, of up to 128 requests.
func (r *Repository) From(ctx context.Context, object string, moment time.Duration, req cursor.PageRequest) (cursor.Page[Comment], error) {
	if err := keys.CheckName("Object", object); err != nil {
		return cursor.Page[Comment]{}, err
	}
	if moment < 0 {
		return cursor.Page[Comment]{}, &plaza.InvalidError{Field: "moment", Reason: "is negative"}
	}
	walk := walk{r: r, object: object, start: ceil(moment)}
	order := store.Order[row]{
		Below: func(i row) string { return i.ID.String() },
		Above: func(i row) string { return i.ID.String() + afterID },
		Valid: validGap,
	}
	list := store.List[row, Comment]{
		Codec:  r.opts.Codec,
		Scope:  cursor.Scope{List: "danmu/from", Partition: object, Order: "playing"},
		Oldest: true,
		Order:  order,
		Read:   walk.read,
		Show: func(_ context.Context, read []row) ([]row, error) {
			return slices.DeleteFunc(read, func(i row) bool { return i.gone() || r.hides(&i) }), nil
		},
		Item: func(i row) Comment { return i.comment(object) },
	}
	page, err := list.Page(ctx, req)
	return page, wrap("comments on", object, err)
}

// afterID makes of an ID's text the next greater one.
const afterID = "0"

func validGap(gap string) bool {
	id, err := ParseID(strings.TrimSuffix(gap, afterID))
	if err != nil {
		id, err = ParseID(gap)
	}
	return err == nil && id != (ID{})
}

func (r *Repository) hides(i *row) bool { return hides(i.Reports, i.Protected, r.opts.HideAt) }

// A page reads twice as many segments in each round, up to these bounds.
const (
	maxSegmentsRead = 16
	maxRequests     = 128
)

// walk reads an object onwards for one page.
type walk struct {
	r      *Repository
	object string
	start  time.Duration
	layout *layout // once read
	wide   int     // how many segments the last round may have read
}

// read reads the next segments side by side, a part of the limit from each.
func (w *walk) read(ctx context.Context, reach store.Reach) (rows []row, rest string, err error) {
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
	segments := w.layout.from(reach.Gap, reach.Ascending())
	w.wide = max(1, min(2*w.wide, maxSegmentsRead, maxRequests/w.layout.shards()))
	ended := len(segments) <= w.wide
	segments = segments[:min(len(segments), w.wide)]

	span := reach.Span("")
	span.Consistent = w.r.opts.Consistent
	span.Limit = (reach.Limit + w.wide - 1) / w.wide
	lanes, rests, err := w.r.readSegments(ctx, w.layout, segments, span)
	if err != nil {
		return nil, "", err
	}
	for i, lane := range lanes {
		rows = append(rows, lane...)
		if rests[i] != "" {
			return rows, rests[i], nil
		}
	}
	if ended {
		return rows, "", nil
	}
	return rows, w.layout.beyond(segments[len(segments)-1], reach.Ascending()), nil
}

// readSegments reads what span has of each.
func (r *Repository) readSegments(ctx context.Context, l *layout, segments []int, span store.Span) (lanes [][]row, rests []string, err error) {
	lanes, rests = make([][]row, len(segments)), make([]string, len(segments))
	group, ctx := parallel.WithContext(ctx)
	for i, segment := range segments {
		group.Go(func() (err error) {
			lanes[i], rests[i], err = r.readShards(ctx, l, segment, 0, span)
			return err
		})
	}
	return lanes, rests, group.Wait()
}

// from gives the segments with comments that a walk from a gap meets, in its
// order.
func (l *layout) from(gap string, ascending bool) []int {
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

// beyond is the gap on the far side of a segment.
func (l *layout) beyond(segment int, ascending bool) string {
	if ascending {
		return textAt(l.span(segment).to)
	}
	return textAt(l.span(segment).from)
}
