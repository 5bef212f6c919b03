package feed

import (
	"context"
	"fmt"
	"slices"

	"github.com/plaza-sdk/plaza"
)

// Filter reports which of the activities to hide from reader, with one answer for
// each. A home asks about up to 100 activities at once, so that one request, such
// as follow.Relations, can answer; if some are hidden, the page reads on and asks
// again. A Filter's error fails the page. A wrong number of answers is
// plaza.ErrInvalid.
type Filter func(ctx context.Context, reader string, as []Activity) (hide []bool, err error)

// maxAsked is the most activities of one call of a Filter.
const maxAsked = 100

// filter drops the activities that Options.Filter hides.
func (h Home) filter(ctx context.Context, as []Activity) ([]Activity, error) {
	if h.r.opts.Filter == nil {
		return as, nil
	}
	var shown []Activity
	for asked := range slices.Chunk(as, maxAsked) {
		hide, err := h.hidden(ctx, asked)
		if err != nil {
			return nil, err
		}
		for i, a := range asked {
			if !hide[i] {
				shown = append(shown, a)
			}
		}
	}
	return shown, nil
}

func (h Home) hidden(ctx context.Context, as []Activity) ([]bool, error) {
	hide, err := h.r.opts.Filter(ctx, h.reader, slices.Clone(as))
	if err != nil {
		return nil, fmt.Errorf("filter: %w", err)
	}
	if len(hide) != len(as) {
		return nil, &plaza.InvalidError{
			Field:  "Options.Filter",
			Reason: fmt.Sprintf("gives %d answers for %d activities", len(hide), len(as)),
		}
	}
	return hide, nil
}
