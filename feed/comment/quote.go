package comment

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
)

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

// comments returns rows as readers see them, each Quote filled in. Quotes take
// one more read.
func (r *Repository) comments(ctx context.Context, shown []row) ([]Comment, error) {
	var quoted []row
	for _, i := range shown {
		if i.Quote != nil {
			quoted = append(quoted, row{at: i.quoted(), rest: i.Quote.Rest})
		}
	}
	found, err := r.readListed(ctx, quoted)
	if err != nil {
		return nil, err
	}
	comments := make([]Comment, len(shown))
	for n, i := range shown {
		comments[n] = i.comment()
		if quote := comments[n].Quote; quote != nil {
			r.fill(quote, found)
		}
	}
	return comments, nil
}

// fill copies the author and the excerpt of the quoted comment as it stands.
func (r *Repository) fill(quote *Quote, found rows) {
	i, ok := r.readable(found.at(quote.Address))
	if !ok || !i.stands(false) {
		quote.Removed = true
		return
	}
	quote.User, quote.Excerpt = i.User, excerpt(i.Text, r.opts.ExcerptRunes)
}

// excerpt is the first n runes.
func excerpt(text string, n int) string {
	for at := range text {
		if n == 0 {
			return text[:at]
		}
		n--
	}
	return text
}
