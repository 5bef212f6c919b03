package danmu

import (
	"context"
	"fmt"
	"sync"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

const (
	maxHeat      = 1000
	heatParallel = 4 // segments at once
)

// Heatmap counts the comments of equal parts of the playing time, 1 to 1,000
// buckets, as a Window without options shows them. It reaches to the Duration
// that is configured, else to the end of the last segment that has comments;
// what plays later counts in the last bucket.
//
// It reads everything: one read of the object, 1 RCU, and 0.5 RCU eventually
// consistent for each 4 KB, in one request a segment and shard, shared with equal reads of that moment and kept
// for Options.Cache. An application keeps the answer for a while.
func (r *Repository) Heatmap(ctx context.Context, object string, buckets int) ([]int64, error) {
	if err := keys.CheckName("Object", object); err != nil {
		return nil, err
	}
	if buckets < 1 || buckets > maxHeat {
		return nil, &plaza.InvalidError{Field: "buckets", Reason: fmt.Sprintf("is %d, 1 to %d are allowed", buckets, maxHeat)}
	}
	counts, err := r.heatmap(ctx, object, buckets)
	return counts, wrap("heatmap of", object, err)
}

func (r *Repository) heatmap(ctx context.Context, object string, buckets int) ([]int64, error) {
	l, err := r.known(ctx, object, true)
	if err != nil {
		return nil, err
	}
	counts := make([]int64, buckets)
	if len(l.segments) == 0 {
		return counts, nil
	}
	end := l.duration
	if end == MaxProgress {
		end = l.span(l.segments[len(l.segments)-1]).to
	}
	var mu sync.Mutex
	group, ctx := parallel.WithContext(ctx)
	group.SetLimit(heatParallel)
	for _, segment := range l.segments {
		group.Go(func() error {
			comments, err := r.readPart(ctx, l, l.whole(segment), r.opts.Consistent)
			mu.Lock()
			defer mu.Unlock()
			for i := range comments {
				if c := &comments[i]; !hides(c.Reports, c.Protected, r.opts.HideAt) {
					bucket := c.Progress.Milliseconds() * int64(buckets) / end.Milliseconds()
					counts[min(int(bucket), buckets-1)]++
				}
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return counts, nil
}
