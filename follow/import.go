package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// ImportOptions of Import. The zero value works.
type ImportOptions struct {
	// Window is how many edges are held in memory and finished together, 1 to
	// 40,000. A resumed import keeps the window that it began with. Defaults to
	// 10,000.
	Window int

	// Parallel is how many requests run at once, 1 to 64. Defaults to 8.
	Parallel int

	// Progress is called with the result so far after each window.
	Progress func(ImportResult)
}

func (o *ImportOptions) withDefaults() (ImportOptions, error) {
	full := args.Given(o)
	err := cmp.Or(
		args.Default("ImportOptions.Window", &full.Window, 10_000, 1, maxWindow),
		args.Default("ImportOptions.Parallel", &full.Parallel, 8, 1, 64),
	)
	return full, err
}

// ImportResult is what the finished windows of an import did, including those of
// earlier runs. Edges is the sum of Created, Existing and Ended.
type ImportResult struct {
	Edges    int64 `json:"edges"` // read from the sequence
	Created  int64 `json:"created"`
	Existing int64 `json:"existing"` // existed already, or came earlier in the sequence
	Ended    int64 `json:"ended"`    // left out: an edge of the pair with this ID or a later one has ended
	Windows  int   `json:"windows"`  // finished windows
	Resumed  int   `json:"resumed"`  // windows that an earlier run finished
}

// Import writes many edges, cheaper and faster than Follow, in the order of the
// sequence. It changes no edge that exists, and begins none that has ended.
//
// After an error or a crash, the same call with the same sequence resumes: it skips
// finished windows and repeats the unfinished one. Once done it changes nothing.
// Another sequence under the same name is plaza.ErrConflict if it differs in a
// finished window. Until the import has ended, nobody else may write the sequence's
// pairs, run this import, or Repair or Erase its users. Follow and Unfollow of
// other pairs may go on. Lists and counts agree once it has ended.
//
// To end an import that you will not resume, Repair every user of its sequence.
// The edges that it wrote stay. Import the others under another name: to resume
// this one afterwards would count edges twice, until the next Repair.
//
// An invalid edge is a plaza.InvalidError that names its position, an ID that another
// edge of either user has is plaza.ErrConflict, and an error of the sequence is
// returned. Each stops the import before the window it is in. If the stored progress of
// an earlier run is damaged, the error is plaza.ErrCorrupt.
//
// Cost: 1 request for 100 edges read and for 25 items written; 3.01 WCU, 1 RCU for each
// edge; 2 WCU for each user.
//
//plaza:cost each edge: 1 RCU, 3.01 WCU
//plaza:cost each 100 edges: 1 request
//plaza:cost each 25 items, of which an edge has three: 1 request
//plaza:cost each edge with an ID more: 2 RCU
//plaza:cost each user of a window: 2 WCU
//plaza:cost each further 99 users of a window: 1 transaction, 2 WCU
//plaza:cost each further shard of a followee: 1 RCU
//plaza:cost each new shard: 1 transaction, 4 WCU
//plaza:cost each window: 8 requests, 6 WCU
func (r *Repository) Import(ctx context.Context, name string, edges iter.Seq2[Edge, error], opts *ImportOptions) (ImportResult, error) {
	ctx = plaza.WithOperation(ctx, "follow.Repository.Import")
	if err := keys.CheckName("Name", name); err != nil {
		return ImportResult{}, err
	}
	if edges == nil {
		return ImportResult{}, &plaza.InvalidError{Field: "Edges", Reason: "is nil"}
	}
	o, err := opts.withDefaults()
	if err != nil {
		return ImportResult{}, err
	}
	in, err := r.openImport(ctx, name, o.Window, o.Parallel)
	if err == nil {
		err = in.run(ctx, edges, o.Progress)
	}
	return in.result(), wrap("import", name, err)
}

func (in *importer) result() ImportResult {
	return ImportResult{
		Edges:    in.checkpoint.Created + in.checkpoint.Existing + in.checkpoint.Ended,
		Created:  in.checkpoint.Created,
		Existing: in.checkpoint.Existing,
		Ended:    in.checkpoint.Ended,
		Windows:  in.checkpoint.Done,
		Resumed:  in.resumed,
	}
}

func (in *importer) run(ctx context.Context, edges iter.Seq2[Edge, error], progress func(ImportResult)) error {
	position := 0
	for e, err := range edges {
		if err != nil {
			return fmt.Errorf("edge %d of the sequence: %w", position, err)
		}
		if err := e.checkAt(position, in.opts.Now()); err != nil {
			return err
		}
		in.window = append(in.window, e)
		in.addDigest(e)
		position++
		if len(in.window) == in.checkpoint.Window {
			if err := in.finish(ctx, progress); err != nil {
				return err
			}
		}
	}
	if len(in.window) > 0 {
		if err := in.finish(ctx, progress); err != nil {
			return err
		}
	}
	if in.number < in.checkpoint.Done {
		return errOtherSequence
	}
	if in.number == in.resumed {
		return nil
	}
	return in.deletePlacement(ctx)
}

// finish writes the window, unless an earlier run did, and empties it.
func (in *importer) finish(ctx context.Context, progress func(ImportResult)) error {
	in.number++
	defer func() { in.window = in.window[:0] }()
	if in.number <= in.checkpoint.Done {
		if in.number == in.checkpoint.Done && in.digest.Sum64() != in.checkpoint.Digest {
			return errOtherSequence
		}
		return ctx.Err()
	}
	created, ended, err := in.writeWindow(ctx)
	if err != nil {
		return fmt.Errorf("window %d: %w", in.number, err)
	}
	if err := in.saveCheckpoint(ctx, created, ended); err != nil {
		return fmt.Errorf("checkpoint of window %d: %w", in.number, err)
	}
	if progress != nil {
		progress(in.result())
	}
	return nil
}

// checkAt checks an edge, and names its position in the error.
func (e Edge) checkAt(position int, now time.Time) error {
	err := e.check()
	if err == nil && e.ID != 0 {
		err = keys.CheckNewID("ID", e.ID, now)
	}
	var invalid *plaza.InvalidError
	if errors.As(err, &invalid) {
		return &plaza.InvalidError{Field: fmt.Sprintf("Edges[%d].%s", position, invalid.Field), Reason: invalid.Reason}
	}
	return err
}
