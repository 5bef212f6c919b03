package follow

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"strconv"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

var errOtherSequence = fmt.Errorf("%w: the import began with another sequence", plaza.ErrConflict)

// checkpointItem is I#name / checkpoint: an import's progress.
type checkpointItem struct {
	PK       string `dynamo:"pk"`
	SK       string `dynamo:"sk"`
	Window   int    `dynamo:"window"` // edges per window
	Done     int    `dynamo:"done"`   // finished windows
	Created  int64  `dynamo:"created"`
	Existing int64  `dynamo:"existing"`
	Ended    int64  `dynamo:"ended"`
	Digest   uint64 `dynamo:"digest"` // of the edges in finished windows
}

// markerItem is I#name / window#part. It records that this part of the window's
// counts was added. Markers are permanent, about one per 100 users of a window: a
// transaction that a killed process sent may arrive at any time, and without the
// marker it would be counted twice.
type markerItem struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
}

func importPK(name string) string { return keys.Join("I", name) }

func (in *importer) marker(part int) markerItem {
	return markerItem{PK: in.checkpoint.PK, SK: keys.Join(strconv.Itoa(in.number), strconv.Itoa(part))}
}

// openImport begins the import, or loads the checkpoint of an earlier run.
func (r *Repository) openImport(ctx context.Context, name string, window, parallel int) (*importer, error) {
	in := &importer{Repository: r, name: name, parallel: parallel, digest: fnv.New64a()}
	in.checkpoint = checkpointItem{PK: importPK(name), SK: "checkpoint", Window: window}
	err := r.table.Run(ctx, r.table.Put(in.checkpoint).If("attribute_not_exists(pk)"))
	if refused, ok := store.AsRefused(err); ok {
		item, _ := refused.At(0)
		in.checkpoint = checkpointItem{}
		err = r.table.Decode(item, &in.checkpoint)
	}
	if err != nil {
		in.checkpoint = checkpointItem{}
	}
	in.resumed = in.checkpoint.Done
	return in, err
}

// CheckItem refuses sums that are not those of full windows, of which the last may be
// smaller.
func (c *checkpointItem) CheckItem() error {
	sum, most := c.Created+c.Existing+c.Ended, int64(c.Done)*int64(c.Window)
	if c.Window < 1 || c.Window > maxWindow || c.Done < 0 || min(c.Created, c.Existing, c.Ended) < 0 ||
		sum > most || sum <= most-int64(c.Window) {
		return errors.New("its counts are impossible")
	}
	return nil
}

// saveCheckpoint records that the window is finished.
func (in *importer) saveCheckpoint(ctx context.Context, created, ended int) error {
	next := in.checkpoint
	next.Done = in.number
	next.Created += int64(created)
	next.Existing += int64(len(in.window) - created - ended)
	next.Ended += int64(ended)
	next.Digest = in.digest.Sum64()
	err := in.table.Run(ctx, in.table.Put(next).If("'done' < ?", next.Done))
	if _, saved := store.AsRefused(err); saved {
		err = nil // by this same request: the SDK sent it twice
	}
	if err == nil {
		in.checkpoint = next
	}
	return err
}

// addDigest adds an edge to the digest of the sequence. It is stored: after a change of it
// no import that was begun before goes on.
func (in *importer) addDigest(e Edge) {
	text := keys.Join(e.Follower, e.Followee, e.ID.String())
	var size [4]byte
	binary.BigEndian.PutUint32(size[:], uint32(len(text)))
	in.digest.Write(size[:])
	in.digest.Write([]byte(text))
}

// importer runs one import. It holds one window at a time.
type importer struct {
	*Repository
	name       string
	parallel   int            // requests at once
	checkpoint checkpointItem // as stored in the table
	resumed    int

	window []Edge
	number int         // the window's number, from 1
	digest hash.Hash64 // of the sequence up to the window's end
}

// maxWindow keeps a window's placement well under an item's 400 KB.
const maxWindow = 40_000
