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
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Sent is the answer of Send.
type Sent struct {
	Comment
	Created bool // by this call, not by one that it repeats
}

// Send stores a comment. Of c it takes everything but Sent, Likes, Reports,
// Protected and Repeats; Progress loses what is below a millisecond.
//
// A repeat with the same ID, or with the same Key and Progress, gives the
// comment that stands, also when the shards grew in between; another one under
// that identity is plaza.ErrConflict, a recalled or removed one
// plaza.ErrRemoved. The ID is set beside an error too, once the input is good.
// Only where two processes send it at the very moment when new shards are taken
// into use, both may have Created, and ByUser shows both; what reads the object
// shows one.
//
// Options.Limiter refuses by a RateError, but never what is stored already.
//
// One request, 2 WCU; the first of a process into a segment 2, 3 WCU, or 3, 4
// WCU where it did not know the object and is the first of all, or did not know
// of Settings.Segment. Where what is known of an object is above 1 KB, which more
// than 4,000 scattered segments take, the first is 1 WCU more for each KB, up to
// 10 in all. After Options.Refresh one read more, 1 RCU, up to 2.5. With an
// identity, where shards grew since the object's first comment, one more, 1 RCU
// for each other place. What the Limiter costs comes on top.
func (r *Repository) Send(ctx context.Context, c Comment) (Sent, error) {
	c, err := r.checkSend(c)
	if err != nil {
		return Sent{Comment: c}, err
	}
	call, err := r.gen.Next(ctx)
	if err != nil {
		return Sent{Comment: c}, err
	}
	repeatable := c.ID != (ID{}) || c.Key != ""
	switch {
	case c.Key != "":
		c.ID = c.keyed()
	case c.ID == (ID{}):
		c.ID = newID(c.Progress, uint64(call))
	}
	sent, err := r.send(ctx, c, call, repeatable)
	if err != nil {
		return Sent{Comment: c}, wrapID("send", c.Object, c.ID, err)
	}
	return sent, nil
}

func newID(progress time.Duration, unique uint64) ID {
	return ID{progress: uint32(progress / time.Millisecond), rest: unique}
}

// keyed is the ID by the Key, which different users do not share.
func (c Comment) keyed() ID {
	sum := sha256.Sum256([]byte(keys.Join(c.Object, c.User, c.Key)))
	return newID(c.Progress, binary.BigEndian.Uint64(sum[:])&maxUnique)
}

func (r *Repository) send(ctx context.Context, c Comment, call ids.ID, repeatable bool) (Sent, error) {
	wait, err := r.opts.Limiter.Take(ctx, Attempt{Object: c.Object, ID: c.ID, User: c.User})
	if err != nil {
		return Sent{}, err
	}
	if wait > 0 && !repeatable {
		return Sent{}, &RateError{RetryAfter: wait}
	}
	l, err := r.begun(ctx, c, wait > 0)
	if repeatable && errors.Is(err, plaza.ErrInvalid) { // perhaps only since it was sent
		return r.again(ctx, c, call, err)
	}
	if err != nil {
		return Sent{}, err
	}
	target := l.place(c.ID, r.opts.Now())
	stored := newRow(c, target, call)
	if repeatable {
		elsewhere := l.places(c.ID)
		if wait == 0 {
			elsewhere = except(elsewhere, target)
		}
		first, known, err := r.find(ctx, elsewhere, c.ID, true)
		if err != nil {
			return Sent{}, err
		}
		if known {
			return first.repeated(c, &stored)
		}
		if wait > 0 {
			return Sent{}, &RateError{RetryAfter: wait}
		}
	}
	err = r.table.Run(ctx, r.table.Put(stored).If("attribute_not_exists(pk)"))
	if refused, ok := store.AsRefused(err); ok {
		var first row
		item, _ := refused.At(0)
		if err := r.table.Decode(item, &first); err != nil {
			return Sent{}, err
		}
		return first.repeated(c, &stored)
	}
	if err != nil {
		return Sent{}, err
	}
	return Sent{stored.answer(c), true}, nil
}

// again gives what stands of a comment that is refused by now.
func (r *Repository) again(ctx context.Context, c Comment, call ids.ID, refusal error) (Sent, error) {
	l, err := r.known(ctx, c.Object, true)
	if err != nil {
		return Sent{}, err
	}
	first, stands, err := r.find(ctx, l.places(c.ID), c.ID, true)
	if err == nil && !stands {
		err = refusal
	}
	if err != nil {
		return Sent{}, err
	}
	again := newRow(c, place{}, call)
	return first.repeated(c, &again)
}

