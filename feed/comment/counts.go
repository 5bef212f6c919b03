package comment

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Counts are the numbers of an object's visible comments. A comment is visible
// unless it is removed, hidden or under a hidden root.
type Counts struct {
	All   int64 `json:"all"`
	Roots int64 `json:"roots"` // in the object's own list: flow comments and roots
}

// Counts returns how many comments an object has. Replies of a Comment counts
// its answers.
//
// Cost: 1 request, 0.5 RCU.
func (r *Repository) Counts(ctx context.Context, object string) (Counts, error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Counts")
	if err := keys.CheckName("Object", object); err != nil {
		return Counts{}, err
	}
	header, err := r.header(ctx, object)
	return Counts{All: header.N, Roots: header.Roots}, wrapName("counts of", object, err)
}

// header is zero if there is none.
func (r *Repository) header(ctx context.Context, object string) (headerItem, error) {
	var header headerItem
	err := r.table.Get(ctx, headerKey(object), r.opts.Consistent, &header)
	if errors.Is(err, plaza.ErrNotFound) {
		err = nil
	}
	return header, err
}

// CountsMany returns the counts of up to 100 objects. The map lacks only objects
// with damaged counts.
//
// Cost: 1 request, 0.5 RCU for each object.
func (r *Repository) CountsMany(ctx context.Context, objects []string) (map[string]Counts, error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.CountsMany")
	err := cmp.Or(args.Count("Objects", len(objects), "objects", maxMany), keys.CheckNames("Objects", objects))
	if err != nil {
		return nil, err
	}
	wanted := make([]store.Key, len(objects))
	for i, object := range objects {
		wanted[i] = headerKey(object)
	}
	found, err := r.table.GetAll(ctx, wanted, r.opts.Consistent, 1)
	if err != nil {
		return nil, fmt.Errorf("comment: counts of %d objects: %w", len(objects), err)
	}
	counts := make(map[string]Counts, len(objects))
	for i, object := range objects {
		var header headerItem
		if item, ok := found[wanted[i]]; ok && r.table.Skips(r.table.Decode(item, &header)) {
			continue
		}
		counts[object] = Counts{All: header.N, Roots: header.Roots}
	}
	return counts, nil
}
