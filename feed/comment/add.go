package comment

import (
	"context"
	"errors"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Add stores a comment and returns it; a Quote has its address alone.
//
// A repeat with the same ID or Key returns the comment that stands, another
// one under that identity is plaza.ErrConflict, a removed one plaza.ErrRemoved
// for 30 days. The ID is set beside an error too. An unknown or hidden Root,
// Parent or Quote is plaza.ErrNotFound, a tombstone plaza.ErrRemoved.
//
// Cost: 1 request, 6 WCU for a flow comment or root, 8 for its answer or a
// reply, 10 for a reply to a reply; 2 more each with a Quote, a Key or
// Options.Score. A reply, and the quote of one, takes a read before: 0.5 RCU for
// the root, and 1 for a parent or quote that is a reply. Every answer rewrites
// the rows of its root and parent, 2 WCU per KB.
func (r *Repository) Add(ctx context.Context, c Comment) (Comment, error) {
	c, err := r.checkAdd(c)
	if err != nil {
		return c, err
	}
	if c.ID == 0 {
		if c.ID, err = r.gen.Next(ctx); err != nil {
			return c, err
		}
	}
	stored, err := r.add(ctx, c)
	if err != nil {
		return c, wrap("add", c.At(), err)
	}
	stored.Key = c.Key
	return stored, nil
}

// checkAdd also spells out the defaults.
func (r *Repository) checkAdd(c Comment) (_ Comment, err error) {
	at := c.At()
	if at.ID == 0 {
		at.ID = 1 // still to come
	}
	if err := at.check(""); err != nil {
		return c, err
	}
	if err := keys.CheckNewID("ID", at.ID, r.opts.Now()); err != nil {
		return c, err
	}
	if err := r.checkContent(c); err != nil {
		return c, err
	}
	if c.Key != "" {
		if err := keys.CheckName("Key", c.Key); err != nil {
			return c, err
		}
	}
	if c.Parent == 0 {
		c.Parent = c.Root
	}
	if c.Parent != 0 {
		if err := keys.CheckID("Parent", c.Parent); err != nil {
			return c, err
		}
	}
	if c.Root != 0 && c.Root == c.ID {
		return c, &plaza.InvalidError{Field: "Root", Reason: "is the comment itself"}
	}
	if c.Parent != 0 && c.Parent == c.ID {
		return c, &plaza.InvalidError{Field: "Parent", Reason: "is the comment itself"}
	}
	c.Quote, err = c.checkQuote()
	return c, err
}

// checkQuote gives the whole address, if there is one.
func (c Comment) checkQuote() (*Quote, error) {
	if c.Quote == nil {
		return nil, nil //nolint:nilnil // most quote nothing
	}
	quote := &Quote{At: c.Quote.At}
	if quote.Object == "" {
		quote.Object = c.Object
	}
	switch {
	case c.Root != 0:
		return nil, &plaza.InvalidError{Field: "Quote", Reason: "is in a reply"}
	case quote.Object != c.Object:
		return nil, &plaza.InvalidError{Field: "Quote.Object", Reason: "is another than the comment's"}
	case quote.ID != 0 && quote.At == c.At():
		return nil, &plaza.InvalidError{Field: "Quote.ID", Reason: "is the comment itself"}
	}
	return quote, quote.check("Quote.")
}

func (r *Repository) add(ctx context.Context, c Comment) (Comment, error) {
	for turn := range turns {
		sure := turn > 0
		around, missing := r.look(ctx, c, sure)
		if sure {
			// After the look, so that what it saw of this comment is known here.
			first, known, err := r.repeated(ctx, c)
			if known || err != nil {
				return first, err
			}
		}
		switch {
		case missing == nil:
		case !sure && (errors.Is(missing, plaza.ErrNotFound) || errors.Is(missing, plaza.ErrRemoved)):
			continue // it may have changed a moment ago
		default:
			return c, missing
		}
		row, tx := r.addTx(c, around)
		err := r.run(ctx, tx, keysToWrite(row, around))
		if _, refused := store.AsRefused(err); !refused {
			return row.comment(), err
		}
	}
	return c, plaza.ErrBusy
}

// keysToWrite are those of what stands where a comment is added.
func keysToWrite(c row, around map[At]row) []store.Key {
	wanted := []store.Key{headerKey(c.at.Object)}
	for _, i := range around {
		wanted = append(wanted, i.key())
	}
	return wanted
}
