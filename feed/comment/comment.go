// Package comment keeps the comments that users write on objects: activities,
// videos, articles, anything with an opaque id.
//
// One storage serves three models. Each call chooses its own:
//
//   - flow: every comment and every answer is a row in the object's list, and
//     an answer names its Parent. ByObject lists them.
//   - nested: replies collect under a Root, on two levels, and keep their real
//     Parent. Threads lists the roots with the first replies of each, Replies
//     lists one thread.
//   - quote: a flow comment with a Quote shows the author and an excerpt of
//     another one, and follows its edits and its removal.
//
// One transaction writes a comment and updates all counts of it, so counts and
// lists agree. The application decides who may moderate.
//
// Cost lines are for rows of up to 1 KB and, unless Options.Consistent is set,
// for eventually consistent reads.
package comment

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// MaxMentions is the most mentions of a comment.
const MaxMentions = 50

// Comment is what a user writes about an object.
type Comment struct {
	// ID is the comment's identity, together with Object and Root, and its place
	// in every list. If it is zero, Add mints one; make your own with an
	// ids.Source.
	ID ids.ID `json:"id"`

	Object string `json:"object"`

	// Root is the root of a reply's thread. It is zero for comments of the
	// object's own list: flow comments and roots.
	Root ids.ID `json:"root,omitzero"`

	// Parent is the comment that this one replies to. In a thread it is the
	// root, which is the default, or one of its replies; in a flow it is
	// another flow comment, or none.
	Parent ids.ID `json:"parent,omitzero"`

	User string `json:"user,omitzero"` // empty in tombstones of erased users
	Text string `json:"text,omitzero"` // as given, never escaped; not only white space

	Quote    *Quote          `json:"quote,omitzero"`     // of flow comments, optional
	Mentions []string        `json:"mentions,omitempty"` // up to MaxMentions ids, each once
	Data     json.RawMessage `json:"data,omitempty"`     // the application's own JSON, optional

	// Key is another identity, for callers that keep no ids. It is unique among
	// the user's Keys, has up to 256 bytes, and is known for 30 days. Only Add
	// uses it.
	Key string `json:"-"`

	// The fields below are only read.

	EditedAt time.Time `json:"editedAt,omitzero"` // zero if it was never edited
	Replies  int64     `json:"replies"`           // visible ones that name this one as Root or Parent
	Removed  *Removal  `json:"removed,omitzero"`  // of a tombstone, which has no text

	// Hidden reports that the comment or its thread's root is hidden. It is for
	// moderators: to hide comments silently, clear it in what their authors see.
	Hidden bool `json:"hidden,omitzero"`
}

// Address returns where the comment lies.
func (c Comment) Address() Address { return Address{Object: c.Object, Root: c.Root, ID: c.ID} }

// checkContent checks the user, text, mentions and data.
func (r *Repository) checkContent(c Comment) error {
	if err := keys.CheckName("User", c.User); err != nil {
		return err
	}
	switch {
	case !utf8.ValidString(c.Text):
		return &plaza.InvalidError{Field: "Text", Reason: "is not UTF-8"}
	case strings.TrimSpace(c.Text) == "":
		return &plaza.InvalidError{Field: "Text", Reason: "is empty"}
	}
	err := cmp.Or(
		args.Count("Text", utf8.RuneCountInString(c.Text), "runes", r.opts.MaxRunes),
		args.Count("Mentions", len(c.Mentions), "mentions", MaxMentions),
		args.Count("Data", len(c.Data), "bytes", r.opts.MaxData),
	)
	if err != nil {
		return err
	}
	if err := keys.CheckSet("Mentions", c.Mentions); err != nil {
		return err
	}
	if len(c.Data) > 0 && !jsontext.Valid(c.Data) {
		return &plaza.InvalidError{Field: "Data", Reason: "is not JSON in UTF-8"}
	}
	return nil
}

// hash is a fingerprint of what is added. It distinguishes a repeat from another
// comment under the same identity. It is stored: a change of it makes repeats across
// an upgrade ErrConflict, so a new field counts only if it is set.
func (c Comment) hash() []byte {
	fields := []string{c.Object, c.Root.String(), c.Parent.String(), c.Text, string(c.Data)}
	if c.Quote != nil {
		fields = append(fields, c.Quote.Root.String(), c.Quote.ID.String())
	} else {
		fields = append(fields, "", "")
	}
	text := make([]byte, 0, 256)
	for _, field := range append(fields, c.Mentions...) {
		text = append(binary.AppendUvarint(text, uint64(len(field))), field...)
	}
	sum := sha256.Sum256(text)
	return sum[:16]
}
