package feed

import (
	"context"
	"fmt"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Trim takes everything older than before out of the home, for good: a later
// call can only trim more. It reports whether this call did.
//
// Cost: 1 request, 1 WCU for each KB of the home's header.
func (h Home) Trim(ctx context.Context, before ids.ID) (trimmed bool, err error) {
	if err := h.check(); err != nil {
		return false, err
	}
	if err := keys.CheckID("ID", before); err != nil {
		return false, err
	}
	trim, err := h.r.gen.Next(ctx)
	if err != nil {
		return false, err
	}
	err = h.r.table.Run(ctx, h.r.table.Update(headerKey(h.reader)).
		Set("floor", before).
		Set("trim", trim).
		If("attribute_not_exists(floor) OR floor < ?", before))
	if refused, ok := store.AsRefused(err); ok {
		item, _ := refused.At(0)
		var stands struct {
			Floor ids.ID `dynamo:"floor"`
			Trim  ids.ID `dynamo:"trim"`
		}
		if err = h.r.table.Decode(item, &stands); err == nil {
			return stands.Trim == trim, nil // the SDK may have sent it twice
		}
	}
	if err != nil {
		return false, fmt.Errorf("feed: trim home of %q: %w", h.reader, err)
	}
	return true, nil
}
