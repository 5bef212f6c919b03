package comment

import (
	"context"
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
	if gen == nil {
		return nil, &plaza.InvalidError{Field: "gen", Reason: "is nil"}
	}
	r := &Repository{gen: gen}
	if opts != nil {
		r.opts = *opts
	}
	err := r.opts.setDefaults()
	if err != nil {
		return nil, err
	}
	r.table, err = store.Open(db, table, r.opts.OnCorrupt)
	return r, err
}

// Verify compares the table with what this package needs: its key schema, its
// expiry, and the feature that Init marked it with. plaza.ErrTable says what
// differs.
//
// Cost: 3 requests, 0.5 RCU.
func (r *Repository) Verify(ctx context.Context) error {
	return r.table.Verify(ctx, feature())
}

// Init is Verify, and marks the table as comment's, so that no other feature
// takes it for its own. Call it once, where the table is created.
//
// Cost: 4 requests, 0.5 RCU, 1 WCU.
func (r *Repository) Init(ctx context.Context) error {
	return r.table.Init(ctx, feature())
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
