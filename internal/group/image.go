package group

// Image is a group as a stream's image of its item has it.
type Image struct{ stored }

// Came reports whether the group has a new event since before, which is nil if the group
// did not exist. A group that moves again for an event counts as new.
func (g *Image) Came(before *Image) bool {
	if g.N == 0 || before != nil && g.Last <= before.Last {
		return false
	}
	return g.Floor != g.Last // a snoozed group that is due moves too
}

// Lost reports whether an event was retracted after before. It ignores events that
// emptying the group removed.
func (g *Image) Lost(before *Image) bool {
	for name, e := range g.entries {
		if was, known := before.entries[name]; known && e.Off && !was.Off {
			return true
		}
	}
	return false
}
