package danmu

import (
	"context"
	"iter"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Export yields all comments on object in playing order, for Import to write
// elsewhere. It includes those that reports hide, but none that are recalled or
// removed. Comments sent meanwhile may be among them. It ends at the first error.
// It holds one segment in memory.
//
// Cost: 1 request, 1 RCU for the object, and 1 request for each segment and
// shard, 1 RCU for each 4 KB of a shard.
func (r *Repository) Export(ctx context.Context, object string) iter.Seq2[Comment, error] {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Export")
	return func(yield func(Comment, error) bool) {
		if err := r.export(ctx, object, yield); err != nil {
			yield(Comment{}, wrap("export", object, err))
		}
	}
}

func (r *Repository) export(ctx context.Context, object string, yield func(Comment, error) bool) error {
	if err := keys.CheckName("Object", object); err != nil {
		return err
	}
	l, err := r.layout(ctx, object, true)
	if err != nil {
		return err
	}
	for _, segment := range l.segments {
		comments, err := r.readPart(ctx, l, l.whole(segment), true)
		if err != nil {
			return err
		}
		for _, c := range comments {
			if !yield(c, nil) {
				return nil
			}
		}
	}
	return nil
}

// whole returns the part that covers a whole segment.
func (l *layout) whole(segment int) part {
	return part{object: l.object, segment: segment, span: l.span(segment)}
}
