package follow

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

var errOtherSequence = fmt.Errorf("%w: the import began with another sequence", plaza.ErrConflict)

// checkpointItem is I#name / checkpoint: how far an import has come.
type checkpointItem struct {
	PK       string `dynamo:"pk"`
	SK       string `dynamo:"sk"`
	Window   int    `dynamo:"window"` // edges in one
	Done     int    `dynamo:"done"`   // windows
	Created  int64  `dynamo:"created"`
	Existing int64  `dynamo:"existing"`
	Ended    int64  `dynamo:"ended"`
	Digest   uint64 `dynamo:"digest"` // of the finished windows' edges
}

// markerItem is I#name / window#part: that part of the window's counts is
// added. Markers are permanent, about one for 100 users of a window: a
// transaction that a killed process sent may arrive at any time, and would add
// once more if its marker were gone.
type markerItem struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
}

func importPK(name string) string { return keys.Join("I", name) }

func (in *importer) marker(part int) markerItem {
	return markerItem{PK: in.log.PK, SK: keys.Join(strconv.Itoa(in.number), strconv.Itoa(part))}
}

// openImport begins the import, or finds where it stopped.
func (r *Repository) openImport(ctx context.Context, name string, opts ImportOptions) (*importer, error) {
	in := &importer{Repository: r, name: name, opts: opts, digest: fnv.New64a()}
	in.log = checkpointItem{PK: importPK(name), SK: "checkpoint", Window: opts.Window}
	err := r.table.Run(ctx, r.table.Put(in.log).If("attribute_not_exists(pk)"))
	if refused, ok := store.AsRefused(err); ok {
		item, _ := refused.At(0)
		key := store.Key{PK: in.log.PK, SK: in.log.SK}
		in.log = checkpointItem{}
		if err = r.table.Decode(item, &in.log); err == nil && !in.log.possible() {
			err = r.table.Corrupt(key, "no import counts like this")
		}
	}
	if err != nil {
		in.log = checkpointItem{}
	}
	in.resumed = in.log.Done
	return in, err
}

// possible reports whether an import can have come so far.
func (c checkpointItem) possible() bool {
	return c.Window >= 1 && c.Window <= maxWindow && c.Done >= 0 && min(c.Created, c.Existing, c.Ended) >= 0
}

// checkpoint notes that the window is finished.
func (in *importer) checkpoint(ctx context.Context, created, ended int) error {
	next := in.log
	next.Done = in.number
	next.Created += int64(created)
	next.Existing += int64(len(in.window) - created - ended)
	next.Ended += int64(ended)
	next.Digest = in.digest.Sum64()
	err := in.table.Run(ctx, in.table.Put(next).If("'done' < ?", next.Done))
	if _, noted := store.AsRefused(err); noted {
		err = nil // by this request, sent twice
	}
	if err == nil {
		in.log = next
	}
	return err
}

// addDigest adds an edge to the digest of the sequence.
func (in *importer) addDigest(e Edge) {
	text := keys.Join(e.Follower, e.Followee, e.ID.String())
	var size [4]byte
	binary.BigEndian.PutUint32(size[:], uint32(len(text)))
	in.digest.Write(size[:])
	in.digest.Write([]byte(text))
}
