package comment

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza"
)

// maxMany is the most comments or objects of one call.
const maxMany = 100

// Get reads one comment, or its tombstone. An unknown comment and one that is
// hidden, itself or by its root, are plaza.ErrNotFound.
//
// Cost: 1 request, 0.5 RCU per 4 KB, eventually consistent, for a reply 1.5 with
// its root's; 1 more for a Quote.
func (r *Repository) Get(ctx context.Context, at At) (Comment, error) {
	if err := at.check(""); err != nil {
		return Comment{}, err
	}
	found, err := r.getMany(ctx, []At{at}, func(err error) error { return err })
	if err != nil {
		return Comment{}, wrap("get", at, err)
	}
	c, ok := found[at]
	if !ok {
		return Comment{}, wrap("get", at, plaza.ErrNotFound)
	}
	return c, nil
}

// GetMany is Get for up to 100 comments; what Get does not find is absent, and
// what is damaged.
//
// Cost: as Get each, in 1 request for each 100 places: a reply has two, and a root.
func (r *Repository) GetMany(ctx context.Context, ats []At) (map[At]Comment, error) {
	if n := len(ats); n > maxMany {
		return nil, &plaza.InvalidError{Field: "Ats", Reason: fmt.Sprintf("has %d, at most %d are allowed", n, maxMany)}
	}
	for i, at := range ats {
		if err := at.check(fmt.Sprintf("Ats[%d].", i)); err != nil {
			return nil, err
		}
	}
	found, err := r.getMany(ctx, ats, func(err error) error {
		r.table.Skips(err)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("comment: get %d: %w", len(ats), err)
	}
	return found, nil
}

// getMany calls damaged with the error of what is.
func (r *Repository) getMany(ctx context.Context, ats []At, damaged func(error) error) (map[At]Comment, error) {
	stored, err := r.read(ctx, keysOf(ats), r.opts.Consistent)
	if err != nil {
		return nil, err
	}
	var shown []row
	for _, at := range ats {
		i, ok := stored.at(at)
		switch {
		case i.damaged != nil:
			if err := damaged(i.damaged); err != nil {
				return nil, err
			}
		case ok && i.shown(false):
			shown = append(shown, i)
		}
	}
	comments, err := r.comments(ctx, shown)
	if err != nil {
		return nil, err
	}
	found := make(map[At]Comment, len(comments))
	for _, c := range comments {
		found[c.At()] = c
	}
	return found, nil
}
