package danmu

import (
	"context"
	"errors"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/store"
)

// known gives the layout of an object as this process has known it for up to
// Options.Refresh, else as it is read, strongly consistent: writes rest on it.
// An object that nobody sent to is read each time: until then everything about
// it may change at once. Anew, it is as it stands now.
func (r *Repository) known(ctx context.Context, object string, anew bool) (*layout, error) {
	if anew {
		return r.readLayout(ctx, object, true)
	}
	if l, fresh := r.remembered(object); fresh {
		return l, nil
	}
	return r.layouts.Do(ctx, object, func(ctx context.Context) (*layout, error) {
		return r.readLayout(ctx, object, true)
	})
}

// readLayout reads the layout of an object. What an eventually consistent read
// tells is not remembered: it may be older than anybody should go by.
func (r *Repository) readLayout(ctx context.Context, object string, consistent bool) (*layout, error) {
	before, _ := r.objects.Peek(object)
	var item objectItem
	err := r.table.Get(ctx, objectKey(object), consistent, &item)
	if err != nil && !errors.Is(err, plaza.ErrNotFound) {
		return nil, err
	}
	if !consistent {
		return r.together(newLayout(object, item)), nil
	}
	return r.remember(newLayout(object, item), before), nil
}

func (r *Repository) remembered(object string) (l *layout, fresh bool) {
	l, ok := r.objects.Get(object)
	return l, ok && r.opts.Now().Before(l.until)
}

// together adds what was known before to what was read.
func (r *Repository) together(l *layout) *layout {
	if earlier, ok := r.objects.Get(l.object); ok {
		return l.join(earlier)
	}
	return l
}

// remember keeps what was read and what others have read since: before is what
// was remembered when the read began. What that knew more of has been erased.
func (r *Repository) remember(l, before *layout) *layout {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now, _ := r.objects.Peek(l.object); now != before {
		l = r.together(l)
	}
	if len(l.segments) == 0 {
		r.objects.Remove(l.object)
		return l
	}
	l.until = r.opts.Now().Add(r.opts.Refresh)
	r.objects.Add(l.object, l)
	return l
}

// begin lets readers know of segments before the first comment is put into
// them, if the object plays on until latest. It returns the layout that stands:
// by its length of segments they may be others, and where it lacks them,
// nothing was written.
func (r *Repository) begin(ctx context.Context, l *layout, segments []int, latest int64) (*layout, error) {
	standing, err := unpackSegments(l.stored, int(MaxProgress/l.segment))
	if err != nil {
		return nil, err
	}
	update := r.table.Update(objectKey(l.object)).
		Set("segs", packSegments(union(standing, segments))).
		If("attribute_not_exists(durationMs) OR durationMs >= ?", latest)
	if l.stored == nil {
		update.If("attribute_not_exists(segs)")
	} else {
		update.If("segs = ?", l.stored)
	}
	ifSegment(update, l.storedSegment())
	before, _ := r.objects.Peek(l.object)
	var found dynamo.Item
	err = r.table.Run(ctx, store.Returning{Update: update, Out: &found})
	if refused, ok := store.AsRefused(err); ok {
		found, _ = refused.At(0)
		err = nil
	}
	if err != nil {
		return nil, err
	}
	var item objectItem
	if err := r.table.Decode(found, &item); err != nil {
		return nil, err
	}
	return r.remember(newLayout(l.object, item), before), nil
}

// ifSegment lets the update be while that is the length of segments, 0 for none
// stored.
func ifSegment(update *dynamo.Update, ms int64) {
	if ms == 0 {
		update.If("attribute_not_exists(segmentMs)")
	} else {
		update.If("segmentMs = ?", ms)
	}
}
