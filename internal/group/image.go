package group

import (
	"github.com/guregu/dynamo/v2"
)

// Image is a group as an image of its item has it.
type Image struct{ stored }

// UnmarshalDynamoItem refuses what no write of this package leaves.
func (g *Image) UnmarshalDynamoItem(item dynamo.Item) error {
	g.entries = map[string]Entry{}
	return g.stored.UnmarshalDynamoItem(item)
}

// Came reports whether an event came since the group was before, which is nil if it
// did not exist. One whose write was slow comes twice, as its group moves twice.
func (g *Image) Came(before *Image) bool {
	if g.N == 0 || before != nil && g.Last <= before.Last {
		return false
	}
	// What is due moves too, but it stays as it was.
	return before == nil || !snoozed(before.Place) || g.Data != before.Data || g.changed(before)
}

// changed reports whether another event counts.
func (g *Image) changed(before *Image) bool {
	for name, e := range g.entries {
		if !e.Off && before.entries[name] != e {
			return true
		}
	}
	return false
}

// Lost reports whether an event was retracted since the group was before. Those of an
// empty group are not looked at.
func (g *Image) Lost(before *Image) bool {
	for name, e := range g.entries {
		if was, known := before.entries[name]; known && e.Off && !was.Off {
			return true
		}
	}
	return false
}

func snoozed(place string) bool {
	shelf, _, err := ParsePlace(place)
	return err == nil && shelf == Snoozed
}
