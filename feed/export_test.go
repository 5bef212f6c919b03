package feed

import (
	"context"

	"github.com/plaza-sdk/plaza/cursor"
)

// ListMerged is List with the entries of other homes as further sources.
func (h Home) ListMerged(ctx context.Context, others []string, req cursor.PageRequest) (cursor.Page[Activity], error) {
	reading := h.reading()
	for _, other := range others {
		reading.others = append(reading.others, h.r.Home(other).pushed)
	}
	return h.page(ctx, req, reading)
}

// ByName are rows that are decoded by the names of their attributes, and how.
func ByName() map[any]func(name string) any {
	activity, entry := new(activityItem), new(entryItem)
	return map[any]func(string) any{activity: activity.attribute, entry: entry.attribute}
}

// ParseEntryKey reads the key of an entry.
func ParseEntryKey(text string) error {
	_, err := parseEntryKey(text)
	return err
}
