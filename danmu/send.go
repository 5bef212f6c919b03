package danmu

import (
	"context"
	"errors"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// Send stores a comment and returns it as stored. It ignores Sent, Likes,
// Reports, Protected and Repeats of c, and rounds Progress down to a
// millisecond. Once the input is valid, the returned comment has its ID even if
// there is an error.
//
// Repeat it with the same ID, or with the same Key and Progress: it then returns the
// stored comment, and created is false. Another comment with them is plaza.ErrConflict,
// a recalled or removed one plaza.ErrRemoved. If two processes send it at the moment
// when new shards come into use, both may report created: ByUser then lists two
// comments, and reads of the object show one.
//
// A user who sends more often than Options.Rate gets a *ratelimit.Error; a repeat of a
// stored comment is never refused.
//
// Cost: 1 request, 2 WCU; a segment's first, or a process's first to an object, 2
// requests, 3 WCU.
//
//plaza:cost a comment: 1 request, 2 WCU
//plaza:cost a segment's first, or a process's first to an object: 2 requests, 3 WCU
//plaza:cost an object's first, or with Settings.Segment, where this process does not know the object: 3 requests, 4 WCU
//plaza:cost a segment's first, beside over 4,000 scattered segments: 2 requests, 12 WCU
//plaza:cost after Options.Refresh: 1 request, 1 RCU
//plaza:cost after Options.Refresh, with over 4,000 scattered segments: 1 request, 3 RCU
//plaza:cost with a Key or an ID, where the shards grew: 1 request
//plaza:cost with a Key or an ID, each other place: 1 RCU
//plaza:cost a repeat: 1 request, 1 WCU
//plaza:cost with Options.SharedRate: as ratelimit.Table.Take
func (r *Repository) Send(ctx context.Context, c Comment) (sent Comment, created bool, err error) {
	ctx = plaza.WithOperation(ctx, "danmu.Repository.Send")
	c, err = r.checkSend(c)
	if err != nil {
		return c, false, err
	}
	call, err := r.gen.Next(ctx)
	if err != nil {
		return c, false, err
	}
	repeatable := c.ID != (ID{}) || c.Key != ""
	switch {
	case c.Key != "":
		c.ID = c.keyed()
	case c.ID == (ID{}):
		c.ID = newID(c.Progress, uint64(call))
	}
	sent, created, err = r.send(ctx, c, call, repeatable)
	if err != nil {
		return c, false, wrapID("send", c.Object, c.ID, err)
	}
	return sent, created, nil
}

// send stores a comment. One that may be a repeat is looked for in its older places first
// and, if it would be refused now, in all.
func (r *Repository) send(ctx context.Context, c Comment, call ids.ID, repeatable bool) (sent Comment, created bool, err error) {
	l, refusal := r.admit(ctx, c)
	err = refusal
	if invalid := errors.Is(refusal, plaza.ErrInvalid); repeatable && (invalid || errors.Is(refusal, ratelimit.ErrExceeded)) {
		l, err = r.layout(ctx, c.Object, invalid)
	}
	if err != nil {
		return Comment{}, false, err
	}
	target, places := l.place(c.ID, r.opts.Now()), l.places(c.ID)
	stored := newItem(c, target, call)
	if repeatable {
		if refusal == nil {
			places = except(places, target)
		}
		first, found, err := r.find(ctx, places, c.ID, true)
		switch {
		case err != nil:
			return Comment{}, false, err
		case found:
			return first.repeated(c, &stored)
		case refusal != nil:
			return Comment{}, false, refusal
		}
	}
	err = r.table.Run(ctx, r.table.Put(stored).If("attribute_not_exists(pk)"))
	if refused, ok := store.AsRefused(err); ok {
		var first commentItem
		item, _ := refused.At(0)
		if err := r.table.Decode(item, &first); err != nil {
			return Comment{}, false, err
		}
		return first.repeated(c, &stored)
	}
	if err != nil {
		return Comment{}, false, err
	}
	return stored.answer(c), true, nil
}

// admit counts an attempt and returns the object's layout, with the comment's segment. A
// comment that comes too soon or too late in the object is refused.
func (r *Repository) admit(ctx context.Context, c Comment) (*layout, error) {
	wait, err := r.opts.Limiter.Take(ctx, ratelimit.Attempt{Object: c.Object, User: c.User, ID: c.ID.String()})
	if err != nil {
		return nil, err
	}
	if wait > 0 {
		return nil, &ratelimit.Error{Wait: wait}
	}
	return r.layoutFor(ctx, c.Object, c.Progress)
}

// repeated answers a repeat of the stored commentItem.
func (i *commentItem) repeated(c Comment, again *commentItem) (sent Comment, created bool, err error) {
	switch {
	case i.gone():
		return Comment{}, false, plaza.ErrRemoved
	case !store.Same(i, again):
		return Comment{}, false, plaza.ErrConflict
	}
	return i.answer(c), i.Sent == again.Sent, nil // each call has a Sent of its own
}

func (i *commentItem) answer(c Comment) Comment {
	stored := i.comment(c.Object)
	stored.Key = c.Key
	return stored
}
