package group

import (
	"errors"
	"slices"
	"strings"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Event is what a group counts.
type Event struct {
	ID      ids.ID // its identity, and its order among those of an actor
	Actor   string
	ByActor bool   // it replaces the actor's earlier event
	Detail  string // further input for rebuilding Data
	Data    string // of the head
}

// Entry is what a group keeps of an event. A retracted event's entry is off: it
// keeps no Detail, and its Actor only if that is its key.
type Entry struct {
	ID      ids.ID
	Write   ids.ID // that stored it, moved it, or turned it off
	Earlier past   // its writes before
	Actor   string
	Detail  string
	Off     bool
}

// writes are those of the entry, oldest first.
func (e Entry) writes() []ids.ID { return append(e.Earlier.ids(), e.Write) }

// first is the write that stored the entry.
func (e Entry) first() ids.ID {
	if e.Earlier == "" {
		return e.Write
	}
	return e.Earlier.ids()[0]
}

// The attribute of an entry is e and its id, or e, # and its actor. Its text joins
// Earlier and Write, the one of id and actor that is not in the attribute's name, and Detail.
const (
	entryPrefix = "e"
	actorPrefix = "e#"
	offPrefix   = "-"
)

// attribute is the name of the event's entry.
func (e Event) attribute() string {
	if e.ByActor {
		return actorPrefix + e.Actor
	}
	return entryPrefix + e.ID.String()
}

// entry is the event's, stored by the write.
func (e Event) entry(write ids.ID) Entry {
	return Entry{ID: e.ID, Write: write, Actor: e.Actor, Detail: e.Detail}
}

// text is the value of the attribute name.
func (e Entry) text(name string) string {
	parts := []string{string(e.Earlier) + e.Write.String()}
	if strings.HasPrefix(name, actorPrefix) {
		parts = append(parts, e.ID.String())
	} else if !e.Off {
		parts = append(parts, e.Actor)
	}
	if e.Off {
		return offPrefix + keys.Join(parts...)
	}
	if e.Detail != "" {
		parts = append(parts, e.Detail)
	}
	return keys.Join(parts...)
}

var errEntry = errors.New("an entry is no text of a group's")

// parseEntry undoes text.
func parseEntry(name, text string) (Entry, error) {
	text, off := strings.CutPrefix(text, offPrefix)
	actor, byActor := strings.CutPrefix(name, actorPrefix)
	parts := keys.Split(text)
	fewest, most := 2, 3
	switch {
	case off && byActor:
		most = 2
	case off:
		fewest, most = 1, 1
	}
	if len(parts) < fewest || len(parts) > most {
		return Entry{}, errEntry
	}
	id := strings.TrimPrefix(name, entryPrefix)
	switch {
	case byActor:
		id = parts[1]
	case off:
		actor = "" // it was not kept
	default:
		actor = parts[1]
	}
	writes := past(parts[0])
	last := max(0, len(writes)-idLen)
	e := Entry{Actor: actor, Off: off, Earlier: writes[:last]}
	if len(parts) == 3 {
		e.Detail = parts[2]
	}
	var err error
	if e.Write, err = ids.Parse(string(writes[last:])); err != nil {
		return Entry{}, errEntry
	}
	if all := e.writes(); len(all)*idLen != len(writes) || len(all) > maxMoves+1 || !slices.IsSorted(all) {
		return Entry{}, errEntry
	}
	if e.ID, err = ids.Parse(id); err != nil || e.ID == 0 {
		return Entry{}, errEntry
	}
	return e, nil
}
