package group

import (
	"errors"
	"strings"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Event is what a group counts.
type Event struct {
	ID      ids.ID // its identity, and its order among those of an actor
	Actor   string
	ByActor bool   // it takes the place of what the actor did before
	Detail  string // what rebuilding Data needs besides
	Data    string // of the head
}

// Entry is what a group keeps of an event. What was retracted is off; it has
// neither Actor nor Detail where those are not its key.
type Entry struct {
	ID     ids.ID
	Write  ids.ID // that stored it, or turned it off
	Actor  string
	Detail string
	Off    bool
}

// The attribute of an entry is e and its id, or e, # and its actor. Its text joins
// Write, the one of id and actor that is not in the attribute's name, and Detail.
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

// path is attribute for an expression. The driver's own placeholders are longer than
// the name, and DynamoDB allows 255 bytes.
func (e Event) path() dynamo.ExpressionLiteral {
	name := e.attribute()
	return dynamo.ExpressionLiteral{Expression: "#e", AttributeNames: map[string]*string{"#e": &name}}
}

// entry is the event's, stored by the write.
func (e Event) entry(write ids.ID) Entry {
	return Entry{ID: e.ID, Write: write, Actor: e.Actor, Detail: e.Detail}
}

// text is the value of the event's attribute after the write.
func (e Event) text(write ids.ID) string { return e.entry(write).text(e.attribute()) }

// text is the value of the attribute name.
func (e Entry) text(name string) string {
	parts := []string{e.Write.String()}
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
func parseEntry(name, text string) (e Entry, err error) {
	text, e.Off = strings.CutPrefix(text, offPrefix)
	parts := keys.Split(text)
	if e.Write, err = ids.Parse(parts[0]); err != nil {
		return Entry{}, errEntry
	}
	parts = parts[1:]
	id, byActor := "", false
	if e.Actor, byActor = strings.CutPrefix(name, actorPrefix); byActor {
		if len(parts) == 0 {
			return Entry{}, errEntry
		}
		id, parts = parts[0], parts[1:]
	} else {
		id, e.Actor = strings.TrimPrefix(name, entryPrefix), ""
		if !e.Off {
			if len(parts) == 0 {
				return Entry{}, errEntry
			}
			e.Actor, parts = parts[0], parts[1:]
		}
	}
	if e.ID, err = ids.Parse(id); err != nil || e.ID == 0 || len(parts) > 1 || e.Off && len(parts) > 0 {
		return Entry{}, errEntry
	}
	if len(parts) == 1 {
		e.Detail = parts[0]
	}
	return e, nil
}
