package comment

import (
	"fmt"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
)

// turns bounds how often a write is tried anew when what it met changed. A
// moderator must get a word in while many answer.
const turns = 20

// memory is how long the identity of what was removed, and a Key, is known.
const memory = 30 * 24 * time.Hour

// Repository keeps comments in one table.
type Repository struct {
	table *store.Table
	gen   ids.Source
	opts  Options
}

// New does no I/O. The table is one that Table describes.
func New(db *dynamo.DB, table string, gen ids.Source, opts *Options) (*Repository, error) {
	t, err := store.Open(db, table, nil)
	if err != nil {
		return nil, err
	}
	if gen == nil {
		return nil, &plaza.InvalidError{Field: "gen", Reason: "is nil"}
	}
	r := &Repository{table: t, gen: gen}
	if opts != nil {
		r.opts = *opts
	}
	if err := r.opts.setDefaults(); err != nil {
		return nil, err
	}
	return r, nil
}

// now is the time in the form in which it is read back.
func (r *Repository) now() time.Time { return r.opts.Now().UTC().Truncate(time.Millisecond) }

// forgotten is when what is told now may be forgotten.
func (r *Repository) forgotten() int64 { return r.opts.Now().Add(memory).Unix() }

// wrap names the operation and the comment.
func wrap(what string, at At, err error) error {
	switch {
	case err == nil:
		return nil
	case at.Root != 0:
		return fmt.Errorf("comment: %s %v under %v of %q: %w", what, at.ID, at.Root, at.Object, err)
	}
	return fmt.Errorf("comment: %s %v of %q: %w", what, at.ID, at.Object, err)
}

// wrapName names the operation and whose it is.
func wrapName(what, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("comment: %s %q: %w", what, name, err)
}
