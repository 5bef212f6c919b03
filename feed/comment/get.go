package comment

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/args"
)

// maxMany is the most comments or objects of one call.
const maxMany = 100

// Get returns one comment or its tombstone. An unknown comment, a hidden one and
// one under a hidden root are plaza.ErrNotFound.
//
// Cost: 1 request, 0.5 RCU; a reply 1.5 RCU at most; a Quote 1 request, 0.5 RCU
// more.
//
//plaza:cost get: 1 request, 0.5 RCU
//plaza:cost a reply, at most: 1 request, 1.5 RCU
//plaza:cost a Quote more: 1 request, 0.5 RCU
//plaza:cost the Quote of a reply more: 1 request, 1 RCU
func (r *Repository) Get(ctx context.Context, at Address) (Comment, error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.Get")
	if err := at.check(""); err != nil {
		return Comment{}, err
	}
	found, err := r.getMany(ctx, []Address{at}, func(err error) error { return err })
	if err != nil {
		return Comment{}, wrap("get", at, err)
	}
	c, ok := found[at]
	if !ok {
		return Comment{}, wrap("get", at, plaza.ErrNotFound)
	}
	return c, nil
}

// GetMany is Get for up to 100 comments. The map lacks those that Get does not
// find, and damaged ones.
//
// Cost: 1 request for 100 roots or 33 replies; 0.5 RCU for each root, 1.5 RCU at most
// for each reply.
//
//plaza:cost each 100 places, of which a root takes 1 and a reply 3: 1 request
//plaza:cost each root: 0.5 RCU
//plaza:cost each reply, at most: 1.5 RCU
//plaza:cost a Quote more: 1 request, 0.5 RCU
func (r *Repository) GetMany(ctx context.Context, ats []Address) (map[Address]Comment, error) {
	ctx = plaza.WithOperation(ctx, "feed/comment.Repository.GetMany")
	if err := args.Count("Addresses", len(ats), "addresses", maxMany); err != nil {
		return nil, err
	}
	for i, at := range ats {
		if err := at.check(fmt.Sprintf("Addresses[%d].", i)); err != nil {
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

// getMany calls damaged with the error of each damaged comment.
func (r *Repository) getMany(ctx context.Context, ats []Address, damaged func(error) error) (map[Address]Comment, error) {
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
	found := make(map[Address]Comment, len(comments))
	for _, c := range comments {
		found[c.Address()] = c
	}
	return found, nil
}
