package danmu

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// WindowOptions chooses what a viewer sees. The zero value shows everything that
// is not hidden.
type WindowOptions struct {
	Filter *Filter // Defaults to nil, which blocks nothing.

	// Sample keeps 1/2^Sample of the comments, always the same ones; a smaller number
	// keeps these too. With shards, proportionally less is read. Unlike Cap, it may
	// drop protected comments. 0 to 5. Defaults to 0: all.
	Sample int

	// Cap is the most comments of each second, so a window should begin and end
	// with whole seconds. Protected comments and the owner's always stay, then the
	// higher Weight wins. A higher cap keeps what a lower one keeps. Defaults to no
	// cap.
	Cap int

	// Merge makes one comment of those with the same text and mode within this
	// time; Comment.Repeats counts the others. They take one place under the Cap.
	// Defaults to no merging.
	Merge time.Duration

	// Consistent reads comments and settings strongly consistent, at twice the
	// units, and shares no read. Options.Consistent sets it for all windows.
	Consistent bool

	// WithHidden also shows comments that reports have hidden.
	WithHidden bool
}

func (o *WindowOptions) check() error {
	return cmp.Or(
		args.Between("Sample", o.Sample, 0, maxSample),
		args.AtLeast("Cap", o.Cap, 0),
		args.AtLeast("Merge", o.Merge, 0),
	)
}

// Window is what a viewer sees of a span of playing time.
type Window struct {
	Comments []Comment `json:"comments"` // in playing order; never null in JSON
	Dropped  int       `json:"dropped"`  // how many more the Cap left out
}

// MarshalJSON writes no comments as [].
func (w Window) MarshalJSON() ([]byte, error) {
	type plain Window
	if w.Comments == nil {
		w.Comments = []Comment{}
	}
	return json.Marshal(plain(w))
}

// Window returns the comments of the playing time [from, to), which may touch at most
// two segments. Windows of the same span at the same moment share one read. opts may be
// nil.
//
// Cost: for each segment and shard 1 request, 0.5 RCU for each 4 KB; none for what
// Options.Cache holds.
//
//plaza:cost a segment and shard: 1 request
//plaza:cost each 4 KB of it: 0.5 RCU
//plaza:cost an object that was not read within Options.Refresh: 1 request, 1 RCU
//plaza:cost consistent, the object: 1 request, 1 RCU
//plaza:cost consistent, each 4 KB of it: 1 RCU
func (r *Repository) Window(ctx context.Context, object string, from, to time.Duration, opts *WindowOptions) (Window, error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Window")
	if opts == nil {
		opts = &WindowOptions{}
	}
	if err := checkWindow(object, from, to, opts); err != nil {
		return Window{}, err
	}
	l, err := r.layout(ctx, object, r.consistent(opts))
	if err != nil {
		return Window{}, wrap("window of", object, err)
	}
	w, err := r.readWindow(ctx, l, span{ceil(from), ceil(to)}, opts)
	return w, wrap("window of", object, err)
}

func (r *Repository) consistent(opts *WindowOptions) bool {
	return opts.Consistent || r.opts.Consistent
}

func checkWindow(object string, from, to time.Duration, opts *WindowOptions) error {
	return cmp.Or(
		args.AtLeast("from", from, 0),
		args.AtLeast("to", to, from),
		keys.CheckName("Object", object),
		opts.check(),
	)
}

// Segment is Window for a whole segment, counted from 0.
//
// Cost: as Window.
func (r *Repository) Segment(ctx context.Context, object string, n int, opts *WindowOptions) (Window, error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Segment")
	if opts == nil {
		opts = &WindowOptions{}
	}
	if err := cmp.Or(args.AtLeast("n", n, 0), checkWindow(object, 0, 0, opts)); err != nil {
		return Window{}, err
	}
	l, err := r.layout(ctx, object, r.consistent(opts))
	if err != nil {
		return Window{}, wrap("segment of", object, err)
	}
	w, err := r.readWindow(ctx, l, l.span(n), opts)
	return w, wrap("segment of", object, err)
}
