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

// pairedDown returns candidates with their twins. One query reads the candidates and the
// window below the last of them. Only a candidate that fills the whole query takes
// one more.
func (p *homeReading) pairedDown(ctx context.Context, reach store.Reach) (found []candidate, rest string, err error) {
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
	all, end := inCandidates(entries), 0
	for i, c := range all {
		begin := end
		end += len(c.entries)
		if begin >= reach.Limit || rest != "" && end+window > len(entries) {
			break
		}
		all[i].pair(entries[end:min(end+window, len(entries))])
		found = all[:i+1]
	}
	if n := len(found); n > 0 && n < len(all) {
		rest = belowActivity(found[n-1].CacheKey)
	}
	if len(found) > 0 || len(all) == 0 {
		return found, rest, nil
	}
	if p.queries >= maxQueries {
		return nil, reach.Gap, nil
	}
	below, err := p.below(ctx, belowActivity(all[0].CacheKey))
	if err != nil {
		return nil, "", err
	}
	all[0].pair(below)
	if len(all) > 1 {
		rest = belowActivity(all[0].CacheKey)
	}
	return all[:1], rest, nil
}

// pairedUp returns candidates with their twins, by two queries.
func (p *homeReading) pairedUp(ctx context.Context, reach store.Reach) (found []candidate, rest string, err error) {
	if p.queries+2 > maxQueries {
		return nil, reach.Gap, nil
	}
	entries, rest, err := p.query(ctx, reach, 1)
	if err != nil || len(entries) == 0 {
		return nil, rest, err
	}
	found, gap := inCandidates(entries), reach.Gap
	if inside, ok := besideEntry(gap); ok && inside == found[0].CacheKey {
		// This activity has entries below the gap too, so it is read alone.
		if gap = belowActivity(inside); len(found) > 1 {
			rest = aboveActivity(inside)
		}
		found = found[:1]
	}
	below, err := p.below(ctx, gap)
	if err != nil {
		return nil, "", err
	}
	for i := range found {
		found[i].pair(below)
		own := slices.Clone(found[i].entries)
		slices.Reverse(own)
		below = slices.Concat(own, below)
		below = below[:min(len(below), p.home.r.opts.RepostWindow)]
	}
	return found, rest, nil
}

// below reads the window below a gap. It counts as one query, however many
// rounds outboxes take: a window that is cut would hide less.
func (p *homeReading) below(ctx context.Context, gap string) ([]entryItem, error) {
	rounds := 1
	if p.pulls {
		rounds = math.MaxInt
	}
	queries := p.queries
	entries, _, err := p.merged(ctx, store.Reach{Gap: gap, Limit: p.home.r.opts.RepostWindow}, rounds)
	p.queries = queries + 1
	return entries, err
}

// pair stores in twins the entries of the window below the candidate that are about
// the same. It depends on entries alone, so that pages of every size and
// direction agree.
func (c *candidate) pair(window []entryItem) {
	for _, entry := range window {
		if entry.About != "" && slices.ContainsFunc(c.entries, func(own entryItem) bool { return own.About == entry.About }) {
			c.twins = append(c.twins, entry)
		}
	}
}
