package danmu

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
	"github.com/plaza-sdk/plaza/ratelimit"
)

// Send stores a comment and returns it as stored. It ignores Sent, Likes,
// Reports, Protected and Repeats of c, and rounds Progress down to a
// millisecond. Once the input is valid, the returned comment has its ID even if
// there is an error.
//
// Repeat it with the same ID, or with the same Key and Progress: it then returns
// the stored comment, and created is false. Another comment under that identity
// is plaza.ErrConflict, a recalled or removed one plaza.ErrRemoved. Only if two
// processes send it at the very moment when new shards come into use may both
// report created; then ByUser lists two comments, and reads of the object show
// one.
//
// A user who sends more often than Options.Rate gets a *ratelimit.Error; a repeat of a
// stored comment is never refused.
//
// Cost: 1 request, 2 WCU; a process's first to an object, or a segment's first,
// 2 requests, 3 WCU; where this process does not know the object, and the comment is
// the object's first of all or Settings.Segment is set, 3 requests, 4 WCU; a segment's
// first, where over 4,000 scattered segments have comments, 1 WCU more for each KB
// above the first, up to 10 WCU in all; after Options.Refresh 1 request, 1 RCU more,
// up to 2.5 RCU; with a Key or an ID, where the shards grew since the object's first
// comment, 1 request, 1 RCU for each other place more; the cost of Options.Limiter
// is added.
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

func newID(progress time.Duration, unique uint64) ID {
	return ID{progress: uint32(progress / time.Millisecond), rest: unique}
}

// keyed returns the ID that follows from the User and the Key. IDs are stored: a change
// of the hash stores repeats across an upgrade again.
func (c Comment) keyed() ID {
	sum := sha256.Sum256([]byte(keys.Join(c.Object, c.User, c.Key)))
	return newID(c.Progress, binary.BigEndian.Uint64(sum[:])&maxUnique)
}

func (r *Repository) send(ctx context.Context, c Comment, call ids.ID, repeatable bool) (sent Comment, created bool, err error) {
	wait, err := r.opts.Limiter.Take(ctx, ratelimit.Attempt{Object: c.Object, User: c.User, ID: c.ID.String()})
	if err != nil {
		return Comment{}, false, err
	}
	if wait > 0 && !repeatable {
		return Comment{}, false, &ratelimit.Error{Wait: wait}
	}
	l, err := r.layoutFor(ctx, c, wait > 0)
	if repeatable && errors.Is(err, plaza.ErrInvalid) { // it may have been valid when it was first sent
		return r.sendAgain(ctx, c, call, err)
	}
	if err != nil {
		return Comment{}, false, err
	}
	target := l.place(c.ID, r.opts.Now())
	stored := newItem(c, target, call)
	if repeatable {
		elsewhere := l.places(c.ID)
		if wait == 0 {
			elsewhere = except(elsewhere, target)
		}
		first, found, err := r.find(ctx, elsewhere, c.ID, true)
		if err != nil {
			return Comment{}, false, err
		}
		if found {
			return first.repeated(c, &stored)
		}
		if wait > 0 {
			return Comment{}, false, &ratelimit.Error{Wait: wait}
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

// sendAgain answers a repeat of a comment that is no longer valid but may be stored.
func (r *Repository) sendAgain(ctx context.Context, c Comment, call ids.ID, refusal error) (sent Comment, created bool, err error) {
	l, err := r.layout(ctx, c.Object, true)
	if err != nil {
		return Comment{}, false, err
	}
	first, found, err := r.find(ctx, l.places(c.ID), c.ID, true)
	if err == nil && !found {
		err = refusal
	}
	if err != nil {
		return Comment{}, false, err
	}
	again := newItem(c, place{}, call)
	return first.repeated(c, &again)
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

// layoutFor returns the layout of c's object. Unless readOnly, it adds the segment of c.
func (r *Repository) layoutFor(ctx context.Context, c Comment, readOnly bool) (*layout, error) {
	l, fresh := r.remembered(c.Object)
	var err error
	switch {
	case fresh:
	case l != nil || readOnly:
		if l, err = r.layout(ctx, c.Object, false); err != nil {
			return nil, err
		}
	default:
		l = newLayout(c.Object, objectItem{}) // the write returns the stored one
	}
	if readOnly || l.has(l.segmentOf(c.Progress)) {
		return l, checkProgress(c.Progress, l.duration)
	}
	return r.addSegments(ctx, l, c.Progress, func(l *layout) []int { return []int{l.segmentOf(c.Progress)} })
}

// maxExtra bounds the Extra of a comment that is sent, in bytes.
const maxExtra = 1 << 10

// checkSend checks c, and clears the fields that Send ignores.
func (r *Repository) checkSend(c Comment) (Comment, error) {
	c.Progress = whole(c.Progress)
	c.Sent, c.Likes, c.Reports, c.Protected, c.Repeats = time.Time{}, 0, 0, false, 0
	if err := keys.CheckName("Object", c.Object); err != nil {
		return c, err
	}
	if err := keys.CheckName("User", c.User); err != nil {
		return c, err
	}
	if c.Key != "" {
		if err := keys.CheckName("Key", c.Key); err != nil {
			return c, err
		}
	}
	if err := checkProgress(c.Progress, MaxProgress); err != nil {
		return c, err
	}
	if err := c.checkID(); err != nil {
		return c, err
	}
	if err := r.checkText(c.Text); err != nil {
		return c, err
	}
	return c, r.checkStyle(c)
}

func (c Comment) checkID() error {
	none := ID{}
	switch {
	case c.ID == none:
	case c.ID.unique() == 0:
		return &plaza.InvalidError{Field: "ID", Reason: "is not the ID of a comment"}
	case c.ID.Progress() != c.Progress:
		return &plaza.InvalidError{Field: "ID", Reason: "does not match Progress"}
	case c.Key != "" && c.ID != c.keyed():
		return &plaza.InvalidError{Field: "ID", Reason: "does not match Key"}
	}
	return nil
}

func (r *Repository) checkText(text string) error {
	switch {
	case !utf8.ValidString(text):
		return &plaza.InvalidError{Field: "Text", Reason: "is not UTF-8"}
	case strings.TrimSpace(text) == "":
		return &plaza.InvalidError{Field: "Text", Reason: "is empty"}
	}
	return args.Count("Text", utf8.RuneCountInString(text), "runes", r.opts.MaxRunes)
}

func (r *Repository) checkStyle(c Comment) error {
	rgb, chosen := c.Color.RGB()
	switch {
	case !slices.Contains(r.opts.Modes, c.Mode):
		return &plaza.InvalidError{Field: "Mode", Reason: fmt.Sprintf("is %d", c.Mode)}
	case c.Color != 0 && c.Color != RGB(rgb),
		chosen && r.opts.Colors != nil && !slices.Contains(r.opts.Colors, c.Color):
		return &plaza.InvalidError{Field: "Color", Reason: fmt.Sprintf("is %#x", uint32(c.Color))}
	case c.Size != 0:
		if err := args.Between("Size", c.Size, r.opts.MinSize, r.opts.MaxSize); err != nil {
			return err
		}
	}
	if err := args.Count("Extra", len(c.Extra), "bytes", maxExtra); err != nil {
		return err
	}
	if len(c.Extra) > 0 && !isObject(c.Extra) {
		return &plaza.InvalidError{Field: "Extra", Reason: "is not a JSON object in UTF-8"}
	}
	return nil
}

func isObject(data json.RawMessage) bool {
	return jsontext.Valid(data) && strings.TrimSpace(string(data))[0] == '{'
}
