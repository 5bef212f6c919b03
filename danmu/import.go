package danmu

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// importBatch is how many comments are written together.
const importBatch = 1000

// ErrBroken is returned by Import when the file that it reads ends early or is
// not in its format. It unwraps to plaza.ErrInvalid.
var ErrBroken = fmt.Errorf("danmu: broken file: %w", plaza.ErrInvalid)

// ImportOptions of Import. The zero value works.
type ImportOptions struct {
	// Parallel is how many requests run at once, 1 to 64. Defaults to 8.
	Parallel int

	// Refused is called for each comment that is refused, with its position in the
	// sequence, from 0, and the plaza.InvalidError or the sequence's own error.
	Refused func(position int, err error)

	// Progress is called with the result so far after each 1,000 comments.
	Progress func(ImportResult)
}

func (o *ImportOptions) withDefaults() (ImportOptions, error) {
	full := args.Given(o)
	err := args.Default("ImportOptions.Parallel", &full.Parallel, 8, 1, 64)
	return full, err
}

// ImportResult counts the comments of a sequence by their outcome. Read is the sum of
// the others.
type ImportResult struct {
	Read    int `json:"read"`
	Written int `json:"written"`
	Present int `json:"present"` // stored already, also removed, or earlier in the sequence
	Refused int `json:"refused"`
}

// Import writes to object those comments of a file that are not stored yet.
// Likes, reports and removals since an earlier import stay. After an error,
// repeat the call to continue.
//
// A comment is recognized by its ID; without one by its Key, which is the file's id; without that
// by its content and the number of equal ones before it. Its Object is ignored. The limits of Send
// and the object's Duration do not apply, but Text must not be empty, and Text and Extra together
// must not exceed 4 KB. A refused comment is counted and skipped, whether refused here or by the
// sequence as plaza.ErrInvalid. Any other error of the sequence, and ErrBroken, ends the import.
//
// Run one import of an object at a time. A like, report or removal of a comment
// that is being written at that moment may be lost.
//
// Cost: 1 request for each 25 comments, 2 WCU for each of 1 KB; and a read of what
// the segments have.
//
//plaza:cost each 25 comments: 1 request
//plaza:cost a comment of 1 KB: 2 WCU
//plaza:cost each further KB of a comment: 1 WCU
//plaza:cost a comment without a User: 1 WCU
//plaza:cost the object: 1 request, 1 RCU
//plaza:cost each 1,000 comments that reach into new segments: 1 request, 1 WCU
//plaza:cost a segment and shard that has comments: 1 request
//plaza:cost each 4 KB of it: 1 RCU
func (r *Repository) Import(ctx context.Context, object string, comments iter.Seq2[Comment, error], opts *ImportOptions) (ImportResult, error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Import")
	if err := keys.CheckName("Object", object); err != nil {
		return ImportResult{}, err
	}
	if comments == nil {
		return ImportResult{}, &plaza.InvalidError{Field: "Comments", Reason: "is nil"}
	}
	o, err := opts.withDefaults()
	if err != nil {
		return ImportResult{}, err
	}
	l, err := r.layout(ctx, object, true)
	if err != nil {
		return ImportResult{}, wrap("import into", object, err)
	}
	in := &importer{Repository: r, opts: o, layout: l, loaded: map[int]bool{}, stored: map[ID]bool{}, equals: map[ID]int{}}
	err = in.run(ctx, comments)
	return in.result, wrap("import into", object, err)
}

// importer runs one import. It keeps an ID in memory for each comment.
type importer struct {
	*Repository
	opts   ImportOptions
	layout *layout
	result ImportResult

	loaded map[int]bool // segments whose stored IDs were read
	stored map[ID]bool
	equals map[ID]int // how many equal comments without a Key came so far
	batch  []Comment
}

func (in *importer) run(ctx context.Context, comments iter.Seq2[Comment, error]) error {
	position := 0
	for c, err := range comments {
		if err == nil {
			c, err = in.identify(c)
		}
		switch {
		case err == nil:
			in.batch = append(in.batch, c)
		case errors.Is(err, plaza.ErrInvalid) && !errors.Is(err, ErrBroken):
			in.refuse(position, err)
		default:
			return fmt.Errorf("comment %d of the sequence: %w", position, err)
		}
		if position++; len(in.batch) == importBatch {
			if err := in.finish(ctx); err != nil {
				return err
			}
		}
	}
	return in.finish(ctx)
}

func (in *importer) refuse(position int, err error) {
	in.result.Read++
	in.result.Refused++
	if in.opts.Refused != nil {
		in.opts.Refused(position, err)
	}
}

// finish writes the new comments of the batch, and empties it.
func (in *importer) finish(ctx context.Context) error {
	if err := in.load(ctx); err != nil {
		return err
	}
	var fresh []Comment
	for _, c := range in.batch {
		if !in.stored[c.ID] {
			in.stored[c.ID] = true
			fresh = append(fresh, c)
		}
	}
	if err := in.write(ctx, fresh); err != nil {
		return err
	}
	in.result.Read += len(in.batch)
	in.result.Written += len(fresh)
	in.result.Present += len(in.batch) - len(fresh)
	in.batch = in.batch[:0]
	if in.opts.Progress != nil {
		in.opts.Progress(in.result)
	}
	return nil
}

// load reads the IDs stored in the segments of the batch.
func (in *importer) load(ctx context.Context) error {
	var mu sync.Mutex
	group, ctx := parallel.WithContext(ctx)
	group.SetLimit(in.opts.Parallel)
	for _, segment := range in.segments(in.layout) {
		if in.loaded[segment] {
			continue
		}
		in.loaded[segment] = true
		if !in.layout.has(segment) {
			continue
		}
		for shard := range in.layout.shards() {
			group.Go(func() error {
				pk := place{in.layout.object, segment, shard}.pk()
				items, err := store.Query[keyItem](ctx, in.table, store.Span{PK: pk, Ascending: true, Consistent: true})
				mu.Lock()
				defer mu.Unlock()
				for _, i := range items {
					in.stored[i.ID] = true
				}
				return err
			})
		}
	}
	return group.Wait()
}

// segments returns the segments of the batch by a layout, in order.
func (in *importer) segments(l *layout) []int {
	segments := make([]int, len(in.batch))
	for i, c := range in.batch {
		segments[i] = l.segmentOf(c.Progress)
	}
	slices.Sort(segments)
	return slices.Compact(segments)
}

func (in *importer) write(ctx context.Context, comments []Comment) error {
	if len(comments) == 0 {
		return nil
	}
	var err error
	if in.layout, err = in.addSegments(ctx, in.layout, 0, in.segments); err != nil {
		return err
	}
	now := in.Repository.opts.Now()
	items := make([]dynamo.Item, len(comments))
	for i, c := range comments {
		if items[i], err = dynamo.MarshalItem(newImport(c, in.layout.place(c.ID, now), now)); err != nil {
			return err
		}
	}
	return in.table.PutAll(ctx, items, in.opts.Parallel)
}
