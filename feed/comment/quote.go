package comment

import (
	"context"
)

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

// fill copies the author and the excerpt of the quoted comment as it is now.
func (r *Repository) fill(quote *Quote, found rows) {
	i, ok := r.readable(found.at(quote.Address))
	if !ok || !i.visible(false) {
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
