package feed

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza"
)

// Filter says which of some activities to hide from reader, one answer for
// each. A home asks it once for all activities of a read, so that it can
// answer with one request of its own, such as follow.Relations; a page whose
// activities are all hidden is read on, with further questions. It must
// answer the same as long as nothing changes. Its error fails the page.
type Filter func(ctx context.Context, reader string, as []Activity) (hide []bool, err error)

// filter drops the rows that Options.Filter hides.
func (h Home) filter(ctx context.Context, rows []homeRow) ([]homeRow, error) {
	if h.r.opts.Filter == nil || len(rows) == 0 {
		return rows, nil
	}
	as := make([]Activity, len(rows))
	for i, row := range rows {
		as[i] = row.activity
	}
	hide, err := h.r.opts.Filter(ctx, h.reader, as)
	if err != nil {
		return nil, fmt.Errorf("filter: %w", err)
	}
	if len(hide) != len(as) {
		return nil, &plaza.InvalidError{
			Field:  "Options.Filter",
			Reason: fmt.Sprintf("gives %d answers for %d activities", len(hide), len(as)),
		}
	}
	shown := rows[:0]
	for i, row := range rows {
		if !hide[i] {
			shown = append(shown, row)
		}
	}
	return shown, nil
}
