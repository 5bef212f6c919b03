package danmu

import (
	"context"
	"fmt"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// WindowOptions say what a viewer wants to see. The zero value is everything
// that is not hidden.
type WindowOptions struct {
	Filter *Filter // what is blocked. Defaults to nothing.

	// Share j keeps 1/2^j of the comments, a part of what a smaller j keeps,
	// and reads as much less where the object has so many shards. Others may
	// be left out than with Cap: protected ones too. 0 to 5; defaults to all.
	Share int

	// Cap is the most comments a second of those in the window, which had
	// better begin and end with whole ones. The owner's and protected ones
	// come first and stay above it as well, then it goes by weight. A higher
	// cap keeps what a lower one kept. Defaults to no cap.
	Cap int

	// Merge makes one of comments with one text and mode that come within so
	// much time, of those in the window: Comment.Repeats counts the others. They
	// take one place under the Cap. Defaults to none.
	Merge time.Duration

	// Consistent reads strongly consistent, the object's settings too, at
	// twice the units: it shares no read and no cache.
	Consistent bool

	// WithHidden shows what reports have hidden.
	WithHidden bool
}

func (o *WindowOptions) check() error {
	switch {
	case o.Share < 0 || o.Share > maxShare:
		return &plaza.InvalidError{Field: "Share", Reason: fmt.Sprintf("is %d, 0 to %d are allowed", o.Share, maxShare)}
	case o.Cap < 0:
		return &plaza.InvalidError{Field: "Cap", Reason: fmt.Sprintf("is %d", o.Cap)}
	case o.Merge < 0:
		return &plaza.InvalidError{Field: "Merge", Reason: "is negative"}
	}
	return nil
}

// Window is a part of an object's comments.
type Window struct {
	Comments []Comment // in playing order
	Dropped  int       // how many more the Cap left out
}

// Window gives the comments from a moment on and before another, which lie in
// at most two segments. Opts may be nil.
//
// One read a segment and shard, 0.5 RCU eventually consistent for each 4 KB,
// and one of the object, 1 RCU, unless this process knows it since
// Options.Refresh. Equal windows that are read at one time are read once; with
// Options.Cache whole segments are, and kept.
func (r *Repository) Window(ctx context.Context, object string, from, to time.Duration, opts *WindowOptions) (Window, error) {
	if opts == nil {
		opts = &WindowOptions{}
	}
	if err := checkWindow(object, from, to, opts); err != nil {
		return Window{}, err
	}
	known, err := r.known(ctx, object, opts.Consistent)
	if err != nil {
		return Window{}, wrap("window of", object, err)
	}
	w, err := r.window(ctx, known, span{ceil(from), ceil(to)}, opts)
	return w, wrap("window of", object, err)
}

func checkWindow(object string, from, to time.Duration, opts *WindowOptions) error {
	switch {
	case from < 0:
		return &plaza.InvalidError{Field: "from", Reason: "is negative"}
	case to < from:
		return &plaza.InvalidError{Field: "to", Reason: "is before from"}
	}
	if err := keys.CheckName("Object", object); err != nil {
		return err
	}
	return opts.check()
}

// Segment gives the comments of a whole segment, counted from 0, as Window
// does.
func (r *Repository) Segment(ctx context.Context, object string, n int, opts *WindowOptions) (Window, error) {
	if opts == nil {
		opts = &WindowOptions{}
	}
	if n < 0 {
		return Window{}, &plaza.InvalidError{Field: "n", Reason: fmt.Sprintf("is %d", n)}
	}
	if err := checkWindow(object, 0, 0, opts); err != nil {
		return Window{}, err
	}
	known, err := r.known(ctx, object, opts.Consistent)
	if err != nil {
		return Window{}, wrap("segment of", object, err)
	}
	w, err := r.window(ctx, known, known.span(n), opts)
	return w, wrap("segment of", object, err)
}
