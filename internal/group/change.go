package group

import (
	"slices"
	"time"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// maxOff is how many retracted events a group remembers one by one.
const maxOff = 100

// pastSpan is longer than the time between a watermark and the ids above it.
const pastSpan = time.Minute

// Status says where an event is.
type Status string

// The statuses.
const (
	Stored  Status = "stored"  // in its group
	Full    Status = "full"    // not in its group, which counts no more
	Dropped Status = "dropped" // it was retracted
)

// known returns the status of an event that changes nothing: the group has it, or a later
// one of its actor, or it was retracted.
func (g *stored) known(e Event) (status Status, known bool, err error) {
	entry, ok := g.entries[e.attribute()]
	switch {
	case !ok && e.ID <= g.Cut, ok && entry.ID >= e.ID && entry.Off:
		return Dropped, true, nil
	case !ok || entry.ID < e.ID:
		return "", false, nil
	case entry.ID == e.ID && (entry.Actor != e.Actor || entry.Detail != e.Detail):
		return "", true, plaza.ErrConflict
	}
	return Stored, true, nil
}

// has reports whether the event counts, and no later one of its actor does instead.
func (g *stored) has(e Event) bool {
	entry := g.entries[e.attribute()]
	return entry.ID == e.ID && !entry.Off
}

// move moves the group to the top by a write above Last, which becomes that of an event
// that the group has. It returns the event's first write.
func (g *stored) move(e Event, write ids.ID) (first ids.ID) {
	entry := g.entries[e.attribute()]
	entry.Earlier += past(entry.Write.String())
	entry.Write = write
	g.entries[e.attribute()] = entry
	g.Last, g.Place = write, Place(Listed, write, g.SK)
	return entry.first()
}

// beyond reports whether the group is too full to count the event.
func (g *stored) beyond(e Event) bool {
	entry, ok := g.entries[e.attribute()]
	return g.N == Cap && (!ok || entry.Off)
}

// simple reports whether an unknown event can be added by an update that does not depend on
// what is in the group: it is the newest, by an actor whom the group does not name.
func (g *stored) simple(e Event) bool {
	_, ok := g.entries[e.attribute()]
	expired := g.exists && g.TTL == 0
	return !ok && !expired && g.N < Cap && g.Top < e.ID && !slices.Contains(g.Actors(), e.Actor)
}

// add stores an unknown event by a write above Last. In a full group it only rises.
func (g *stored) add(e Event, write ids.ID) Status {
	status := Stored
	name := e.attribute()
	if g.beyond(e) {
		status, g.More = Full, true
	} else {
		replaced, ok := g.entries[name]
		g.entries[name] = e.entry(write)
		if !ok || replaced.Off {
			g.N++
		} else {
			g.retire(replaced)
		}
	}
	g.Last, g.Place, g.Was = write, Place(Listed, write, g.SK), ""
	g.show(e)
	return status
}

// show names the event's actor before those whose newest event is older. A named actor
// without an entry keeps its place: an event beyond the cap put it there. An event beyond the
// cap is shown only if it is the newest.
func (g *stored) show(e Event) {
	actors := g.Actors()
	others := slices.DeleteFunc(slices.Clone(actors), func(actor string) bool { return actor == e.Actor })
	at := 0
	switch _, counts := g.entries[e.attribute()]; {
	case e.ID > g.Top:
		g.Top, g.Data = e.ID, e.Data
	case !counts || actors[0] == e.Actor:
		return
	default:
		byActor := map[string]ids.ID{}
		for _, entry := range g.live() {
			byActor[entry.Actor] = max(byActor[entry.Actor], entry.ID)
		}
		at = len(others)
		for i, actor := range slices.Backward(others) {
			if id, ok := byActor[actor]; ok && id < byActor[e.Actor] {
				at = i
			}
		}
	}
	g.Newest = newest(slices.Insert(others, at, e.Actor))
}

// retract turns the event off. It reports false if it was off, or if its actor has
// done it again since.
func (g *stored) retract(e Event, write ids.ID) bool {
	name := e.attribute()
	entry, ok := g.entries[name]
	switch {
	case ok && (entry.ID > e.ID || entry.ID == e.ID && entry.Off), !ok && e.ID <= g.Cut:
		return false
	}
	g.entries[name] = Entry{ID: e.ID, Write: write, Actor: e.Actor, Off: true}
	offs := g.offs(name)
	for _, oldest := range offs[:max(0, len(offs)+1-maxOff)] {
		g.Cut = max(g.Cut, g.entries[oldest].ID)
		delete(g.entries, oldest)
	}
	if g.Last == 0 {
		g.Last = write
	}
	if ok && !entry.Off || g.More {
		g.lower(entry)
	}
	return true
}

// lower derives the head after the event was retracted. The group stays on its shelf. If the
// event's write is its place, the place goes down to the newest event that is left. A group that
// counts no more stays where it is: an event that it did not store may have moved it there.
func (g *stored) lower(retracted Entry) {
	live := g.live()
	g.N = int64(len(live))
	if len(live) == 0 {
		g.unlist()
		return
	}
	g.retire(retracted)
	var actors []string
	for _, e := range live {
		if !slices.Contains(actors, e.Actor) {
			actors = append(actors, e.Actor)
		}
	}
	g.Newest, g.Top = newest(actors), live[0].ID
	if g.More {
		return
	}
	top := g.Floor
	for _, e := range live {
		top = max(top, e.Write)
	}
	for _, place := range []*string{&g.Place, &g.Was} {
		if shelf, id, err := ParsePlace(*place); err == nil && shelf != Snoozed && id == retracted.Write {
			*place = Place(shelf, top, g.SK)
		}
	}
}

// unlist takes a group without events off every list.
func (g *stored) unlist() {
	g.N, g.Newest = 0, Newest{}
	g.Place, g.Was, g.Past, g.Data, g.Floor, g.Top = "", "", "", "", 0, 0
}

// empty retracts all events, and unknown ones whose ids are up to the write. It reports
// false if there are none.
func (g *stored) empty(write ids.ID) bool {
	if g.N == 0 && !g.More {
		return false
	}
	for _, e := range g.entries {
		if e.ID >= write {
			write = keys.After(write, e.ID)
		}
	}
	g.Cut = max(g.Cut, write)
	clear(g.entries)
	g.More = false
	g.unlist()
	return true
}
