// Package comment keeps what people say about things. Any opaque id can be
// commented on: an activity, a video, an article.
//
// Three models lie over one storage, and each call chooses its own:
//
//   - flow: every comment and every answer is a row in the object's list; an
//     answer names its Parent. ByObject pages through them.
//   - nested: replies collect under a Root, two levels, the real Parent kept.
//     Threads pages through the roots with the first replies of each, Replies
//     through one thread.
//   - quote: a flow comment with a Quote shows whom it quotes, and an excerpt
//     that follows edits and goes with the quoted comment.
//
// A comment is written in one transaction with all that counts it, so counts
// and lists agree. Who may moderate is the application's to say.
package comment

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// MaxMentions is the most mentions of a comment.
const MaxMentions = 50

// Comment is what a user says about an object.
type Comment struct {
	Object string

	// Root is the comment under which a reply lies; zero for what lies in the
	// object's own list: flow comments and roots.
	Root ids.ID

	// ID is the comment's identity, with Object and Root, and its place in every
	// list. Add mints one where it is zero; one of your own comes from an
	// ids.Source.
	ID ids.ID

	// Parent is the comment that is answered: in a thread, the root or a
	// reply of it, the root by default; in a flow, another flow comment or none.
	Parent ids.ID

	User string
	Text string // as given, never escaped; not only white space

	Quote    *Quote          // of flow comments, optional
	Mentions []string        // up to MaxMentions ids, each once
	Data     json.RawMessage // the application's own JSON, optional

	// Key is another identity, for callers that keep no ids: unique to the
	// user, up to 256 bytes, known for 30 days. For Add alone.
	Key string

	// What follows is read, never written.

	EditedAt time.Time // zero where it was not
	Replies  int64     // visible ones that name this one as Root or Parent
	Hidden   bool      // it, or its thread's root, is hidden
	Removed  *Removal  // of a tombstone, which has no text
}

// At is where the comment lies.
func (c Comment) At() At { return At{Object: c.Object, Root: c.Root, ID: c.ID} }

// Quote is a comment of the same object that another one quotes. To Add give
// its address; reads fill in the rest.
type Quote struct {
	At      // Object may be empty
	User    string
	Excerpt string // the beginning of the text
	Removed bool   // removed or hidden since: User and Excerpt are empty
}

// Removal says how a comment was removed.
type Removal struct {
	By     string // who removed it; empty where its author did
	Reason string // up to MaxReason bytes
	At     time.Time
}

// checkContent refuses what can be no comment's text, mentions and data.
func (r *Repository) checkContent(c Comment) error {
	if err := keys.CheckName("User", c.User); err != nil {
		return err
	}
	switch n := utf8.RuneCountInString(c.Text); {
	case !utf8.ValidString(c.Text):
		return &plaza.InvalidError{Field: "Text", Reason: "is not UTF-8"}
	case strings.TrimSpace(c.Text) == "":
		return &plaza.InvalidError{Field: "Text", Reason: "is empty"}
	case n > r.opts.MaxRunes:
		return &plaza.InvalidError{Field: "Text", Reason: fmt.Sprintf("has %d runes, at most %d are allowed", n, r.opts.MaxRunes)}
	}
	if n := len(c.Mentions); n > MaxMentions {
		return &plaza.InvalidError{Field: "Mentions", Reason: fmt.Sprintf("has %d, at most %d are allowed", n, MaxMentions)}
	}
	for i, user := range c.Mentions {
		field := fmt.Sprintf("Mentions[%d]", i)
		if err := keys.CheckName(field, user); err != nil {
			return err
		}
		if slices.Contains(c.Mentions[:i], user) {
			return &plaza.InvalidError{Field: field, Reason: "is there twice"}
		}
	}
	if n := len(c.Data); n > r.opts.MaxData {
		return &plaza.InvalidError{Field: "Data", Reason: fmt.Sprintf("is %d bytes large, at most %d are allowed", n, r.opts.MaxData)}
	}
	if len(c.Data) > 0 && !(json.Valid(c.Data) && utf8.Valid(c.Data)) {
		return &plaza.InvalidError{Field: "Data", Reason: "is not JSON in UTF-8"}
	}
	return nil
}

// hash is a fingerprint of what is added, by which a repeat is told from
// another comment under the same identity.
func (c Comment) hash() []byte {
	h := sha256.New()
	fields := []string{c.Object, c.Root.String(), c.Parent.String(), c.Text, string(c.Data)}
	if c.Quote != nil {
		fields = append(fields, c.Quote.Root.String(), c.Quote.ID.String())
	} else {
		fields = append(fields, "", "")
	}
	for _, field := range append(fields, c.Mentions...) {
		h.Write(binary.AppendUvarint(nil, uint64(len(field))))
		h.Write([]byte(field))
	}
	return h.Sum(nil)[:16]
}
