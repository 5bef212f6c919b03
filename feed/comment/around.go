package comment

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza"
)

// leansOn is what must be there for the comment to be added.
func (c Comment) leansOn() []At {
	var ats []At
	if c.Root != 0 {
		ats = append(ats, c.At().root())
	}
	if c.Parent != c.Root {
		ats = append(ats, c.parent())
	}
	if c.Quote != nil {
		ats = append(ats, c.Quote.At)
	}
	return ats
}

func (c Comment) parent() At { return At{Object: c.Object, Root: c.Root, ID: c.Parent} }

// look reads what the comment leans on, as far as its place is not known
// anyway, or, to be sure, all of it and whether the comment's place is taken.
func (r *Repository) look(ctx context.Context, c Comment, sure bool) (around map[At]row, err error) {
	around = map[At]row{}
	read, ats := sure, c.leansOn()
	for _, at := range ats {
		around[at] = row{at: at}
		read = read || at.Root != 0 || c.Root != 0
	}
	if !read {
		return around, nil
	}
	wanted := ats
	if sure {
		wanted = append(wanted, c.At())
	}
	found, err := r.read(ctx, keysOf(wanted), sure)
	if err != nil {
		return nil, err
	}
	if own, taken := found.at(c.At()); taken {
		return nil, own.errTaken()
	}
	for _, at := range ats {
		there, _ := found.at(at)
		if err := there.errClosed(); err != nil {
			return nil, fmt.Errorf("%v: %w", at.ID, err)
		}
		around[at] = there
	}
	return around, nil
}

// errClosed is nil for what can be answered, quoted and pinned.
func (i row) errClosed() error {
	switch {
	case i.damaged != nil:
		return i.damaged
	case i.PK == "", i.Hidden, i.under:
		return plaza.ErrNotFound
	case i.Removed != nil:
		return plaza.ErrRemoved
	}
	return nil
}

// errTaken is the answer to a comment that would lie where this one does.
func (i row) errTaken() error {
	switch {
	case i.damaged != nil:
		return i.damaged
	case i.Removed != nil:
		return plaza.ErrRemoved
	}
	return plaza.ErrConflict
}
