// Package reaction keeps who reacted to what, and how: likes, pins, bookmarks,
// whatever kinds the application has.
//
// An object is any opaque id: an activity, a comment, a picture. One transaction
// writes a reaction, its place in the object's list and in the user's, and the
// object's count of its kind, so lists and counts never disagree. A switch from
// one kind to another is one transaction too.
package reaction

import (
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/edge"
)

// Reaction says that User reacted to Object with Kind. A user has at most one
// of a kind on an object.
type Reaction struct {
	User   string `json:"user"`
	Object string `json:"object"`
	Kind   string `json:"kind"` // one of Options.Kinds

	// ID is the reaction's identity and its place in the lists. React mints one
	// if it is zero.
	ID ids.ID `json:"id"`

	// place is the shard of Object's list that holds the reaction, plus one; 0
	// if unknown.
	place int
}

func reactionOf(e edge.Edge) Reaction {
	return Reaction{User: e.Tail, Object: e.Head, Kind: e.Kind, ID: e.ID, place: e.Place}
}

func (a Reaction) edge() edge.Edge {
	return edge.Edge{Tail: a.User, Head: a.Object, Kind: a.Kind, ID: a.ID, Place: a.place}
}
