package danmu

import (
	"context"
	"iter"

	"github.com/plaza-sdk/plaza/internal/keys"
)

// Export gives all comments on object in playing order, with all that Import
// needs to write them elsewhere: also those that reports hide, not those that
// are recalled or removed. What is sent meanwhile may be among them. An error
// ends it.
//
// One consistent read a segment and shard, 1 RCU for each 4 KB; a segment is
// held in memory.
func (r *Repository) Export(ctx context.Context, object string) iter.Seq2[Comment, error] {
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
	l, err := r.known(ctx, object, true)
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

// whole is all of a segment.
func (l *layout) whole(segment int) part {
	return part{object: l.object, segment: segment, span: l.span(segment)}
}
