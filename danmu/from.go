package danmu

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/cursor"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// From lists the comments of an object in playing order, beginning at a
// moment, but for what reports have hidden. The moment counts only without a
// cursor.
//
// One read of the object, 0.5 RCU eventually consistent, and one a shard, 0.5
// RCU for each 4 KB; as many more where the page reaches into another segment
// that has comments. Removed and hidden ones are passed over in up to six
// reads, of 63 times the rows.
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
		Read: func(ctx context.Context, reach store.Reach) ([]row, string, error) {
			rows, err := walk.read(ctx, reach)
			return rows, order.Rest(reach, rows), err
		},
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

// walk reads an object onwards for one page.
type walk struct {
	r      *Repository
	object string
	start  time.Duration
	layout *layout // once read
}

// read goes from segment to segment, passing over those that are empty.
func (w *walk) read(ctx context.Context, reach store.Reach) ([]row, error) {
	if w.layout == nil {
		var err error
		if w.layout, err = w.r.readLayout(ctx, w.object, w.r.opts.Consistent); err != nil {
			return nil, err
		}
	}
	at := w.start
	if reach.Gap == "" && at > MaxProgress {
		return nil, nil
	}
	if reach.Gap == "" {
		reach.Gap = textAt(at)
	} else {
		id, _ := ParseID(reach.Gap[:textLen])
		at = id.Progress()
	}
	span := reach.Span("")
	span.Consistent = w.r.opts.Consistent
	var rows []row
	for _, segment := range w.layout.from(at, reach.Ascending()) {
		span.Limit = reach.Limit - len(rows)
		found, err := w.r.readShards(ctx, w.layout, segment, 0, span)
		if err != nil {
			return nil, err
		}
		if rows = append(rows, found...); len(rows) == reach.Limit {
			break
		}
	}
	return rows, nil
}

// from gives the segments with comments, that of a moment first.
func (l *layout) from(moment time.Duration, ascending bool) []int {
	at, own := slices.BinarySearch(l.segments, l.segmentOf(moment))
	if ascending {
		return l.segments[at:]
	}
	if own {
		at++
	}
	before := slices.Clone(l.segments[:at])
	slices.Reverse(before)
	return before
}