// repeated answers who sends again what stands.
func (i *row) repeated(c Comment, again *row) (Sent, error) {
	switch {
	case i.gone():
		return Sent{}, plaza.ErrRemoved
	case !i.same(again):
		return Sent{}, plaza.ErrConflict
	}
	return Sent{i.answer(c), i.Sent == again.Sent}, nil // Sent is the call's own
}

func (i *row) answer(c Comment) Comment {
	stored := i.comment(c.Object)
	stored.Key = c.Key
	return stored
}

// begun gives the layout of the object, which shows the segment of c. Where
// only looking it begins none.
func (r *Repository) begun(ctx context.Context, c Comment, looking bool) (*layout, error) {
	l, fresh := r.remembered(c.Object)
	var err error
	switch {
	case fresh:
	case l != nil || looking:
		if l, err = r.known(ctx, c.Object, false); err != nil {
			return nil, err
		}
	default:
		l = newLayout(c.Object, objectItem{}) // what stands is told by the write
	}
	for range turns {
		if err := checkProgress(c.Progress, l.duration); err != nil {
			return nil, err
		}
		segment := l.segmentOf(c.Progress)
		if looking || l.has(segment) {
			return l, nil
		}
		if l, err = r.begin(ctx, l, []int{segment}, c.Progress.Milliseconds()); err != nil {
			return nil, err
		}
	}
	return nil, plaza.ErrBusy
}

// maxExtra is how large the Extra of a comment that is sent may be, in bytes.
const maxExtra = 1 << 10

// checkSend leaves out what Send does not take.
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
	return c, r.checkLooks(c)
}

func (c Comment) checkID() error {
	none := ID{}
	switch {
	case c.ID == none:
	case c.ID.unique() == 0:
		return &plaza.InvalidError{Field: "ID", Reason: "is of no comment"}
	case c.ID.Progress() != c.Progress:
		return &plaza.InvalidError{Field: "ID", Reason: "has another Progress"}
	case c.Key != "" && c.ID != c.keyed():
		return &plaza.InvalidError{Field: "ID", Reason: "has another Key"}
	}
	return nil
}

func (r *Repository) checkText(text string) error {
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text):
		return &plaza.InvalidError{Field: "Text", Reason: "is not UTF-8"}
	case strings.TrimSpace(text) == "":
		return &plaza.InvalidError{Field: "Text", Reason: "is empty"}
	case n > r.opts.MaxRunes:
		return &plaza.InvalidError{Field: "Text", Reason: fmt.Sprintf("has %d runes, at most %d are allowed", n, r.opts.MaxRunes)}
	}
	return nil
}

func (r *Repository) checkLooks(c Comment) error {
	rgb, chosen := c.Color.RGB()
	switch {
	case !slices.Contains(r.opts.Modes, c.Mode):
		return &plaza.InvalidError{Field: "Mode", Reason: fmt.Sprintf("is %d", c.Mode)}
	case c.Color != 0 && c.Color != RGB(rgb),
		chosen && r.opts.Colors != nil && !slices.Contains(r.opts.Colors, c.Color):
		return &plaza.InvalidError{Field: "Color", Reason: fmt.Sprintf("is %#x", uint32(c.Color))}
	case c.Size != 0 && (c.Size < r.opts.MinSize || c.Size > r.opts.MaxSize):
		return &plaza.InvalidError{Field: "Size", Reason: fmt.Sprintf("is %d, %d to %d are allowed", c.Size, r.opts.MinSize, r.opts.MaxSize)}
	case len(c.Extra) > maxExtra:
		return &plaza.InvalidError{Field: "Extra", Reason: fmt.Sprintf("is %d bytes large, at most %d are allowed", len(c.Extra), maxExtra)}
	case len(c.Extra) > 0 && !isObject(c.Extra):
		return &plaza.InvalidError{Field: "Extra", Reason: "is no JSON object in UTF-8"}
	}
	return nil
}

func isObject(data json.RawMessage) bool {
	return json.Valid(data) && utf8.Valid(data) && strings.TrimSpace(string(data))[0] == '{'
}
