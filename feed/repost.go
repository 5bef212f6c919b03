package feed

import (
	"context"
	"math"
	"slices"

	"github.com/plaza-sdk/plaza/internal/store"
)

// about is the text of Options.About for the activity, "" if that is none.
func (r *Repository) about(a Activity) (string, error) {
	if r.opts.About == nil {
		return "", nil
	}
	about := r.opts.About(a)
	if about.IsZero() {
		return "", nil
	}
	if err := about.check("Options.About"); err != nil {
		return "", err
	}
	return about.String(), nil
}

// pairedDown returns rows with their twins. One query reads the rows and the
// window below the last of them. Only a row that fills the whole query takes
// one more.
func (p *homeReading) pairedDown(ctx context.Context, reach store.Reach) (rows []homeRow, rest string, err error) {
	if p.queries >= maxQueries {
		return nil, reach.Gap, nil
	}
	window := p.home.r.opts.RepostWindow
	wide := reach
	wide.Limit += window
	entries, rest, err := p.query(ctx, wide, 1)
	if err != nil {
		return nil, "", err
	}
	all, end := inRows(entries), 0
	for i, row := range all {
		begin := end
		end += len(row.entries)
		if begin >= reach.Limit || rest != "" && end+window > len(entries) {
			break
		}
		all[i].pair(entries[end:min(end+window, len(entries))])
		rows = all[:i+1]
	}
	if n := len(rows); n > 0 && n < len(all) {
		rest = belowRow(rows[n-1].CacheKey)
	}
	if len(rows) > 0 || len(all) == 0 {
		return rows, rest, nil
	}
	if p.queries >= maxQueries {
		return nil, reach.Gap, nil
	}
	below, err := p.below(ctx, belowRow(all[0].CacheKey))
	if err != nil {
		return nil, "", err
	}
	all[0].pair(below)
	if len(all) > 1 {
		rest = belowRow(all[0].CacheKey)
	}
	return all[:1], rest, nil
}

// pairedUp returns rows with their twins, by two queries.
func (p *homeReading) pairedUp(ctx context.Context, reach store.Reach) (rows []homeRow, rest string, err error) {
	if p.queries+2 > maxQueries {
		return nil, reach.Gap, nil
	}
	entries, rest, err := p.query(ctx, reach, 1)
	if err != nil || len(entries) == 0 {
		return nil, rest, err
	}
	rows, gap := inRows(entries), reach.Gap
	if inside, ok := insideRow(gap); ok && inside == rows[0].CacheKey {
		// This row has entries below the gap too, so it is read alone.
		if gap = belowRow(inside); len(rows) > 1 {
			rest = aboveRow(inside)
		}
		rows = rows[:1]
	}
	below, err := p.below(ctx, gap)
	if err != nil {
		return nil, "", err
	}
	for i := range rows {
		rows[i].pair(below)
		own := slices.Clone(rows[i].entries)
		slices.Reverse(own)
		below = slices.Concat(own, below)
		below = below[:min(len(below), p.home.r.opts.RepostWindow)]
	}
	return rows, rest, nil
}

// below reads the window below a gap. It counts as one query, however many
// rounds outboxes take: a window that is cut would hide less.
func (p *homeReading) below(ctx context.Context, gap string) ([]entryItem, error) {
	sources, rounds := 1, 1
	if p.pulls {
		sources, rounds = len(p.sources), math.MaxInt
	}
	queries := p.queries
	entries, _, err := p.merged(ctx, sources, store.Reach{Gap: gap, Limit: p.home.r.opts.RepostWindow}, rounds)
	p.queries = queries + 1
	return entries, err
}

// pair stores in twins the entries of the window below the row that are about
// the same. It depends on entries alone, so that pages of every size and
// direction agree.
func (row *homeRow) pair(window []entryItem) {
	for _, entry := range window {
		if entry.About != "" && slices.ContainsFunc(row.entries, func(own entryItem) bool { return own.About == entry.About }) {
			row.twins = append(row.twins, entry)
		}
	}
}
