// Package group keeps groups of events: rows of a list such as "ann and 4 others
// liked your picture". An event is one update of one item, which holds who did
// what, so that repeats are harmless and what was retracted stays away.
//
// Every write of a group adds one to rev. Last only rises; a place may go down when
// the newest event is retracted.
package group

import (
	"errors"
	"fmt"

	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/jsontext"
	"github.com/plaza-sdk/plaza/internal/store"
)

// Cap is how many events a group counts.
const Cap = 100

// Newest is how many actors a group names.
const Newest = 5

var actorAttrs = [Newest]string{"a1", "a2", "a3", "a4", "a5"}

// Head is what lists show of a group: its attributes in the index.
type Head struct {
	PK, SK string
	Place  string // in the list, see Place
	Last   ids.ID // the write that moved it last; it only rises
	N      int64  // events, at most Cap
	More   bool   // there were more
	Actors [Newest]string
	Rev    int64
	Read   ids.ID // read up to this Last
	Unread ids.ID // the write that marked it unread
	Was    string // its place before it was snoozed
	Past   past   // places that it had by events which were taken back
	TTL    int64
	Data   string // JSON of what the newest event shows
}

// Index is the order of a partition's groups by place. It includes state, the
// attribute of an item that is read with its first page. An index may not change,
// so further attributes belong in Data.
func Index(state string) store.Index {
	return store.Index{Name: "recent", Sort: "last", Text: true, Include: []string{
		"lv", "n", "more", "a1", "a2", "a3", "a4", "a5", "rev", "read", "unread", "was", "past", "ttl", "data", state,
	}}
}

// UnmarshalDynamoItem refuses what no write of this package leaves.
func (h *Head) UnmarshalDynamoItem(item dynamo.Item) error {
	if err := store.Fields(item, h.attribute); err != nil {
		return err
	}
	switch {
	case h.Last == 0:
		return errors.New("lv is zero")
	case h.Rev <= 0:
		return fmt.Errorf("rev is %d", h.Rev)
	case h.N < 0 || h.N > Cap:
		return fmt.Errorf("n is %d", h.N)
	case len(h.Past)%idLen != 0:
		return errors.New("past is no list of ids")
	case len(h.Data) > 0 && !jsontext.Valid([]byte(h.Data)):
		return errors.New("data is not JSON")
	}
	if h.Place == "" {
		return nil
	}
	_, _, err := ParsePlace(h.Place)
	return err
}

func (h *Head) attribute(name string) any {
	switch name {
	case "pk":
		return &h.PK
	case "sk":
		return &h.SK
	case "last":
		return &h.Place
	case "lv":
		return &h.Last
	case "n":
		return &h.N
	case "more":
		return &h.More
	case "a1":
		return &h.Actors[0]
	case "a2":
		return &h.Actors[1]
	case "a3":
		return &h.Actors[2]
	case "a4":
		return &h.Actors[3]
	case "a5":
		return &h.Actors[4]
	case "rev":
		return &h.Rev
	case "read":
		return &h.Read
	case "unread":
		return &h.Unread
	case "was":
		return &h.Was
	case "past":
		return (*string)(&h.Past)
	case "ttl":
		return &h.TTL
	case "data":
		return &h.Data
	}
	return nil
}
