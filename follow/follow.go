// Package follow keeps who follows whom, with exact counts.
//
// Any opaque id can follow and be followed: a user, a topic, a board. One
// transaction writes an edge, its place in both lists, and both counters, so
// lists and counts never disagree. Lists are strongly consistent, newest first.
package follow

import (
	"cmp"

	"github.com/plaza-sdk/plaza"
	"github.com/plaza-sdk/plaza/ids"
	"github.com/plaza-sdk/plaza/internal/args"
	"github.com/plaza-sdk/plaza/internal/edge"
	"github.com/plaza-sdk/plaza/internal/keys"
)

// Edge says that Follower follows Followee.
type Edge struct {
	Follower string `json:"follower"`
	Followee string `json:"followee"`

	// ID is the edge's identity and its place in both lists. Follow mints one
	// if it is zero.
	ID ids.ID `json:"id"`

	// place is the shard of Followee's list that holds the edge, plus one, or 0
	// if it is not known.
	place int
}

func edgeOf(e edge.Edge) Edge {
	return Edge{Follower: e.Tail, Followee: e.Head, ID: e.ID, place: e.Place}
}

func (e Edge) edge() edge.Edge {
	return edge.Edge{Tail: e.Follower, Head: e.Followee, ID: e.ID, Place: e.place}
}

func (e Edge) check() error {
	if err := keys.CheckName("Follower", e.Follower); err != nil {
		return err
	}
	if err := keys.CheckName("Followee", e.Followee); err != nil {
		return err
	}
	if e.Follower == e.Followee {
		return &plaza.InvalidError{Field: "Followee", Reason: "is the follower"}
	}
	if _, err := e.ID.MarshalText(); err != nil {
		return &plaza.InvalidError{Field: "ID", Reason: "has more than 63 bits"}
	}
	return nil
}

// Relation is whether a viewer and another user follow each other.
type Relation struct {
	Follows    bool `json:"follows"`    // the viewer follows the other
	FollowedBy bool `json:"followedBy"` // the other follows the viewer
}

// Mutual reports whether both follow each other.
func (r Relation) Mutual() bool { return r.Follows && r.FollowedBy }

// Counts is how many users follow a user, and how many that user follows.
type Counts struct {
	Followers int64 `json:"followers"`
	Following int64 `json:"following"`
}

func checkUsers(field string, users []string) error {
	return cmp.Or(args.Count(field, len(users), "users", maxUsers), keys.CheckNames(field, users))
}

// maxUsers is the most users that Relations and CountsMany take.
const maxUsers = 100
