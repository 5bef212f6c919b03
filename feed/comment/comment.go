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
	"bytes"
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

// MaxReason is the longest Removal.Reason, in bytes.
const MaxReason = 1024

// Removal says how a comment was removed.
type Removal struct {
	// By is who removed it; empty if its author did. Viewers need not see By.
	By string `json:"by,omitzero"`

	Reason string    `json:"reason,omitzero"` // up to MaxReason bytes
	At     time.Time `json:"at"`
}

// Quote is a comment that another comment of the same object quotes. Add needs
// its address; reads fill in the rest.
type Quote struct {
	Address        // Object may be empty
	User    string `json:"user,omitzero"`
	Excerpt string `json:"excerpt,omitzero"` // the beginning of the text
	Removed bool   `json:"removed,omitzero"` // removed or hidden since: User and Excerpt are empty
}

// MarshalJSON leaves out Object, which is that of the quoting comment.
func (q Quote) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // the caller's encoder decides
	err := encoder.Encode(struct {
		Root    ids.ID `json:"root,omitzero"`
		ID      ids.ID `json:"id"`
		User    string `json:"user,omitzero"`
		Excerpt string `json:"excerpt,omitzero"`
		Removed bool   `json:"removed,omitzero"`
	}{q.Root, q.ID, q.User, q.Excerpt, q.Removed})
	return text.Bytes(), err
}

// checked returns a comment that can be added, with its defaults filled in.
func (c Comment) checked(o *Options) (_ Comment, err error) {
	at := c.Address()
	if at.ID == 0 {
		at.ID = 1 // any id: the real one is minted later
	}
	if err := at.check(""); err != nil {
		return c, err
	}
	if err := keys.CheckNewID("ID", at.ID, o.Now()); err != nil {
		return c, err
	}
	if err := c.checkContent(o); err != nil {
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

// checkContent checks the user, text, mentions and data.
func (c Comment) checkContent(o *Options) error {
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
		args.Count("Text", utf8.RuneCountInString(c.Text), "runes", o.MaxRunes),
		args.Count("Mentions", len(c.Mentions), "mentions", MaxMentions),
		args.Count("Data", len(c.Data), "bytes", o.MaxData),
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

// checkQuote returns the quote with its whole address, if there is one.
func (c Comment) checkQuote() (*Quote, error) {
	if c.Quote == nil {
		return nil, nil //nolint:nilnil // most comments quote nothing
	}
	quote := &Quote{Address: c.Quote.Address}
	if quote.Object == "" {
		quote.Object = c.Object
	}
	switch {
	case c.Root != 0:
		return nil, &plaza.InvalidError{Field: "Quote", Reason: "is set in a reply"}
	case quote.Object != c.Object:
		return nil, &plaza.InvalidError{Field: "Quote.Object", Reason: "is not the comment's own object"}
	case quote.ID != 0 && quote.Address == c.Address():
		return nil, &plaza.InvalidError{Field: "Quote.ID", Reason: "is the comment itself"}
	}
	return quote, quote.check("Quote.")
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
