package danmu

import (
	"cmp"
	"context"
	"sync"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
)

const (
	maxHeat      = 1000
	heatParallel = 4 // segments at once
)

// Heatmap counts the comments in equal parts of the playing time, 1 to 1,000
// buckets, as a Window without options shows them. It ends at the configured
// Duration, else at the end of the last segment that has comments; later comments
// count in the last bucket. It reads all comments, so cache the answer for a
// while.
//
// Cost: 1 request, 1 RCU, and for each segment and shard 1 request, 0.5 RCU for each
// 4 KB.
//
//plaza:cost the object: 1 request, 1 RCU
//plaza:cost a segment and shard: 1 request
//plaza:cost each 4 KB of it: 0.5 RCU
//plaza:cost with Options.Consistent, each 4 KB of it: 1 RCU
func (r *Repository) Heatmap(ctx context.Context, object string, buckets int) ([]int64, error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Heatmap")
	err := cmp.Or(keys.CheckName("Object", object), args.Between("buckets", buckets, 1, maxHeat))
	if err != nil {
		return nil, err
	}
	counts, err := r.heatmap(ctx, object, buckets)
	return counts, wrap("heatmap of", object, err)
}

func (r *Repository) heatmap(ctx context.Context, object string, buckets int) ([]int64, error) {
	l, err := r.layout(ctx, object, true)
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
