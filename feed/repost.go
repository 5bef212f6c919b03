package feed

import "slices"

// about is the text of what showing a again would repeat, "" where it is
// nothing.
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

// pairUp gives each row, newest first, those about the same among the window
// entries below it. It depends on nothing but these, so that pages of every
// size agree on what repeats what.
func pairUp(rows []homeRow, window int) {
	for i, row := range rows {
		about := row.entries[0].About
		if about == "" {
			continue
		}
		for _, below := range rows[i+1 : min(i+1+window, len(rows))] {
			if below.entries[0].About == about {
				rows[i].twins = append(rows[i].twins, below)
			}
		}
	}
}

func reversed(rows []homeRow) []homeRow {
	rows = slices.Clone(rows)
	slices.Reverse(rows)
	return rows
}
