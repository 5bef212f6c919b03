package danmu

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// maxImport bounds Text and Extra of an imported comment together, in bytes.
const maxImport = 4 << 10

func (c Comment) checkImport() error {
	if c.User != "" {
		if err := keys.CheckName("User", c.User); err != nil {
			return err
		}
	}
	if c.Key != "" {
		if err := keys.CheckName("Key", c.Key); err != nil {
			return err
		}
	}
	err := cmp.Or(
		checkProgress(c.Progress, MaxProgress),
		args.Count("Text", len(c.Text)+len(c.Extra), "bytes with Extra", maxImport),
		args.AtLeast("Likes", c.Likes, 0),
		args.AtLeast("Reports", c.Reports, 0),
	)
	if err != nil {
		return err
	}
	rgb, _ := c.Color.RGB()
	switch {
	case c.Text == "":
		return &plaza.InvalidError{Field: "Text", Reason: "is empty"}
	case !utf8.ValidString(c.Text):
		return &plaza.InvalidError{Field: "Text", Reason: "is not UTF-8"}
	case len(c.Extra) > 0 && !isObject(c.Extra):
		return &plaza.InvalidError{Field: "Extra", Reason: "is not a JSON object in UTF-8"}
	case c.Color != 0 && c.Color != RGB(rgb):
		return &plaza.InvalidError{Field: "Color", Reason: fmt.Sprintf("is %#x", uint32(c.Color))}
	case c.Sent.Year() < 1 || c.Sent.Year() > 9999: // JSON cannot hold other years
		return &plaza.InvalidError{Field: "Sent", Reason: fmt.Sprintf("is in the year %d", c.Sent.Year())}
	case c.ID == ID{}:
		return nil
	case c.ID.unique() == 0:
		return &plaza.InvalidError{Field: "ID", Reason: "is not the ID of a comment"}
	case c.ID.Progress() != c.Progress:
		return &plaza.InvalidError{Field: "ID", Reason: "does not match Progress"}
	}
	return nil
}

// identify checks a comment and sets the ID by which a later import recognizes it.
func (in *importer) identify(c Comment) (Comment, error) {
	c.Progress, c.Sent = whole(c.Progress), c.Sent.Truncate(time.Millisecond)
	if err := c.checkImport(); err != nil {
		return c, err
	}
	switch {
	case c.ID != ID{}:
	case c.Key != "":
		c.ID = hashed(c.Progress, "key", in.layout.object, c.Key)
	default:
		c.ID = c.byContent()
		if before := in.equals[c.ID]; before > 0 {
			in.equals[c.ID]++
			c.ID = hashed(c.Progress, "again", c.ID.String(), strconv.Itoa(before))
		} else {
			in.equals[c.ID] = 1
		}
	}
	return c, nil
}

// byContent returns an ID by content. It ignores fields that a reader of files may drop,
// such as senders, or may learn to read later.
func (c Comment) byContent() ID {
	return hashed(c.Progress, "content", c.Text,
		strconv.Itoa(int(c.Mode)), strconv.Itoa(int(c.Color)), strconv.Itoa(c.Size), strconv.Itoa(c.Pool), strconv.FormatInt(sentMs(c.Sent), 10))
}

// hashed returns the ID by which a later import recognizes the comment. IDs are stored: a
// change of the hash imports everything again.
func hashed(progress time.Duration, parts ...string) ID {
	sum := sha256.Sum256([]byte(keys.Join(parts...)))
	return newID(progress, max(1, binary.BigEndian.Uint64(sum[:])&maxUnique))
}

// sentMs returns Unix milliseconds, or 0 for no time.
func sentMs(sent time.Time) int64 {
	if sent.IsZero() {
		return 0
	}
	return sent.UnixMilli()
}

// newImport returns the item of an imported comment. If it has a User, its place in the
// index is the time of sending, at the latest now.
func newImport(c Comment, p place, now time.Time) commentItem {
	var sent ids.ID
	if c.User != "" {
		at := c.Sent
		if at.After(now) {
			at = now
		}
		sent = sentAt(at, hashed(0, p.object, c.ID.String()).unique())
	}
	i := newItem(c, p, sent)
	i.Key, i.SentMs = c.Key, sentMs(c.Sent)
	i.Likes, i.Reports, i.Protected = c.Likes, c.Reports, c.Protected
	return i
}

// sentAt returns an id of a time. Ids of the same time differ in 22 bits of lot. Ids
// begin in 2000, so the years 1970 to 1999 share the first day, with 382 ids for each of
// their milliseconds.
func sentAt(sent time.Time, lot uint64) ids.ID {
	const (
		day    = 24 * 60 * 60 * 1000
		old    = 10_958 * day // ms from 1970 until ids are a day old
		within = 1 << 22      // ids in a millisecond
		share  = within * day / old
	)
	ms := sent.UnixMilli()
	if ms >= old {
		return ids.At(sent) | ids.ID(lot%within)
	}
	return max(1, ids.ID(max(0, ms))*share+ids.ID(lot%share))
}
