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
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/parallel"
	"github.com/plaza-sdk/plaza/internal/store"
)

// importWindow is how many comments are written together.
const importWindow = 1000

// ErrBroken ends an Import: the file that its sequence reads ends early, or is
// not in its format. It unwraps to plaza.ErrInvalid.
var ErrBroken = fmt.Errorf("danmu: broken file: %w", plaza.ErrInvalid)

// ImportOptions of Import. The zero value works.
type ImportOptions struct {
	// Parallel is how many requests run at once, 1 to 64. Defaults to 8.
	Parallel int

	// Refused is told of each comment that is refused: its position in the
	// sequence, from 0, and a plaza.InvalidError or what else the sequence gave.
	Refused func(position int, err error)

	// Progress is told the result so far after each 1,000 comments.
	Progress func(ImportResult)
}

func (o *ImportOptions) withDefaults() (ImportOptions, error) {
	full := ImportOptions{}
	if o != nil {
		full = *o
	}
	setDefault(&full.Parallel, 8)
	if full.Parallel < 1 || full.Parallel > 64 {
		return full, &plaza.InvalidError{Field: "ImportOptions.Parallel", Reason: fmt.Sprintf("is %d, 1 to 64 are allowed", full.Parallel)}
	}
	return full, nil
}

// ImportResult is what became of the comments of a sequence. Read is the sum
// of the others.
type ImportResult struct {
	Read    int
	Written int
	Present int // stood already, removed ones too, or came earlier in the sequence
	Refused int
}

// Import writes the comments of a file to object, those alone that are not
// there, so that importing it again changes nothing: likes, reports and
// removals since stay, and after an error the same call goes on.
//
// A comment is known again by its ID; without one by its Key, which is the
// file's id; without that by what it is and how many equal ones came before it
// in the sequence. Its Object is not looked at. The limits of Send don't hold,
// nor the object's Duration: a text may not be empty, and with Extra not be
// above 4 KB. What is refused, here or by the sequence as plaza.ErrInvalid, is
// counted and passed over; another error of the sequence, ErrBroken among them,
// ends the import.
//
// One importer an object at a time; a like, report or removal of a comment that
// is just being written may be lost.
//
// 1 WCU per KB of what is written, 25 a request, and 1 where it has a User; and
// 1 RCU for each 4 KB that the segments of the sequence hold before.
func (r *Repository) Import(ctx context.Context, object string, comments iter.Seq2[Comment, error], opts *ImportOptions) (ImportResult, error) {
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
	l, err := r.known(ctx, object, true)
	if err != nil {
		return ImportResult{}, wrap("import into", object, err)
	}
	in := &importer{Repository: r, opts: o, layout: l, loaded: map[int]bool{}, there: map[ID]bool{}, equals: map[ID]int{}}
	err = in.run(ctx, comments)
	return in.result, wrap("import into", object, err)
}

// importer runs one import. It remembers an ID for each comment.
type importer struct {
	*Repository
	opts   ImportOptions
	layout *layout
	result ImportResult

	loaded map[int]bool // segments of which all IDs are in there
	there  map[ID]bool
	equals map[ID]int // how many comments without a name had the ID at first
	window []Comment
}

func (in *importer) run(ctx context.Context, comments iter.Seq2[Comment, error]) error {
	position := 0
	for c, err := range comments {
		if err == nil {
			c, err = in.identify(c)
		}
		switch {
		case err == nil:
			in.window = append(in.window, c)
		case errors.Is(err, plaza.ErrInvalid) && !errors.Is(err, ErrBroken):
			in.refuse(position, err)
		default:
			return fmt.Errorf("comment %d of the sequence: %w", position, err)
		}
		if position++; len(in.window) == importWindow {
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

// finish writes what is new in the window, and empties it.
func (in *importer) finish(ctx context.Context) error {
	if err := in.load(ctx); err != nil {
		return err
	}
	var fresh []Comment
	for _, c := range in.window {
		if !in.there[c.ID] {
			in.there[c.ID] = true
			fresh = append(fresh, c)
		}
	}
	if err := in.write(ctx, fresh); err != nil {
		return err
	}
	in.result.Read += len(in.window)
	in.result.Written += len(fresh)
	in.result.Present += len(in.window) - len(fresh)
	in.window = in.window[:0]
	if in.opts.Progress != nil {
		in.opts.Progress(in.result)
	}
	return nil
}

// load reads which comments stand in the segments of the window.
func (in *importer) load(ctx context.Context) error {
	var mu sync.Mutex
	group, ctx := parallel.WithContext(ctx)
	group.SetLimit(in.opts.Parallel)
	for _, segment := range in.segments() {
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
					in.there[i.ID] = true
				}
				return err
			})
		}
	}
	return group.Wait()
}

// segments are those of the window, in order.
func (in *importer) segments() []int {
	segments := make([]int, len(in.window))
	for i, c := range in.window {
		segments[i] = in.layout.segmentOf(c.Progress)
	}
	slices.Sort(segments)
	return slices.Compact(segments)
}

func (in *importer) write(ctx context.Context, comments []Comment) error {
	if len(comments) == 0 {
		return nil
	}
	if err := in.begin(ctx); err != nil {
		return err
	}
	now := in.Repository.opts.Now()
	items := make([]dynamo.Item, len(comments))
	for i, c := range comments {
		var err error
		if items[i], err = dynamo.MarshalItem(newImport(c, in.layout.place(c.ID, now), now)); err != nil {
			return err
		}
	}
	return in.table.PutAll(ctx, items, in.opts.Parallel)
}

// begin lets readers know of the window's segments.
func (in *importer) begin(ctx context.Context) (err error) {
	for range turns {
		segments := slices.DeleteFunc(in.segments(), in.layout.has)
		if len(segments) == 0 {
			return nil
		}
		if in.layout, err = in.Repository.begin(ctx, in.layout, segments, 0); err != nil {
			return err
		}
	}
	return plaza.ErrBusy
}
