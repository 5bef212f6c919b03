package group

import (
	"slices"

	"github.com/plaza-sdk/plaza/ids"
)

// PlaceID is the id in the group's place in the list, or in the place that it had
// before it was snoozed. It is Last, or less where the newest event was retracted.
// What was seen or read up to PlaceID is seen or read.
func (h Head) PlaceID() ids.ID {
	place := h.Place
	if h.Was != "" {
		place = h.Was
	}
	_, id, err := ParsePlace(place)
	if err != nil {
		return h.Last // it is in no list
	}
	return id
}

// Shown reports whether a set of PlaceIDs, which lists showed, has one under which a list
// showed everything that is left of the group.
func (h Head) Shown(has func(ids.ID) bool) bool {
	place := h.PlaceID()
	return has(place) || slices.ContainsFunc(h.Past.ids(), func(id ids.ID) bool { return id >= place && has(id) })
}

// past is the text of ids, without separators, oldest first. They are the writes of
// events that were retracted: the group was shown under them. Without them, a group
// that was seen by a set would be unseen when its place goes down.
type past string

const (
	idLen   = 13
	maxPast = 100
)

func (p past) ids() []ids.ID {
	all := make([]ids.ID, 0, len(p)/idLen)
	for ; len(p) >= idLen; p = p[idLen:] {
		if id, err := ids.Parse(string(p[:idLen])); err == nil {
			all = append(all, id)
		}
	}
	return all
}

// retire adds to past the writes of an event that was retracted, or that a later one of its
// actor replaced. It keeps those that are less than pastSpan above an event that is left,
// since the place may go down to that event. Users who were shown the group further up
// have a watermark that covers the event.
func (g *stored) retire(e Entry) {
	all := append(g.Past.ids(), e.writes()...)
	slices.Sort(all)
	live := g.live()
	all = slices.DeleteFunc(slices.Compact(all), func(id ids.ID) bool {
		return !slices.ContainsFunc(live, func(e Entry) bool {
			return e.Write <= id && id.Time().Sub(e.Write.Time()) < pastSpan
		})
	})
	g.Past = ""
	for _, id := range all[max(0, len(all)-maxPast):] {
		g.Past += past(id.String())
	}
}
