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
	"slices"

	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/jsontext"
)

// Cap is how many events a group counts.
const Cap = 100

// Head is what lists show of a group: its attributes in the index.
type Head struct {
	PK    string `dynamo:"pk"`
	SK    string `dynamo:"sk"`
	Place string `dynamo:"last"` // in the list, see Place
	Last  ids.ID `dynamo:"lv"`   // the write that moved it last; it only rises
	N     int64  `dynamo:"n"`    // events, at most Cap
	More  bool   `dynamo:"more"` // there were more
	Newest
	Rev    int64  `dynamo:"rev"`
	Read   ids.ID `dynamo:"read"`   // read up to this Last
	Unread ids.ID `dynamo:"unread"` // the write that marked it unread
	Was    string `dynamo:"was"`    // its place before it was snoozed
	Past   past   `dynamo:"past"`   // places of events that were taken back
	TTL    int64  `dynamo:"ttl"`
	Data   string `dynamo:"data"` // JSON of what the newest event shows
}

// Newest are the actors that a group names, the newest first. The others are empty.
type Newest struct {
	A1 string `dynamo:"a1"`
	A2 string `dynamo:"a2"`
	A3 string `dynamo:"a3"`
	A4 string `dynamo:"a4"`
	A5 string `dynamo:"a5"`
}

// Actors are those that are not empty.
func (n Newest) Actors() []string {
	all := []string{n.A1, n.A2, n.A3, n.A4, n.A5}
	if free := slices.Index(all, ""); free >= 0 {
		return all[:free]
	}
	return all
}

// newest are the first five actors.
func newest(actors []string) (n Newest) {
	for i, to := range []*string{&n.A1, &n.A2, &n.A3, &n.A4, &n.A5} {
		if i < len(actors) {
			*to = actors[i]
		}
	}
	return n
}

// CheckItem refuses what no write of this package leaves.
func (h *Head) CheckItem() error {
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
