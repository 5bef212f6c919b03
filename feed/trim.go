package feed

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza/ids"
)

// Trim takes everything older than before out of the home, for good: a later
// call can only trim more. It reports whether this call did.
//
// 1 WCU per KB of the home's header.
func (h Home) Trim(ctx context.Context, before ids.ID) (trimmed bool, err error) {
	if err := h.check(); err != nil {
		return false, err
	}
	if err := checkID(before); err != nil {
		return false, err
	}
	trimmed, err = h.r.holds(ctx, h.r.table.Update(headerKey(h.reader)).
		Set("floor", before).
		If("attribute_not_exists(floor) OR floor < ?", before))
	if err != nil {
		return false, fmt.Errorf("feed: trim home of %q: %w", h.reader, err)
	}
	return trimmed, nil
}
